import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { LANGUAGES, textsIn } from '../../src/languages/languages.ts';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import { revokeMany } from '../../src/waitlist/invites/revoke-many.ts';
import { signLink } from '../../src/waitlist/links/links.ts';
import { forEachEngine, type List } from '../support/harness.ts';
import type { MailServer } from '../support/mail-server.ts';
import {
  type Mailing,
  mailInState,
  mailingList,
  mailsArrived,
  nothingPending,
  startMailing,
  withMailing,
} from '../support/mails.ts';

const INBOX = /We sent you an invite\. Check your inbox\./;

forEachEngine((engine) => {
  describe('the status page of a person who is invited', () => {
    let server: MailServer;
    let service: Mailing;
    let without: Mailing;
    withMailing(engine, (made) => {
      ({ server, service } = made);
    });
    before(async () => {
      without = await startMailing(engine);
    });
    after(() => without.close());

    const statusPath = async (list: List) => {
      const { id } = (await list.lookup('ada@example.com')).body;
      return `/s/${signLink(await list.queue(), 'status', { id, at: Date.now() })}`;
    };
    const invited = async (on: Mailing, kinds: ('invite' | 'welcome')[]) => {
      const list = await mailingList(on, kinds);
      await list.signup({ email: 'ada@example.com' });
      await list.invite('ada@example.com');
      return { list, path: await statusPath(list) };
    };
    const page = async (on: Mailing, path: string, lang = 'en') =>
      (await on.request('GET', `${path}?lang=${lang}`, { headers: { accept: 'text/html' } })).text;

    it('mentions the inbox once a mail server took the email', async () => {
      const { list, path } = await invited(service, ['invite']);
      await mailsArrived(server, list, 1);
      await mailInState(service, await list.queue(), 'sent');
      const text = await page(service, path);
      assert.match(text, /It’s your turn/);
      assert.match(text, INBOX);
    });

    it('only says that they are invited without a mail server', async () => {
      const { list, path } = await invited(without, ['invite']);
      await mailInState(without, await list.queue(), 'kept');
      for (const language of LANGUAGES) {
        const { invited: turn, inviteSent } = textsIn(language).status;
        const text = await page(without, path, language);
        assert.ok(text.includes(turn.title), language);
        assert.ok(text.includes(turn.text), language);
        assert.ok(!text.includes(inviteSent), language);
      }
    });

    it('only says that they are invited if invites are not emailed, or only an earlier one was', async () => {
      const { list, path } = await invited(service, ['invite']);
      await mailInState(service, await list.queue(), 'sent');
      await revokeMany(service.context, await list.queue());
      await updateMailSettings(service.context, list.id, { kinds: ['welcome'] });
      await list.invite('ada@example.com');
      await nothingPending(service.context, list);
      const text = await page(service, path);
      assert.match(text, /You’re invited\./);
      assert.doesNotMatch(text, INBOX);
    });

    it('tells an open page when the email was sent', async () => {
      const { list, path } = await invited(service, ['invite']);
      await mailInState(service, await list.queue(), 'sent');
      const { body } = await service.request<{ status: string; statusText: string }>('GET', path, {
        headers: { accept: 'application/json' },
      });
      assert.equal(body.status, 'invited');
      assert.match(body.statusText, INBOX);
    });
  });
});
