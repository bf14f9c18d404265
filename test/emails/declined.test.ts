import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { LANGUAGES } from '../../src/languages/languages.ts';
import { previewMail } from '../../src/mail/preview.ts';
import { resendMail } from '../../src/mail/resend.ts';
import type { OptionalKind } from '../../src/mail/templates/kinds.ts';
import { createRule } from '../../src/waitlist/decisions/rules.ts';
import { hashOf, suppress } from '../../src/waitlist/links/suppression.ts';
import { downloadOwnData, exportPerson } from '../../src/waitlist/transfer/export/export-person.ts';
import type { PresentedEntry } from '../../src/wire/entry.ts';
import { presentOwnData, presentPerson } from '../../src/wire/export.ts';
import { type AskInRoles, askInRoles, auditOf, succeeded } from '../support/admin.ts';
import { assertError, forEachEngine, type List } from '../support/harness.ts';
import type { MailServer } from '../support/mail-server.ts';
import {
  allSent,
  countMails,
  header,
  type Mailing,
  mailInState,
  mailingList,
  mailPutOff,
  mailsArrived,
  nothingPending,
  PUBLIC_URL,
  withMailing,
} from '../support/mails.ts';
import { jsonOf, typed } from '../support/terminal.ts';

const ADA = 'ada@example.com';
/** Everybody: a decision needs a condition. */
const ALL = { minReferrals: 0 };
const DAY_MS = 24 * 60 * 60 * 1000;
const OFF = /^email: emails about declines are turned off for this waitlist$/;

