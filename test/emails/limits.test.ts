import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { startOutbox } from '../../src/installation/start-outbox.ts';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import { countBacklog, glanceAtBacklog } from '../../src/outbox/backlog.ts';
import { listInvites } from '../../src/waitlist/invites/browse-invites.ts';
import { hashOf } from '../../src/waitlist/links/suppression.ts';
import { glanceAtDeliveries } from '../../src/waitlist/upkeep/health.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { changeWave, createWave } from '../../src/waitlist/waves/change-waves.ts';
import { readWave } from '../../src/waitlist/waves/waves.ts';
import { crowdEmail, fillQueue } from '../support/crowd.ts';
import { type DocumentedClient, documentedClient } from '../support/documented-client.ts';
import { assertError, forEachEngine, START } from '../support/harness.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import {
  type Mailing,
  type MailingList,
  mailingList,
  mailsArrived,
  mailsOf,
  nothingPending,
  startMailing,
} from '../support/mails.ts';
import { ok, startReceiver, status } from '../support/receiver.ts';
import { listen } from '../support/recorded-events.ts';
import { command, typed } from '../support/terminal.ts';
import { endpointFor, until } from '../support/webhooks.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MORNINGS = { timeZone: 'Europe/Berlin', time: '09:00', repeat: 'daily' } as const;
/** The first morning after the start. */
const FIRST = Date.UTC(2026, 10, 16, 8);

interface Sending {
  sent: number;
  bounced: number;
  complained: number;
  bounceRate: number | null;
  complaintRate: number | null;
  bouncePercent: number | null;
  complaintPercent: number | null;
  paused: boolean;
  pauseReason: string | null;
  waiting: number;
  warmUp: { today: number; sentToday: number } | null;
}

