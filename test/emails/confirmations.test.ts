import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import { hashOf, suppress } from '../../src/waitlist/links/suppression.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { type DocumentedClient, documentedClient } from '../support/documented-client.ts';
import { assertError, forEachEngine } from '../support/harness.ts';
import type { MailServer } from '../support/mail-server.ts';
import {
  type Mailing,
  type MailingList,
  mailingList,
  mailsArrived,
  mailsOf,
  nothingPending,
  startMailing,
  withMailing,
} from '../support/mails.ts';
import { command, typed } from '../support/terminal.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

interface Warned {
  warnings: { code: string; message: string }[];
}
interface Mailable {
  mailable: boolean;
  reason: string | null;
}
interface Counts {
  asked: number;
  withoutEmail: number;
  bounced: number;
  recent: number;
  mailable: Mailable;
}
interface Job {
  id: string;
  kind: string;
  state: string;
  total: number;
  result: unknown;
}
interface PersonMail {
  kinds: (Mailable & { kind: string })[];
  suppressions: { reason: string }[];
  lastMail: { kind: string; state: string; error: string | null; response: string | null } | null;
}

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
  const again = ({ id }: MailingList, entryId: string) =>
    admin.call<{ mailable: Mailable }>(
      'resendConfirmation',
      'POST',
      `/waitlists/${id}/entries/${entryId}/confirmation`,
    );
  const all = <T = Job>({ id }: MailingList, body?: object) =>
    admin.call<T>(
      'resendConfirmations',
      'POST',
      `/waitlists/${id}/mails/confirmations`,
      body ? { body } : {},
    );

  describe('confirmation that is required', () => {
    it('comes with a warning while its email is off, wherever that is set', async () => {
      const list = await mailingList(service, ['welcome']);
      const patch = (path: string, operation: string, body: object) =>
        admin.call<Warned>(operation, 'PATCH', `/waitlists/${list.id}${path}`, { body });
      const on = await patch('', 'updateWaitlist', { confirmEmails: true });
      assert.deepEqual(
        [on.status, on.body.warnings.map(({ code }) => code)],
        [200, ['confirmation_not_sent']],
      );
      assert.match(
        on.body.warnings[0]?.message ?? '',
        /^New people stay pending.*Only people who use the form/,
      );
      const mail = await patch('/mail/settings', 'updateMailSettings', { kinds: ['confirm'] });
      assert.deepEqual(mail.body.warnings, []);
      const off = await patch('/mail/settings', 'updateMailSettings', { kinds: [] });
      assert.equal(off.body.warnings.length, 1);
      const { out } = await typed(
        service.storage.environment,
        ...['waitlist', 'update', list.id, '--confirm', 'on'],
      );
      assert.match(out, /^Updated wl_\S+ New people stay pending/);
    });

    it('can be asked for again: of one person, who must be pending', async () => {
      const list = await mailingList(service, ['confirm'], { confirm: true });
      await list.signup({ email: 'ada@example.com' }, { phone: '+14155550101' });
      await mailsArrived(server, list, 1);
      const id = await idOf(list, 'ada@example.com');
      for (const count of [2, 3]) {
        const answer = await again(list, id);
        assert.deepEqual([answer.status, answer.body.mailable.mailable], [200, true], answer.text);
        await mailsArrived(server, list, count);
      }
      assert.equal((await admin.audited('confirmation.resent')).object.id, id);
      const [, second] = mailsOf(server, list);
      const link = /\/confirm\/[\w-]+/.exec(second?.parsed.text ?? '')?.[0] ?? '';
      assert.equal((await service.request('POST', link)).status, 200);
      assertError(await again(list, id), 409, 'conflict', /nothing to confirm: the entry is waiting/);
      assertError(await again(list, 'ent_06gxx2p9r1yn1vp1ryss481fhw'), 404, 'not_found');
      const phone = await idOf(list, '+14155550101');
      assertError(await again(list, phone), 409, 'conflict');
      await list.signup({ email: 'bob@example.com' });
      await nothingPending(service.context, list);
      await updateMailSettings(service.context, list.id, { kinds: [] });
      assertError(await again(list, await idOf(list, 'bob@example.com')), 409, 'conflict', /turned off/);
    });

    it('can be asked for again: of everyone who can be emailed, once a day', async () => {
      const list = await mailingList(service, [], { confirm: true });
      const names = Array.from({ length: 250 }, (_, n) => `p${n}@example.com`);
      for (const some of [names.slice(0, 100), names.slice(100, 200), names.slice(200)])
        await list.signup(...some.map((email) => ({ email })));
      assertError(await all(list), 409, 'conflict', /is off for this waitlist/);
      const queue = await list.queue();
      await suppress(service.context.db.query, queue, hashOf(queue, 'p7@example.com'), 'bounced', 0);
      await suppress(service.context.db.query, queue, hashOf(queue, 'p8@example.com'), 'unsubscribed', 0);
      await updateMailSettings(service.context, list.id, { kinds: ['confirm'] });
      await list.signup({ email: 'mailed@example.com' });
      await mailsArrived(server, list, 1);
      await nothingPending(service.context, list);
      const dry = await all<Counts>(list, { dryRun: true });
      const counts = { asked: 249, withoutEmail: 0, bounced: 1, recent: 1 };
      assert.deepEqual({ ...dry.body, mailable: dry.body.mailable.reason }, { ...counts, mailable: null });
      const words = ['mail', 'send-confirmations', '--waitlist', list.id];
      const printed = await typed(service.storage.environment, ...words, '--dry-run');
      assert.match(printed.out, /^Would send \d+ emails\. Skipped: 1 whose address bounced/);
      const started = await all(list);
      assert.deepEqual([started.status, started.body.kind, started.body.total], [202, 'mail-confirm', 251]);
      await service.runJobs();
      const job = await admin.call<Job>('getJob', 'GET', `/jobs/${started.body.id}`);
      const result = { resent: 249, skipped: 2, withoutEmail: 0, bounced: 1, recent: 1 };
      assert.deepEqual([job.body.state, job.body.result], ['done', result]);
      service.wake();
      await mailsArrived(server, list, 250);
      await nothingPending(service.context, list);
      assert.equal((await all<Counts>(list, { dryRun: true })).body.asked, 0);
      service.clock.advance(DAY_MS + 1);
      assert.equal((await all<Counts>(list, { dryRun: true })).body.asked, 250);
    });
  });

  describe('what support sees of a person', () => {
    it('is whether they can be emailed, why not, and what the mail server said', async () => {
      const list = await mailingList(service, ['welcome', 'invite']);
      server.refuseRecipient = (address) =>
        address === 'gone@example.com' ? '550 5.1.1 No such mailbox here' : undefined;
      await list.signup({ email: 'gone@example.com' }, { email: 'here@example.com' });
      await nothingPending(service.context, list);
      const support = await documentedClient(service, 'support');
      const about = async (email: string) => {
        const path = `/waitlists/${list.id}/entries/${await idOf(list, email)}/mail`;
        return (await support.call<PersonMail>('getEntryMail', 'GET', path)).body;
      };
      const gone = await about('gone@example.com');
      assert.deepEqual(
        gone.kinds.filter(({ kind }) => kind === 'invite').map(({ mailable, reason }) => [mailable, reason]),
        [[false, 'bounced']],
      );
      assert.deepEqual(
        gone.suppressions.map(({ reason }) => reason),
        ['bounced'],
      );
      assert.equal(gone.lastMail?.state, 'failed');
      assert.match(gone.lastMail?.response ?? '', /No such mailbox here/);
      const here = await about('here@example.com');
      assert.deepEqual([here.suppressions, here.lastMail?.state], [[], 'sent']);
      const path = `/waitlists/${list.id}/suppressions/gone%40example.com`;
      assert.equal((await admin.call('removeSuppression', 'DELETE', path)).status, 200);
      assert.deepEqual((await about('gone@example.com')).suppressions, []);
      server.refuseRecipient = () => undefined;
    });

    it('finds emails by the exact address, whether or not the person signed up', async () => {
      const list = await mailingList(service, ['welcome', 'invite']);
      await list.signup({ email: 'Ada@example.com' }, { email: 'other@example.com' });
      await list.invite('ada@example.com');
      await list.invite('stranger@example.com');
      await nothingPending(service.context, list);
      const find = (query: string) =>
        admin.call<{ mails: { kind: string; to: string }[] }>(
          'listMails',
          'GET',
          `/waitlists/${list.id}/mails?${query}`,
        );
      const kinds = async (email: string) =>
        (await find(`email=${encodeURIComponent(email)}`)).body.mails.map(({ kind }) => kind).sort();
      assert.deepEqual(await kinds('ADA@example.com'), ['invite', 'welcome']);
      assert.deepEqual(await kinds('stranger@example.com'), ['invite']);
      assert.deepEqual(await kinds('da@example.com'), []);
      assertError(await find('email=ada'), 400, 'invalid_request', 'email: not an email address');
      assertError(await find('email=ada@example.com&state=sent'), 400, 'invalid_request', /^email: cannot/);
      const { json } = await command<{ mails: unknown[] }>(
        service.storage.environment,
        ...['mail', 'list', '--waitlist', list.id, '--to', 'ada@example.com'],
      );
      assert.equal(json.mails.length, 2);
    });
  });

  describe('confirmation without a mail server', () => {
    let unsent: Mailing;
    before(async () => {
      unsent = await startMailing(engine);
    });
    after(() => unsent.close());

    it('is warned about, and not sent again to everyone', async () => {
      const client = await documentedClient(unsent, 'admin');
      const list = await mailingList(unsent, ['confirm']);
      await updateWaitlist(unsent.context, list.id, { confirmEmails: true });
      await list.signup({ email: 'ada@example.com' });
      const status = await client.call<Warned>('getMailStatus', 'GET', `/waitlists/${list.id}/mail/status`);
      assert.match(
        status.body.warnings[0]?.message ?? '',
        /there is no mail server, so the email with the link is kept/,
      );
      const path = `/waitlists/${list.id}/mails/confirmations`;
      assertError(await client.call('resendConfirmations', 'POST', path), 409, 'conflict', /no mail server/);
      const id = (await list.lookup('ada@example.com')).body.id;
      const one = await client.call<{ mailable: Mailable }>(
        'resendConfirmation',
        'POST',
        `/waitlists/${list.id}/entries/${id}/confirmation`,
      );
      assert.deepEqual([one.status, one.body.mailable.reason], [200, 'no_mail_server']);
    });
  });
});
