import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { forEachEngine } from '../support/harness.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { type Mailing, mailingList, mailsArrived, PUBLIC_URL, startMailing } from '../support/mails.ts';

forEachEngine((engine) => {
  describe('mails', () => {
    let server: MailServer;
    let service: Mailing;
    before(async () => {
      server = await startMailServer();
      service = await startMailing(engine, server);
    });
    after(async () => {
      await service.close();
      await server.close();
    });

    it('welcome arrives once, with exact recipients, headers and both parts', async () => {
      const list = await mailingList(service, ['welcome']);
      await list.signup({ email: 'Ada@example.com' });
      await mailsArrived(server, 1);
      const [mail] = server.received;
      assert.ok(mail);
      assert.deepEqual(mail.to, ['Ada@example.com']);
      assert.equal(mail.from, 'hello@acme.example');
      assert.match(mail.parsed.text ?? '', /number 1 in line/);
      assert.match(mail.parsed.html ?? '', new RegExp(PUBLIC_URL));
    });
  });
});