forEachEngine((engine) => {
  let server: MailServer;
  let service: Mailing;
  let admin: DocumentedClient;
  before(async () => {
    server = await startMailServer();
    service = await startMailing(engine, server);
    admin = await documentedClient(service, 'admin');
  });
  after(async () => {
    await service.close();
    await server.close();
  });

  const pathOf = ({ id }: MailingList) => `/waitlists/${id}/mail/sending`;
  const sending = async (list: MailingList) =>
    (await admin.call<Sending>('getMailSending', 'GET', pathOf(list))).body;
  const change = (list: MailingList, body: object) =>
    admin.call<Sending>('updateMailSending', 'PATCH', pathOf(list), { body });
  const report = async (list: MailingList, type: 'bounce' | 'complaint', emails: readonly string[]) => {
    const events = emails.map((email) => ({ type, email }));
    const answer = await service.request('POST', await list.mailEvents(), { body: { events } });
    assert.equal(answer.status, 200, answer.text);
  };
  const sentBefore = async (list: MailingList, delivered: number) => {
    const { id } = await list.queue();
    const hour = service.clock.now - (service.clock.now % HOUR_MS);
    const target = { queue_id: id, channel: 'email', target_id: Buffer.from('mail') };
    await service.context.db.transaction(async (trx) =>
      trx.insert('delivery_stat', [{ ...target, hour, delivered, kept: 0, failed: 0, retried: 0 }]),
    );
  };
  /** As if a mail server had taken an email to each: without it, a report about an address counts nothing. */
  const emailed = async (list: MailingList, emails: readonly string[]) => {
    const queue = await list.queue();
    const event_ids = emails.map(() => randomBytes(16));
    const target = { queue_id: queue.id, channel: 'email', target_id: Buffer.from('mail') };
    const at = service.clock.now;
    await service.context.db.transaction(async (trx) => {
      for (const [n, event_id] of event_ids.entries()) {
        trx.insert('event_subject', [
          { queue_id: queue.id, subject: hashOf(queue, emails[n] ?? ''), event_id },
        ]);
        trx.insert('delivery', [
          {
            ...target,
            event_id,
            due_at: null,
            token: null,
            tries: 1,
            attempts: 1,
            delivered_at: at,
            failed_at: null,
          },
        ]);
        const attempt = { attempt: 1, at, duration_ms: 1, status: 250, error: null, response: null };
        trx.insert('delivery_attempt', [{ ...target, event_id, ...attempt }]);
      }
    });
  };
  /** A waitlist with 100 emails sent, of which these many bounced. */
  const bouncing = async (bounces: number) => {
    const list = await mailingList(service, ['invite']);
    const emails = Array.from({ length: bounces }, (_, n) => `bounce${n}@example.com`);
    await list.signup(...emails.map((email) => ({ email })));
    await sentBefore(list, 100);
    await emailed(list, emails);
    await report(list, 'bounce', emails);
    return list;
  };

  describe('a wave whose emails bounce', () => {
    it('pauses, says why, goes on when the rate is below the limit, and loses nothing', async () => {
      service.clock.now = START;
      const list = await mailingList(service, ['invite']);
      const queue = await list.queue();
      await fillQueue(service.context, queue, 1_000);
      const told = await listen(service.context, queue);
      const plan = { name: 'Mornings', count: 500, schedule: MORNINGS, failurePercent: null };
      const { id } = await createWave(service.context, queue, plan);
      service.clock.now = FIRST;
      await keepUp(service.context);
      await service.runJobs();
      await until('100 emails are counted', async () => (await sending(list)).sent >= 100);
      const arrived = mailsOf(server, list).flatMap(({ to }) => to);
      const unreachable = [995, 996, 997, 998, 999].map(crowdEmail);
      await report(list, 'bounce', [...arrived.slice(0, 60), ...unreachable]);

      const { paused, pauseReason, bounced } = await sending(list);
      assert.deepEqual([paused, bounced], [true, 60], 'without those whom no email was sent to yet');
      assert.match(pauseReason ?? '', /^60 hard bounces of \d+ emails sent \([\d.]+%; the limit is 10%\)$/);
      const wave = await readWave(service.context, queue, id);
      assert.deepEqual([wave.state, wave.resumesItself], ['paused', true]);
      assert.equal(wave.pauseReason, `emails of the waitlist are paused: ${pauseReason}`);
      const { data } = (await told()).find(({ event }) => event === 'wave.paused') ?? {};
      assert.deepEqual((data as { wave: unknown }).wave, {
        ...{ id, name: 'Mornings', pauseReason: wave.pauseReason, resumesItself: true },
      });

      const beingSent = async () => {
        const { sent, waiting } = await sending(list);
        return 500 - sent - waiting;
      };
      await allOf('what is being sent ends', beingSent);
      service.clock.now = FIRST + DAY_MS;
      await keepUp(service.context);
      await service.runJobs();
      // What a dispatcher has taken while the clock steps by a week may be sent twice.
      await until('what is due was taken', async () => {
        const due = await service.context.db.query
          .selectFrom('delivery')
          .select('event_id')
          .where('queue_id', '=', queue.id)
          .where('channel', '=', 'email')
          .where('due_at', '<=', service.clock.now)
          .execute();
        return due.length === 0;
      });
      await allOf('what is being sent ends', beingSent);
      assert.equal((await readWave(service.context, queue, id)).invited, 500);

      service.clock.now = FIRST + 8 * DAY_MS; // What bounced is no longer of the last 7 days.
      await Promise.all([keepUp(service.context), keepUp(service.context)]);
      await keepUp(service.context);
      await service.runJobs();
      assert.equal((await readWave(service.context, queue, id)).invited, 1_000);
      await allGone(list);
      const invited = await listInvites(service.context, queue, { limit: 1_000 });
      assert.equal(new Set(invited.map(({ email }) => email)).size, 1_000);
      const recipients = mailsOf(server, list).flatMap(({ to }) => to);
      assert.equal(recipients.length, 995);
      const missing = invited.filter(({ email }) => !recipients.includes(email ?? ''));
      assert.deepEqual(missing.map(({ email }) => email).sort(), unreachable);
    });

    it('does not pause for addresses that had bounced before, which get no email', async () => {
      service.clock.now = START;
      const list = await mailingList(service, ['invite']);
      const queue = await list.queue();
      await fillQueue(service.context, queue, 20);
      await report(list, 'bounce', [0, 1, 2, 3, 4, 5].map(crowdEmail));
      const plan = { name: 'Mornings', count: 10, schedule: MORNINGS };
      const { id } = await createWave(service.context, queue, plan);
      service.clock.now = FIRST;
      await keepUp(service.context);
      await allGone(list);
      assert.equal(mailsOf(server, list).length, 4);
      service.clock.now = FIRST + DAY_MS;
      await keepUp(service.context);
      const { pauseReason, invited } = await readWave(service.context, queue, id);
      assert.deepEqual([pauseReason, invited], [null, 20]);
    });
  });

  it('a wave pauses when a receiver refuses its webhooks, long before they are given up', async (test) => {
    service.clock.now = START;
    const receiver = await startReceiver(status(500));
    test.after(() => receiver.close());
    const list = await mailingList(service, []);
    const queue = await list.queue();
    await fillQueue(service.context, queue, 20);
    await endpointFor(service.context, queue, receiver.url, { events: ['invite.sent'] });
    const { id } = await createWave(service.context, queue, { name: 'Trickle', keepOpen: 10 });
    await keepUp(service.context);
    for (const [index, afterMs] of [0, 5_000, 5 * MINUTE_MS].entries()) {
      service.clock.now += afterMs;
      service.wake();
      await until(`attempt ${index + 1} has failed`, async () => {
        const attempts = await service.context.db.query
          .selectFrom('delivery_attempt')
          .select('attempt')
          .where('queue_id', '=', queue.id)
          .where('channel', '=', 'webhook')
          .execute();
        return attempts.length === 10 * (index + 1);
      });
    }
    await changeWave(service.context, queue, id, { keepOpen: 20 });
    await keepUp(service.context);
    const { state, pauseReason, invited } = await readWave(service.context, queue, id);
    assert.deepEqual([state, invited], ['paused', 10]);
    assert.match(pauseReason ?? '', /^10 of the last 10 invites could not be delivered by email or webhook/);
    receiver.answer = ok;
    service.clock.now += HOUR_MS;
    service.wake();
    await nothingPending(service.context, list);
  });

  describe('emails of a waitlist above a limit', () => {
    it('wait, except for those that somebody waits for, and other waitlists go on', async () => {
      const [held, other] = [await bouncing(11), await bouncing(10)];
      assert.deepEqual([(await sending(held)).paused, (await sending(other)).paused], [true, false]);
      await updateMailSettings(service.context, held.id, { kinds: ['welcome', 'invite'] });
      await held.invite('invited@example.com');
      await other.invite('invited@example.com');
      await held.signup({ email: 'new@example.com' });
      await until('the invite waits', async () => (await sending(held)).waiting === 1);
      const status = await admin.call<{ kinds: { kind: string; reason: string | null }[] }>(
        ...(['getMailStatus', 'GET', `/waitlists/${held.id}/mail/status`] as const),
      );
      const reasons = new Map(status.body.kinds.map(({ kind, reason }) => [kind, reason]));
      assert.deepEqual([reasons.get('invite'), reasons.get('welcome')], ['sending_paused', null]);
      await mailsArrived(server, other, 1);
      const [first] = await mailsArrived(server, held, 1);
      assert.deepEqual(first?.to, ['new@example.com']);
      const { body } = await admin.call<{ findings: { ok: boolean; detail: string }[] }>(
        ...(['getHealth', 'GET', '/health'] as const),
      );
      const said = body.findings.filter(({ ok, detail }) => !ok && detail.includes(held.id));
      assert.equal(said.length, 1);
      assert.match(said[0]?.detail ?? '', /11 hard bounces of 10\d emails sent/);
      await change(held, { bouncePercent: null });
      assert.equal((await mailsArrived(server, held, 2)).length, 2);
    });

    it('go on when an operator says so, and counting starts anew', async () => {
      const list = await bouncing(20);
      const queue = await list.queue();
      await list.invite('invited@example.com');
      await until('the invite waits', async () => (await sending(list)).waiting === 1);
      const wave = await createWave(service.context, queue, { name: 'New', keepOpen: 3 });
      service.clock.advance(MINUTE_MS);
      await keepUp(service.context);
      assert.equal((await readWave(service.context, queue, wave.id)).resumesItself, true);
      const path = `/waitlists/${list.id}/waves/${wave.id}`;
      const refused = await admin.call('updateWave', 'PATCH', path, { body: { paused: false } });
      assertError(refused, 409, 'conflict');

      const { body } = await change(list, { paused: false });
      assert.deepEqual([body.paused, body.bounced], [false, 0]);
      assert.ok(body.sent <= 1, 'none but the one that waited, which may be gone already');
      assert.equal((await readWave(service.context, queue, wave.id)).state, 'scheduled');
      await mailsArrived(server, list, 1);
      const { before, object } = await admin.audited('mail_sending.resumed');
      assert.match(String(before?.pauseReason), /^20 hard bounces/);
      assert.equal(object.id, list.id);
      service.clock.advance(1);
      await report(list, 'bounce', ['invited@example.com']);
      await until('the email is counted', async () => (await sending(list)).sent === 1);
      const counted = await sending(list);
      assert.deepEqual([counted.paused, counted.sent, counted.bounced], [false, 1, 1]);
    });

    it('hold up no emails of others, even if one of them is damaged', async () => {
      const list = await bouncing(20);
      const { id } = await list.queue();
      await list.invite('damaged@example.com');
      await until('the invite waits', async () => (await sending(list)).waiting === 1);
      await service.context.db.query
        .updateTable('event')
        .set({ body: Buffer.from('damaged') })
        .where('queue_id', '=', id)
        .execute();
      service.clock.advance(HOUR_MS); // It is looked at again.
      service.wake();
      const other = await mailingList(service, ['invite']);
      await other.invite('invited@example.com');
      await mailsArrived(server, other, 1);
      await service.context.db.query.deleteFrom('delivery').where('queue_id', '=', id).execute(); // It stays pending.
    });

    it('count complaints on their own, and only from enough emails and reports on', async () => {
      const list = await bouncing(4);
      await change(list, { bouncePercent: 1 });
      assert.equal((await sending(list)).paused, false, 'fewer than 5');
      const emails = Array.from({ length: 5 }, (_, n) => `angry${n}@example.com`);
      await list.signup(...emails.map((email) => ({ email })));
      await emailed(list, emails);
      await report(list, 'complaint', emails.slice(0, 4));
      assert.equal((await sending(list)).paused, false);
      await report(list, 'complaint', emails);
      const { paused, pauseReason } = await sending(list);
      assert.equal(paused, true);
      assert.match(pauseReason ?? '', /^5 spam complaints of 100 emails sent \(5%; the limit is 0\.5%\)$/);
    });

    it('are not judged by fewer than 50', async () => {
      const list = await mailingList(service, ['invite']);
      const emails = Array.from({ length: 20 }, (_, n) => `few${n}@example.com`);
      await list.signup(...emails.map((email) => ({ email })));
      await sentBefore(list, 49);
      await emailed(list, emails);
      await report(list, 'bounce', emails);
      const { paused, bounced, bounceRate, complaintRate } = await sending(list);
      assert.deepEqual([paused, bounced, bounceRate, complaintRate], [false, 20, null, null]);
    });

    it('are shown as a rate from 50 on', async () => {
      const list = await mailingList(service, ['invite']);
      await list.signup({ email: 'one@example.com' });
      await sentBefore(list, 50);
      await emailed(list, ['one@example.com']);
      await report(list, 'bounce', ['one@example.com']);
      const { bounceRate, complaintRate } = await sending(list);
      assert.deepEqual([bounceRate, complaintRate], [2, 0]);
    });

    it('leave out reports about addresses that nothing was sent to', async () => {
      const list = await mailingList(service, ['welcome']);
      await updateMailSettings(service.context, list.id, { kinds: [] });
      const emails = Array.from({ length: 30 }, (_, n) => `stranger${n}@example.com`);
      await list.signup(...emails.map((email) => ({ email })));
      await sentBefore(list, 100);
      await report(list, 'bounce', emails);
      await report(list, 'complaint', emails);
      const { paused, bounced, complained } = await sending(list);
      assert.deepEqual([paused, bounced, complained], [false, 0, 0]);

      await updateMailSettings(service.context, list.id, { kinds: ['welcome'] });
      await list.signup({ email: 'welcome@example.com' });
      await mailsArrived(server, list, 1);
      await report(list, 'bounce', ['welcome@example.com']);
      assert.equal((await sending(list)).bounced, 1, 'also before its attempt is recorded');
    });
  });

  describe('the limits', () => {
    it('are changed by admins only, and recorded', async () => {
      const list = await mailingList(service, ['invite']);
      const viewer = await documentedClient(service, 'viewer');
      const path = pathOf(list);
      assert.equal((await viewer.call('getMailSending', 'GET', path)).status, 200);
      const refused = await viewer.call('updateMailSending', 'PATCH', path, { body: { bouncePercent: 5 } });
      assertError(refused, 403, 'forbidden');
      const { body } = await change(list, { bouncePercent: 5, warmUp: { start: 10, to: 80 } });
      assert.deepEqual([body.bouncePercent, body.complaintPercent, body.warmUp?.today], [5, 0.5, 10]);
      const { before, after } = await admin.audited('mail_sending.updated');
      assert.deepEqual(before, { bouncePercent: 10, complaintPercent: 0.5, warmUp: null });
      assert.deepEqual(after, { bouncePercent: 5, complaintPercent: 0.5, warmUp: { start: 10, to: 80 } });
    });

    it('name the field that is wrong', async () => {
      const list = await mailingList(service, ['invite']);
      for (const [field, body] of [
        ['bouncePercent', { bouncePercent: 101 }],
        ['complaintPercent', { complaintPercent: 0.001 }],
        ['complaintPercent', { complaintPercent: 0.123 }],
        ['warmUp.start', { warmUp: { start: 0, to: 10 } }],
        ['warmUp.to', { warmUp: { start: 50, to: 10 } }],
        ['paused', { paused: true }],
      ] as const) {
        const answer = await change(list, body);
        assert.equal(answer.status, 400, field);
        assert.ok(answer.text.includes(field), `${field}: ${answer.text}`);
      }
    });
  });

  describe('mail sending', () => {
    it('shows rates and the pause, changes limits, and resumes', async () => {
      service.clock.now = Date.now(); // As a command of its own process has it.
      const list = await bouncing(12);
      const run = (...words: string[]) =>
        typed(service.storage.environment, 'mail', 'sending', ...words, '--waitlist', list.id);
      const shown = await run();
      assert.match(shown.out, /Hard bounces +12 +12% +10%/);
      assert.match(shown.out, /Paused: 12 hard bounces of 100 emails sent/);
      assert.match((await run('resume')).out, /Not paused\./);
      assert.match((await run('--bounce-percent', 'none')).out, /Hard bounces +0 +- +none/);
      assert.match((await run('warm-up', '--to', '800')).out, /Warm-up: 0 of 50 today, up to 800 a day\./);
      assert.match((await run('warm-up', 'off')).out, /No warm-up\./);
      assert.equal((await run('warm-up')).code, 2);
      assert.match((await run('--complaint-percent', '101')).error, /complaint-percent/);
    });
  });

  describe('a warm-up', () => {
    it('never sends more than the number of the day, with two dispatchers, and doubles it', async () => {
      service.clock.now = FIRST;
      const second = await startOutbox(service.context, service.config, { pollMs: 50, random: () => 0 });
      try {
        const list = await mailingList(service, ['invite']);
        await change(list, { warmUp: { start: 20, to: 50 } });
        const emails = Array.from({ length: 100 }, (_, n) => `warm${n}@example.com`);
        for (const email of emails) await list.invite(email);
        const isAt = (sent: number, waiting: number) =>
          until(`${sent} were sent`, async () => {
            const now = await sending(list);
            return now.sent === sent && now.waiting === waiting;
          });
        await isAt(20, 80);
        await mailsArrived(server, list, 20);
        await updateMailSettings(service.context, list.id, { kinds: ['invite', 'welcome'] });
        await list.signup({ email: 'new@example.com' });
        await mailsArrived(server, list, 21);
        await isAt(21, 80);
        service.clock.advance(DAY_MS);
        assert.equal((await sending(list)).warmUp?.today, 40);
        service.wake();
        second.wake();
        await isAt(61, 40);
        service.clock.advance(DAY_MS);
        assert.equal((await sending(list)).warmUp?.today, 50);
        service.wake();
        await nothingPending(service.context, list);
        const recipients = mailsOf(server, list).flatMap(({ to }) => to);
        assert.deepEqual(recipients.sort(), [...emails, 'new@example.com'].sort());
      } finally {
        await second.stop();
      }
    });

    it('holds emails, which are neither late nor a backlog, in `status`, health, log and metrics', async () => {
      service.clock.now = Date.now(); // As a command of its own process has it.
      const list = await mailingList(service, ['invite']);
      await change(list, { warmUp: { start: 1, to: 1 } });
      const inviting = async (email: string) => {
        const path = `/waitlists/${list.id}/invites`;
        const previewed = await admin.call<{ leftToday: number | null }>('createInvites', 'POST', path, {
          body: { email, dryRun: true },
        });
        const made = await admin.call<{ mailable: { reason: string | null } }>(
          'createInvites',
          'POST',
          path,
          {
            body: { email },
          },
        );
        return [previewed.body.leftToday, made.body.mailable.reason];
      };
      assert.deepEqual(await inviting('held-a@example.com'), [1, null]);
      await until('one was sent', async () => (await sending(list)).sent === 1);
      for (const name of ['b', 'c'])
        assert.deepEqual(await inviting(`held-${name}@example.com`), [0, 'warm_up']);
      await until('one was sent and two wait', async () => {
        const { sent, waiting } = await sending(list);
        return sent === 1 && waiting === 2;
      });
      const { db } = service.context;
      await db.query // As if they had been held for hours.
        .updateTable('delivery')
        .set({ due_at: service.clock.now + 9 * HOUR_MS })
        .where('queue_id', '=', (await list.queue()).id)
        .where('token', 'is', null)
        .where('due_at', 'is not', null)
        .execute();
      service.clock.advance(3 * HOUR_MS);
      const { channels, pending, oldestAt } = await glanceAtBacklog(db, 1_000, service.clock.now);
      assert.deepEqual([pending, oldestAt, channels.get('email')], [0, null, undefined]);
      const emails = (await countBacklog(db, service.clock.now)).filter(({ channel }) => channel === 'email');
      const count = (state: string) => emails.find((each) => each.state === state)?.count ?? 0;
      assert.deepEqual([count('pending'), count('held')], [0, 2]);
      const findings = await glanceAtDeliveries(service.context);
      const of = (name: string) => findings.find(({ what }) => what === name);
      assert.deepEqual([of('delivery backlog')?.ok, of('delivery backlog')?.detail], [true, 'none pending']);
      assert.match(of('emails')?.detail ?? '', /^2 held(?:, \d+ failed)?$/);
      // Without the variable of the mail server that the service has.
      for (const [word, level] of [
        ['status', 'fine'],
        ['doctor', 'unchecked'],
      ] as const) {
        const { json } = await command<{ findings: { what: string; level: string }[] }>(
          service.storage.environment,
          word,
        );
        assert.equal(json.findings.find(({ what }) => what === 'mail server')?.level, level, word);
      }
      await change(list, { warmUp: null });
      await mailsArrived(server, list, 3);
    });

    it('says on the command line how many emails of a run go out today', async () => {
      const list = await mailingList(service, ['invite']);
      await change(list, { warmUp: { start: 1, to: 1 } });
      await list.signup({ email: 'first@example.com' }, { email: 'second@example.com' });
      const words = ['invite', 'first', '2', '--waitlist', list.id];
      const { out } = await typed(service.storage.environment, ...words);
      assert.match(
        out,
        /\nEmails that are sent today: 1\. The others wait for the next days of the warm-up\.$/m,
      );
      await change(list, { warmUp: null });
      await mailsArrived(server, list, 2);
    });

    it('does not count what the mail server refused, and sends all when it is switched off', async () => {
      const list = await mailingList(service, ['invite']);
      await change(list, { warmUp: { start: 2, to: 2 } });
      server.refuseRecipient = (address) =>
        address.startsWith('gone') ? '550 5.1.1 No such user' : undefined;
      for (const name of ['gone1', 'gone2', 'gone3']) await list.invite(`${name}@example.com`);
      await nothingOnTheWay(list);
      for (const name of ['a', 'b', 'c', 'd']) await list.invite(`${name}@example.com`);
      await until('two wait', async () => (await sending(list)).waiting === 2);
      await change(list, { warmUp: null });
      await mailsArrived(server, list, 4);
    });
  });

  /** Held emails that find room again are made due: they would be due the next day. */
  async function nothingOnTheWay(list: MailingList): Promise<void> {
    await until('the refused ones have ended', async () => {
      if ((await sending(list)).waiting > 0) await change(list, { warmUp: { start: 2, to: 2 } });
      return (await openMails(list)) === 0;
    });
  }

  /** What a busy machine put off is due by the clock of the test. */
  function allGone(list: MailingList): Promise<void> {
    return allOf('more emails are sent', () => openMails(list));
  }

  /**
   * Waits as long as there is progress, however slow the machine is. What it put off for a few seconds is due again, but
   * time passes slowly enough that no email in flight is taken for lost and sent twice.
   */
  async function allOf(what: string, countLeft: () => Promise<number>): Promise<void> {
    for (let left = await countLeft(), last = left; left > 0; last = left) {
      let waitingSince = performance.now();
      await until(what, async () => {
        if (performance.now() - waitingSince > 10_000) {
          waitingSince = performance.now();
          service.clock.advance(6_000);
          service.wake();
        }
        left = await countLeft();
        return left < last;
      });
    }
  }

  async function openMails(list: MailingList): Promise<number> {
    const { id } = await list.queue();
    const open = await service.context.db.query
      .selectFrom('delivery')
      .select('event_id')
      .where('queue_id', '=', id)
      .where('channel', '=', 'email')
      .where('due_at', 'is not', null)
      .execute();
    return open.length;
  }
});
