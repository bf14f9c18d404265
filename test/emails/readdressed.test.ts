import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { parseId } from '../../src/lib/ids.ts';
import { listMailsAbout } from '../../src/mail/mailbox.ts';
import { updateEntry } from '../../src/waitlist/entries/update-entry.ts';
import { type DocumentedClient, documentedClient } from '../support/documented-client.ts';
import { forEachEngine } from '../support/harness.ts';
import type { MailServer, ReceivedMail } from '../support/mail-server.ts';
import {
  type Mailing,
  type MailingList,
  mailingList,
  mailsArrived,
  mailsOf,
  nothingPending,
  withMailing,
} from '../support/mails.ts';

forEachEngine((engine) => {
  let server: MailServer;
  let service: Mailing;
  let admin: DocumentedClient;
  withMailing(engine, (made) => {
    ({ server, service } = made);
  });
  before(async () => {
    admin = await documentedClient(service, 'admin');
  });

  const idOf = async (list: MailingList, email: string) => (await list.lookup(email)).body.id;
  const readdress = async (list: MailingList, from: string, email: string, status?: 'pending') => {
    service.clock.advance(1_000);
    const changes = { email, ...(status && { status }) };
    await updateEntry(service.context, await list.queue(), await idOf(list, from), changes);
  };
  const linkIn = (mail: ReceivedMail | undefined) =>
    /\/confirm\/[\w-]+/.exec(mail?.parsed.text ?? '')?.[0] ?? assert.fail('no link');
  const recipients = (list: MailingList) => mailsOf(server, list).flatMap(({ to }) => to);

  describe('somebody whose email is corrected', () => {
    it('confirms the new one, with the new link only', async () => {
      const list = await mailingList(service, ['confirm'], { confirm: true });
      await list.signup({ email: 'adda@example.com' });
      const [typo] = await mailsArrived(server, list, 1);
      await readdress(list, 'adda@example.com', 'ada@example.com');
      const [, corrected] = await mailsArrived(server, list, 2);
      assert.deepEqual(recipients(list), ['adda@example.com', 'ada@example.com']);
      await service.request('POST', linkIn(typo));
      assert.equal((await list.lookup('ada@example.com')).body.status, 'pending');
      await service.request('POST', linkIn(corrected));
      assert.equal((await list.lookup('ada@example.com')).body.status, 'waiting');
      await readdress(list, 'ada@example.com', 'ada@example.org', 'pending');
      const [, , anew] = await mailsArrived(server, list, 3);
      await service.request('POST', linkIn(corrected));
      assert.equal((await list.lookup('ada@example.org')).body.status, 'pending');
      await service.request('POST', linkIn(anew));
      assert.equal((await list.lookup('ada@example.org')).body.status, 'waiting');
      assert.equal(recipients(list)[2], 'ada@example.org');
    });

    it('keeps the emails they got, which say where they went', async () => {
      const list = await mailingList(service, ['welcome', 'invite']);
      await list.signup({ email: 'adda@example.com' });
      await list.invite('adda@example.com');
      await mailsArrived(server, list, 2);
      await nothingPending(service.context, list);
      await readdress(list, 'adda@example.com', 'ada@example.com');
      const queue = await list.queue();
      const id = parseId('ent', await idOf(list, 'ada@example.com')) ?? assert.fail();
      const { mails } = await listMailsAbout(service.context, queue, id, { limit: 10 });
      assert.deepEqual(mails.map(({ kind, to, state }) => [kind, to, state]).sort(), [
        ['invite', 'adda@example.com', 'sent'],
        ['welcome', 'adda@example.com', 'sent'],
      ]);
      for (const mail of mails) {
        const path = `/waitlists/${list.id}/mails/${mail.id}/resend`;
        const again = await admin.call('resendMail', 'POST', path);
        assert.match(again.text, /another address/, again.text);
      }
      assert.equal(mailsOf(server, list).length, 2);
    });
  });
});