forEachEngine('claims', (engine) => {
  describe('the email about a decline', () => {
    let server: MailServer;
    let service: Mailing;
    let ask: AskInRoles;
    withMailing(engine, (made) => {
      ({ server, service } = made);
    });
    before(async () => {
      ask = await askInRoles(service, 'support');
    });

    const decide = async (list: List, who: string, verb: string, body: object = {}) => {
      const { id } = (await list.lookup(who)).body;
      return ask<PresentedEntry>('POST', `/waitlists/${list.id}/entries/${id}/${verb}`, { body });
    };
    const decideMany = (list: List, body: object) =>
      ask<{ id: string }>('POST', `/waitlists/${list.id}/decisions`, { body });
    const people = async (kinds: OptionalKind[], ...emails: string[]) => {
      const list = await mailingList(service, kinds);
      await list.signup(...emails.map((email) => ({ email })));
      return list;
    };

    it('goes once to whoever is declined with it, in their language, and can be unsubscribed from', async () => {
      const list = await mailingList(service, ['declined']);
      await list.signup({ email: ADA }, { email: 'bea@example.com', metadata: { locale: 'de' } });
      succeeded(await decide(list, ADA, 'decline', { email: true, note: 'Not an agency.' }));
      succeeded(await decide(list, 'bea@example.com', 'decline', { email: true }));
      assertError(await decide(list, ADA, 'decline', { email: true }), 409, 'conflict');
      const mails = await mailsArrived(server, list, 2);
      const [ada, bea] = [ADA, 'bea@example.com'].map((email) => mails.find(({ to }) => to[0] === email));
      assert.ok(ada);
      assert.equal(ada.parsed.subject, `About your place on the ${list.name} waitlist`);
      assert.equal(bea?.parsed.subject, `Zu deinem Platz auf der Warteliste für ${list.name}`);
      for (const part of [ada.parsed.text ?? '', ada.parsed.html ?? '']) {
        assert.match(part, /we can’t offer you a place right now/);
        assert.match(part, /this address was added to the/);
        assert.doesNotMatch(part, /agency|\/s\//);
      }
      assert.match(header(ada, 'list-unsubscribe') ?? '', /\/unsubscribe\//);
      await allSent(service, await list.queue());
      assert.equal(await countMails(service.context, list), 2);
      const { id } = (await list.lookup(ADA)).body;
      const records = await auditOf(service, `entry:${id}`);
      assert.deepEqual(
        records.map(({ action, details }) => [action, details.after]),
        [['entry.declined', { email: true }]],
      );
    });

    it('is not sent unless somebody asks for it, and never by a rule', async () => {
      const list = await people(['declined'], ADA, 'bea@example.com');
      succeeded(await decide(list, ADA, 'decline'));
      succeeded(await decide(list, 'bea@example.com', 'decline', { email: false }));
      const rule = { when: { domain: 'free.example' }, outcome: 'decline' } as const;
      await createRule(service.context, await list.queue(), rule);
      await list.signup({ email: 'cy@free.example' });
      assert.equal((await list.page({ status: 'declined' })).body.total, 3);
      assert.equal(await countMails(service.context, list), 0);
    });

    it('goes to nobody without an email, and to no suppressed address', async () => {
      const list = await people(['declined'], ADA);
      await list.signup({ phone: '+14155550123' });
      const queue = await list.queue();
      await suppress(service.context.db.query, queue, hashOf(queue, ADA), 'unsubscribed', 0);
      const answer = await decideMany(list, { decision: 'decline', segment: ALL, email: true });
      succeeded(answer, 202);
      await service.runJobs();
      assert.equal((await list.page({ status: 'declined' })).body.total, 2);
      await nothingPending(service.context, list);
      const { to, error } = await mailInState(service, queue, 'failed');
      assert.deepEqual([to, error], [ADA, 'not sent: the address is suppressed (unsubscribed)']);
      assert.equal(await countMails(service.context, list), 1);
    });

    it('is asked for in vain while it is turned off: nobody is declined', async () => {
      const list = await people(['invite'], ADA);
      assertError(await decide(list, ADA, 'decline', { email: true }), 409, 'conflict', OFF);
      const many = { decision: 'decline', segment: ALL, email: true };
      assertError(await decideMany(list, many), 409, 'conflict', OFF);
      assert.equal((await list.lookup(ADA)).body.status, 'waiting');
      const { id } = (await list.lookup(ADA)).body;
      assert.deepEqual(await auditOf(service, `entry:${id}`), []);
      const jobs = await ask<{ jobs: object[] }>('GET', `/waitlists/${list.id}/jobs`);
      assert.deepEqual(jobs.body.jobs, []);
    });

    it('belongs to a decline, and to nothing else', async () => {
      const list = await people(['declined'], ADA);
      for (const verb of ['approve', 'reconsider'])
        assertError(await decide(list, ADA, verb, { email: true }), 400, 'invalid_request', /email/);
      for (const decision of ['approve', 'reconsider'])
        for (const email of [true, false]) {
          const message = /^email: can only be combined with decline$/;
          const answer = await decideMany(list, { decision, segment: ALL, email });
          assertError(answer, 400, 'invalid_request', message);
        }
      assertError(await decide(list, ADA, 'decline', { email: 'yes' }), 400, 'invalid_request', /email/);
      assert.equal((await list.lookup(ADA)).body.status, 'waiting');
    });

    it('goes to each of many once', async () => {
      const emails = Array.from({ length: 30 }, (_, n) => `p${n}@example.com`);
      const list = await people(['declined'], ...emails);
      const preview = { decision: 'decline', segment: ALL, email: true, dryRun: true };
      assert.equal(
        succeeded(await ask<{ count: number }>('POST', `/waitlists/${list.id}/decisions`, { body: preview }))
          .count,
        30,
      );
      assert.equal(await countMails(service.context, list), 0);
      succeeded(await decideMany(list, { decision: 'decline', segment: ALL, email: true }), 202);
      await service.runJobs();
      const mails = await mailsArrived(server, list, 30);
      assert.deepEqual(mails.flatMap(({ to }) => to).sort(), emails.toSorted());
    });

    it('is not sent once the decline was taken back, also if there is another decline', async () => {
      const list = await people(['declined'], ADA);
      const queue = await list.queue();
      server.refuseMail = () => '451 4.3.0 Not now';
      succeeded(await decide(list, ADA, 'decline', { email: true }));
      const { id } = await mailPutOff(service, queue);
      succeeded(await decide(list, ADA, 'reconsider'));
      server.refuseMail = () => undefined;
      service.clock.advance(DAY_MS);
      service.wake();
      await nothingPending(service.context, list);
      const { error } = await mailInState(service, queue, 'failed');
      assert.equal(error, 'not sent: the decline was taken back');
      succeeded(await decide(list, ADA, 'decline'));
      await assert.rejects(resendMail(service.context, queue, id, {}), /the decline was taken back/);
      await ask('DELETE', `/waitlists/${list.id}/entries/${(await list.lookup(ADA)).body.id}`, { body: {} });
      await assert.rejects(resendMail(service.context, queue, id, {}), /the person was removed/);
      assert.equal(await countMails(service.context, list), 1);
    });

    it('has a template in each language, which can be previewed, changed and tested', async () => {
      const list = await people(['declined'], ADA);
      const at = `/waitlists/${list.id}/mail/templates/declined`;
      const sending = { publicUrl: PUBLIC_URL, defaultFrom: 'x@y.z' };
      const subjects = new Set<string>();
      for (const language of LANGUAGES) {
        const preview = { kind: 'declined', language } as const;
        const { subject, text } = await previewMail(service.context, await list.queue(), preview, sending);
        assert.ok(subject.includes(list.name) && text.includes(list.name), language);
        subjects.add(subject);
      }
      assert.equal(subjects.size, LANGUAGES.length);
      const role = 'admin';
      succeeded(await ask('PUT', at, { role, body: { subject: 'Sorry', body: 'Not {{ waitlist }}.' } }));
      const wrong = { subject: 'Sorry', body: '{{ position }}' };
      assertError(await ask('PUT', at, { role, body: wrong }), 400, 'invalid_request', /position/);
      succeeded(await ask('POST', `${at}/test`, { role, body: { to: 'team@example.com' } }), 202);
      const [tested] = await mailsArrived(server, list, 1);
      assert.equal(tested?.parsed.subject, '[Test] Sorry');
      succeeded(await decide(list, ADA, 'decline', { email: true }));
      const mails = await mailsArrived(server, list, 2);
      assert.equal(mails.find(({ to }) => to[0] === ADA)?.parsed.subject, 'Sorry');
    });

    it('is part of what is exported, but not of what people download, because it may not have been sent', async () => {
      const list = await people(['declined'], ADA);
      const queue = await list.queue();
      succeeded(await decide(list, ADA, 'decline', { email: true }));
      const all = presentPerson(await exportPerson(service.context, queue, ADA));
      assert.equal(all.events.filter(({ kind }) => kind === 'email.declined').length, 1);
      const { id } = (await list.lookup(ADA)).body;
      const own = presentOwnData(await downloadOwnData(service.context, queue, id));
      assert.doesNotMatch(JSON.stringify(own), /declined/);
    });

    it('is asked for by a flag of the commands', async () => {
      const list = await people(['declined'], ADA, 'bea@example.com', 'cy@example.com');
      const { environment } = service.storage;
      const on = ['--waitlist', list.id];
      await jsonOf(environment, 'entry', 'decline', ADA, ...on, '--send-email');
      assert.equal(await countMails(service.context, list), 1);
      const many = ['entry', 'decide', 'decline', ...on, '--min-referrals', '0'];
      const wrong = await typed(environment, ...many.with(2, 'approve'), '--send-email');
      assert.match(wrong.error, /--send-email: can only be combined with decline/);
      assert.notEqual(wrong.code, 0);
      assert.equal((await typed(environment, ...many, '--send-email')).out, '2 people declined.');
      assert.equal(await countMails(service.context, list), 3);
      await ask('PATCH', `/waitlists/${list.id}/mail/settings`, { role: 'admin', body: { kinds: [] } });
      await list.signup({ email: 'dan@example.com' });
      const off = await typed(environment, ...many, '--send-email');
      assert.match(off.error, /--send-email: emails about declines are turned off/);
      assert.equal((await list.lookup('dan@example.com')).body.status, 'waiting');
    });
  });
});
