import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Static } from 'typebox';
import { queueInviteRun } from '../../src/waitlist/invites/preview-invites.ts';
import { revokeMany } from '../../src/waitlist/invites/revoke-many.ts';
import type { Context } from '../../src/waitlist/queue/context.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { createWave, stopWave } from '../../src/waitlist/waves/change-waves.ts';
import type { PresentedEntry } from '../../src/wire/entry.ts';
import type { AdminInviteSchema } from '../../src/wire/invite.ts';
import type { JobSchema } from '../../src/wire/job.ts';
import { type AskInRoles, askInRoles } from '../support/admin.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { listen } from '../support/recorded-events.ts';

type Invite = Static<typeof AdminInviteSchema>;
type Job = Static<typeof JobSchema>;

const email = (n: number) => `p${n}@example.com`;

forEachEngine((engine) => {
  describe('invites in the admin API', () => {
    let service: Service;
    let ask: AskInRoles;
    before(async () => {
      service = await startService(engine);
      ask = await askInRoles(service, 'support');
    });
    after(() => service.close());

    const invite = <T = Invite>(of: List, body: unknown, role = 'support') =>
      ask<T>('POST', `/waitlists/${of.id}/invites`, { body, role });
    const list = async (of: List, query = '', role = 'support') =>
      (
        await ask<{ invites: Invite[]; nextCursor: string | null }>(
          'GET',
          `/waitlists/${of.id}/invites${query}`,
          {
            role,
          },
        )
      ).body;
    const job = async (id: string) => (await ask<Job>('GET', `/jobs/${id}`)).body;
    const statusOf = async (of: List, who: string) => (await of.lookup(who)).body.status;
    const crowd = async (count: number) => {
      const of = await service.waitlist();
      await of.signup(
        ...Array.from({ length: count }, (_, at) => ({
          email: email(at + 1),
          metadata: { plan: at % 2 === 0 ? 'pro' : 'free' },
        })),
        { phone: '+4915112345612', metadata: { plan: 'pro' } },
      );
      return of;
    };
    const actions = async (object: string) =>
      (
        await ask<{ records: { action: string; actor: { name: string } }[] }>(
          'GET',
          `/audit?object=${object}`,
          {
            role: 'admin',
          },
        )
      ).body.records.map(({ action, actor }) => `${action} by ${actor.name}`);

    it('begins a lifetime when the invite is made, however short it is', async () => {
      const of = await crowd(2);
      let now = service.clock.now;
      // Each look at the clock takes longer than the invites live.
      Object.defineProperty(service.clock, 'now', {
        configurable: true,
        get: () => {
          now += 1_000;
          return now;
        },
      });
      const one = await invite(of, { email: email(1), expiresInMs: 1 });
      const many = await invite(of, { first: 1, expiresInMs: 1 });
      Object.defineProperty(service.clock, 'now', { value: now, writable: true });
      assert.deepEqual([one.status, many.status], [201, 202], one.text + many.text);
    });

    it('invites one person, on the list or not, and returns code and link', async () => {
      const of = await crowd(2);
      const { status, body } = await invite(of, { email: email(1), expiresInMs: 60_000 });
      assert.equal(status, 201);
      assert.equal(body.state, 'open');
      assert.equal(body.entryId, (await of.lookup(email(1))).body.id);
      assert.equal(body.expiresAt, new Date(service.clock.now + 60_000).toISOString());
      assert.ok(body.url?.endsWith(`/join/${body.code}`));
      assert.equal((await service.check(body.code ?? '')).body.valid, true);
      assert.equal(await statusOf(of, email(1)), 'invited');
      assert.deepEqual(await actions(`invite:${body.id}`), ['invite.created by support']);
      const stranger = (await invite(of, { email: 'new@example.com', expiresAt: null })).body;
      assert.deepEqual([stranger.entryId, stranger.expiresAt], [null, null]);
    });

    it('tells of an email whether it has an open invite, on the waitlist or not', async () => {
      const of = await crowd(1);
      const isOpen = async (to: string) =>
        (await invite<{ hasOpenInvite: boolean | null }>(of, { email: to, dryRun: true })).body.hasOpenInvite;
      const guest = 'inv_guest@example.com';
      assert.deepEqual([await isOpen(guest), await isOpen(email(1))], [false, false]);
      const { code } = (await invite(of, { email: guest })).body;
      await invite(of, { email: email(1) });
      assert.deepEqual([await isOpen(guest), await isOpen(email(1))], [true, true]);
      assert.equal((await list(of, `?search=${encodeURIComponent(guest)}`)).invites.length, 1);
      await service.accept(code ?? '');
      assert.equal(await isOpen(guest), false);
      const { body } = await invite<{ hasOpenInvite: boolean | null }>(of, { first: 1, dryRun: true });
      assert.equal(body.hasOpenInvite, null);
    });

    it('invites the first in line as a job, and tells the number before', async () => {
      const of = await crowd(12);
      const dry = await invite<{ count: number; preview: PresentedEntry[] }>(of, { first: 11, dryRun: true });
      assert.equal(dry.status, 200);
      assert.equal(dry.body.count, 11);
      assert.deepEqual(
        dry.body.preview.map((entry) => entry.email),
        Array.from({ length: 10 }, (_, at) => email(at + 1)),
      );
      assert.equal((await invite<{ count: number }>(of, { first: 500, dryRun: true })).body.count, 12);
      assert.deepEqual((await list(of)).invites, []);
      const { status, body } = await invite<Job>(of, { first: 11, expect: 11 });
      assert.equal(status, 202);
      assert.deepEqual([body.kind, body.state, body.done, body.total], ['invite', 'queued', 0, 11]);
      await service.runJobs();
      const { state, done, result } = await job(body.id);
      assert.deepEqual([state, done, result], ['done', 11, { invited: 11, unreadable: 0 }]);
      assert.equal((await list(of)).invites.length, 11);
      assert.equal(await statusOf(of, email(12)), 'waiting');
      assert.deepEqual(await actions(`job:${body.id}`), ['invites.started by support']);
      assert.deepEqual((await recountQueue(service.context, await of.queue(), false)).findings, []);
    });

    it('invites a segment, only those who wait and have an email', async () => {
      const of = await crowd(6);
      await of.invite(email(1));
      const segment = { where: { plan: 'pro' } };
      const dry = await invite<{ count: number; preview: PresentedEntry[] }>(of, { segment, dryRun: true });
      assert.equal(dry.body.count, 2);
      assert.deepEqual(
        dry.body.preview.map((entry) => entry.email),
        [email(3), email(5)],
      );
      const { body } = await invite<Job>(of, { segment, expect: 2 });
      await service.runJobs();
      assert.deepEqual([(await job(body.id)).done, (await job(body.id)).total], [2, 2]);
      assert.equal(await statusOf(of, email(3)), 'invited');
      assert.equal(await statusOf(of, email(2)), 'waiting');
    });

    it('refuses when the number is not the confirmed one, and invites nobody', async () => {
      const of = await crowd(3);
      const dry = await invite<{ count: number }>(of, { first: 10, dryRun: true });
      await of.signup({ email: 'late@example.com' });
      const refused = await invite(of, { first: 10, expect: dry.body.count });
      assertError(refused, 409, 'changed', 'expect: 4 would be invited now, not 3');
      await service.runJobs();
      assert.deepEqual((await list(of)).invites, []);
    });

    it('compares the confirmed number with what is true when the job starts', async () => {
      const { context } = service;
      const everyone = { segment: { pairs: [{ key: 'plan', value: 'pro' }] } };
      for (const selection of [{ first: 10 }, everyone]) {
        const of = await crowd(3);
        const expect = 'first' in selection ? 3 : 2;
        /** Somebody joins after the first comparison, right before the lock is taken. */
        const racing = async (joins: object) => {
          const transaction: Context['db']['transaction'] = async (work) => {
            await of.signup(joins);
            return context.db.transaction(work);
          };
          const db = Object.assign(Object.create(context.db), { transaction });
          const input = { selection, expiresAt: null, expect };
          return queueInviteRun({ ...context, db }, await of.queue(), input);
        };
        await assert.rejects(racing({ email: 'late@example.com', metadata: { plan: 'pro' } }), {
          code: 'changed',
          message: `expect: ${expect + 1} would be invited now, not ${expect}`,
        });
        await service.runJobs();
        assert.deepEqual((await list(of)).invites, []);
        assert.equal((await invite(of, { first: 10, expect: 4 })).status, 202);
      }
    });

    it('never invites more than the confirmed number', async () => {
      const of = await crowd(5);
      const { body } = await invite<Job>(of, { segment: { where: { plan: 'pro' } }, expect: 3 });
      const { id } = (await of.lookup(email(2))).body;
      await ask('PATCH', `/waitlists/${of.id}/entries/${id}`, {
        body: { metadata: { plan: 'pro' } },
        role: 'admin',
      });
      await service.runJobs();
      assert.equal((await job(body.id)).done, 3);
      assert.equal((await list(of)).invites.length, 3);
    });

    it('can be cancelled by support while it waits', async () => {
      const of = await crowd(3);
      const { body } = await invite<Job>(of, { first: 2 });
      assert.equal((await ask<Job>('DELETE', `/jobs/${body.id}`)).body.state, 'cancelled');
      await service.runJobs();
      assert.deepEqual((await list(of)).invites, []);
      assert.equal((await job(body.id)).state, 'cancelled');
    });

    it('says what is wrong with a request', async () => {
      const of = await crowd(1);
      for (const [body, message] of [
        [{}, /^body: must have exactly one of/],
        [{ email: email(1), first: 1 }, /^body: must have exactly one of/],
        [{ email: 'nobody' }, /^email: not an email address/],
        [{ first: 0 }, /^first/],
        [{ first: 1.5 }, /^first/],
        [{ first: '1' }, /^first/],
        [{ segment: {} }, /^segment: needs at least one condition/],
        [{ segment: { plan: 'pro' } }, /^segment.plan: unknown field/],
        [{ segment: { where: { plan: 1 } } }, /^segment.where.plan: must be a string$/],
        [{ segment: { joinedBefore: 'soon' } }, /^segment.joinedBefore: must be an ISO 8601 time/],
        [{ first: 1, expiresAt: '2020-01-01T00:00:00Z' }, /^expiresAt: must be in the future/],
        [{ first: 1, expiresAt: 'soon' }, /^expiresAt: must be an ISO 8601 time/],
        [{ first: 1, expiresAt: '2030-02-30T00:00:00Z' }, /^expiresAt: must be an ISO 8601 time/],
        [{ first: 1, expiresInMs: 0 }, /^expiresInMs/],
        [{ first: 1, expiresInMs: 5, expiresAt: null }, /^expiresInMs: cannot be combined/],
        [{ first: 1, expect: -1 }, /^expect/],
        [{ email: email(1), expect: 2 }, /^expect: with email/],
        [{ first: 1, dryrun: true }, /^dryrun: unknown field/],
      ] as const)
        assertError(await invite(of, body), 400, 'invalid_request', message);
      assertError(await invite(of, { first: 1 }, 'viewer'), 403, 'forbidden');
      assertError(await ask('POST', '/waitlists/wl_none/invites', { body: { first: 1 } }), 404, 'not_found');
      assert.deepEqual((await list(of)).invites, []);
    });

    it('lists the newest first, by state and by entry', async () => {
      const of = await crowd(5);
      const made: Record<string, string> = {};
      for (const [state, n] of [
        ['open', 1],
        ['accepted', 2],
        ['revoked', 3],
        ['expired', 4],
        ['overdue', 5],
      ] as const) {
        service.clock.advance(10);
        const lifetime = { open: null, accepted: null, revoked: null, expired: 1, overdue: 100 }[state];
        const expiry = lifetime === null ? { expiresAt: null } : { expiresInMs: lifetime };
        const { body } = await invite(of, { email: email(n), ...expiry });
        made[state] = body.id;
        if (state === 'accepted') await service.accept(body.code ?? '');
        if (state === 'revoked') await ask('DELETE', `/waitlists/${of.id}/invites/${body.id}`);
        if (state === 'expired') {
          service.clock.advance(5);
          await service.expire(of);
        }
      }
      service.clock.advance(200);
      const ids = async (query: string) => (await list(of, query)).invites.map(({ id }) => id);
      assert.deepEqual(await ids(''), Object.values(made).toReversed());
      assert.deepEqual(await ids('?state=open'), [made.open]);
      assert.deepEqual(await ids('?state=accepted'), [made.accepted]);
      assert.deepEqual(await ids('?state=revoked'), [made.revoked]);
      assert.deepEqual(await ids('?state=expired'), [made.overdue, made.expired]);
      const expired = (await list(of, '?state=expired')).invites.map(({ state }) => state);
      assert.deepEqual(expired, ['expired', 'expired']);
      const { id } = (await of.lookup(email(2))).body;
      assert.deepEqual(await ids(`?entry=${id}`), [made.accepted]);
      assert.deepEqual(await ids(`?entry=${id}&state=open`), []);
      const phone = (await of.lookup('+4915112345612')).body.id;
      assert.deepEqual(await ids(`?entry=${phone}`), []);
      const first = await list(of, '?limit=3');
      const rest = await list(of, `?limit=3&cursor=${first.nextCursor}`);
      assert.deepEqual(
        [...first.invites, ...rest.invites].map((each) => each.id),
        Object.values(made).toReversed(),
      );
      assert.equal(rest.nextCursor, null);
      const path = `/waitlists/${of.id}/invites`;
      assertError(await ask('GET', `${path}?entry=ent_x`), 404, 'not_found');
      assertError(await ask('GET', `${path}?state=live`), 400, 'invalid_request', /state/);
      assertError(await ask('GET', `${path}?cursor=x`), 400, 'invalid_request', /^cursor/);
      assert.deepEqual(await ids('?environment=development'), []);
    });

    it('shows viewers neither codes nor addresses', async () => {
      const of = await crowd(1);
      await invite(of, { email: email(1) });
      const [seen] = (await list(of, '', 'viewer')).invites;
      assert.deepEqual([seen?.email, seen?.code, seen?.url], ['p…@e….com', null, null]);
    });

    it('revokes an open invite once, and only on its own waitlist', async () => {
      const of = await crowd(1);
      const { id, code } = (await invite(of, { email: email(1) })).body;
      const other = await service.waitlist();
      const revoke = (on: List, query = '') => ask('DELETE', `/waitlists/${on.id}/invites/${id}${query}`);
      assertError(await revoke(other), 404, 'not_found');
      assertError(await revoke(of, '?environment=development'), 404, 'not_found');
      assertError(await ask('DELETE', `/waitlists/${of.id}/invites/${code}`), 404, 'not_found');
      assert.deepEqual((await revoke(of)).body, { id, deleted: true });
      assert.equal(await statusOf(of, email(1)), 'waiting');
      assertError(await revoke(of), 410, 'revoked');
      assert.deepEqual(await actions(`invite:${id}`), [
        'invite.revoked by support',
        'invite.created by support',
      ]);
      const accepted = (await invite(of, { email: email(1) })).body;
      await service.accept(accepted.code ?? '');
      assertError(await ask('DELETE', `/waitlists/${of.id}/invites/${accepted.id}`), 409, 'accepted');
      assertError(
        await ask('DELETE', `/waitlists/${of.id}/invites/${id}`, { role: 'viewer' }),
        403,
        'forbidden',
      );
    });

    it('revokes all open invites, those of a wave, or those since a time, as a job', async () => {
      const of = await crowd(6);
      const queue = await of.queue();
      const revoke = <T = Job>(body?: object, role = 'support') =>
        ask<T>('POST', `/waitlists/${of.id}/invites/revoke`, { ...(body ? { body } : {}), role });
      const open = async () => (await list(of, '?state=open')).invites.map((each) => each.email).sort();
      const run = async (body?: object) => {
        const { status, body: started } = await revoke(body);
        assert.deepEqual([status, started.kind, started.state], [202, 'revoke', 'queued']);
        await service.runJobs();
        const { state, done, total, result } = await job(started.id);
        assert.equal(state, 'done');
        return [done, total, result];
      };
      await invite(of, { email: email(1) });
      const { id } = await createWave(service.context, queue, { name: 'A wave', keepOpen: 4 });
      await keepUp(service.context);
      await stopWave(service.context, queue, id);
      assert.deepEqual(await open(), [1, 2, 3, 4].map(email));
      assert.deepEqual((await revoke<{ count: number }>({ wave: id, dryRun: true })).body, { count: 3 });
      assert.deepEqual(await run({ wave: id }), [3, 3, { revoked: 3 }]);
      assert.deepEqual(await open(), [email(1)]);
      assert.equal(await statusOf(of, email(2)), 'waiting');
      service.clock.advance(60_000);
      const since = new Date(service.clock.now).toISOString();
      await invite(of, { email: 'stranger@example.com' });
      assert.deepEqual(await run({ since }), [1, 1, { revoked: 1 }]);
      assert.deepEqual(await open(), [email(1)]);
      await invite(of, { email: email(5) });
      const { body: started } = await revoke();
      service.clock.advance(1_000);
      await invite(of, { email: email(6) });
      await service.runJobs();
      assert.deepEqual((await job(started.id)).result, { revoked: 2 });
      assert.deepEqual(await open(), [email(6)]);
      assert.equal((await ask<Job>('GET', `/jobs/${started.id}`, { role: 'viewer' })).body.result, null);
      assert.equal(
        (await actions(`waitlist:${of.id}`)).filter((each) => each === 'invite.revoked by support').length,
        3,
      );
      assertError(await revoke({ wave: 'wav_06gxx2p9r1yn1vp1ryss481fhw' }), 404, 'not_found');
      assertError(await revoke({ since: 'yesterday' }), 400, 'invalid_request');
      assertError(await revoke({}, 'viewer'), 403, 'forbidden');
    });

    it('does not revoke an expired invite, whether or not upkeep has ended it: one end, one event', async () => {
      const of = await crowd(2);
      const made = await Promise.all(
        [1, 2].map(async (n) => (await invite<Invite>(of, { email: email(n), expiresInMs: 1_000 })).body),
      );
      const told = await listen(service.context, await of.queue());
      service.clock.advance(2_000);
      const revoke = (id = '') => ask('DELETE', `/waitlists/${of.id}/invites/${id}`);
      assertError(await revoke(made[0]?.id), 410, 'expired', 'this invite has already expired');
      assert.equal(await revokeMany(service.context, await of.queue()), 0);
      assert.equal(await service.expire(of), 2);
      assertError(await revoke(made[1]?.id), 410, 'expired', 'this invite has already expired');
      assert.deepEqual(
        (await list(of)).invites.map(({ state, revokedAt }) => [state, revokedAt]),
        [
          ['expired', null],
          ['expired', null],
        ],
      );
      assert.deepEqual(
        (await told()).map(({ event }) => event),
        ['invite.expired', 'invite.expired'],
      );
    });

    it('sends the email of an open invite again', async () => {
      const of = await crowd(1);
      const { id, code } = (await invite(of, { email: email(1) })).body;
      const resend = (invited = id) => ask('POST', `/waitlists/${of.id}/invites/${invited}/resend`);
      const mails = async () =>
        (
          await service.context.db.query
            .selectFrom('event')
            .select('kind')
            .where('queue_id', '=', (await of.queue()).id)
            .execute()
        ).map(({ kind }) => kind);
      const before = (await mails()).length;
      const { success, mailable } = (await resend()).body as {
        success: boolean;
        mailable: { reason: string };
      };
      assert.deepEqual([success, mailable.reason], [true, 'no_mail_server']);
      assert.equal((await mails()).length, before + 1);
      assert.equal((await actions(`invite:${id}`))[0], 'invite.resent by support');
      assertError(await resend('inv_none'), 404, 'not_found');
      await service.accept(code ?? '');
      assertError(await resend(), 409, 'conflict', 'this invite is accepted');
      assert.equal((await list(of)).invites.length, 1);
    });

    it('does not pretend to resend when invite emails are off', async () => {
      const of = await crowd(1);
      const { id } = (await invite(of, { email: email(1) })).body;
      await service.context.db.query
        .updateTable('waitlist')
        .set({ mail_kinds: 'welcome' })
        .where('public_id', '=', of.id)
        .execute();
      const answer = await ask('POST', `/waitlists/${of.id}/invites/${id}/resend`);
      assertError(answer, 409, 'conflict', /turned off/);
    });

    it("takes the waitlist's own expiry unless told otherwise", async () => {
      const of = await crowd(1);
      await updateWaitlist(service.context, of.id, { inviteExpiryMs: 5_000 });
      const { body } = await invite(of, { email: email(1) });
      assert.equal(body.expiresAt, new Date(service.clock.now + 5_000).toISOString());
    });
  });
});
