import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Segment } from '../../src/waitlist/entries/segment.ts';
import { listInvites } from '../../src/waitlist/invites/browse-invites.ts';
import { createInvite } from '../../src/waitlist/invites/create-invites.ts';
import { resumeInviteRun, type Selection, startInviteRun } from '../../src/waitlist/invites/invite-run.ts';
import { revokeMany } from '../../src/waitlist/invites/revoke-many.ts';
import type { Expiry } from '../../src/waitlist/queue/expiry.ts';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { presentCreatedInvite, presentInviteDetails } from '../../src/wire/invite.ts';
import { afterTest } from '../support/cleanup.ts';
import { fillQueue } from '../support/crowd.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { listen } from '../support/recorded-events.ts';

const DAY_MS = 86_400_000;

forEachEngine((engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  const invitesOf = async (list: List) =>
    (await listInvites(service.context, await list.queue(), { limit: 1_000 })).map(presentInviteDetails);
  const invite = async (list: List, email: string, expiresAt?: Expiry) =>
    presentCreatedInvite(
      await createInvite(
        service.context,
        await list.queue(),
        expiresAt === undefined ? { email } : { email, expiresAt },
      ),
    );
  const run = async (list: List, selection: Selection, expiresAt?: Expiry) =>
    startInviteRun(service.context, await list.queue(), selection, expiresAt);
  const invited = async (list: List) =>
    (await list.walk({ status: 'invited' })).map(({ email }) => email?.split('@')[0]).sort();
  const assertSound = async (list: List) =>
    assert.deepEqual((await recountQueue(service.context, await list.queue(), false)).findings, []);
  const statusesOf = async ({ id }: Queue) => {
    const rows = await service.context.db.query
      .selectFrom('entry')
      .select('status')
      .where('queue_id', '=', id)
      .orderBy('seq')
      .execute();
    return rows.map(({ status }) => status);
  };
  const iso = (time: number) => new Date(time).toISOString();

  describe('one invite', () => {
    it('moves the entry of that email, in any spelling, and shows the code only to the operator', async () => {
      const list = await service.waitlist();
      const told = await listen(service.context, await list.queue());
      await list.signup({ email: 'Ada@Example.com' }, { email: 'bob@example.com' });
      const { code, id } = await invite(list, 'aDA@example.COM');
      assert.deepEqual(await invited(list), ['Ada']);
      assert.equal((await list.lookup('bob@example.com')).body.position, 1);
      assert.deepEqual(
        (await invitesOf(list)).map(({ id, code, state }) => [id, code, state]),
        [[id, code, 'live']],
      );
      assert.equal(JSON.stringify(await told()).includes(code), false);
    });

    it('can be created for an email that is not on the list, and adds nobody to it', async () => {
      const list = await service.waitlist();
      const { code } = await invite(list, 'guest@example.com');
      assert.equal((await list.page()).body.total, 0);
      assert.equal((await service.check(code)).body.valid, true);
      assert.equal((await service.accept(code)).body.email, 'guest@example.com');
      assert.equal((await list.page()).body.total, 0);
    });

    it("expires after the waitlist's period, at a given time, or never", async () => {
      const list = await service.waitlist();
      const { now } = service.clock;
      assert.equal((await invite(list, 'a@example.com')).expiresAt, null);
      await updateWaitlist(service.context, list.id, { inviteExpiryMs: 7 * DAY_MS });
      assert.equal((await invite(list, 'a@example.com')).expiresAt, iso(now + 7 * DAY_MS));
      assert.equal((await invite(list, 'a@example.com', now + DAY_MS)).expiresAt, iso(now + DAY_MS));
      assert.equal((await invite(list, 'a@example.com', null)).expiresAt, null);
      await assert.rejects(invite(list, 'a@example.com', now), /expiresAt: must be in the future/);
      await assert.rejects(invite(list, 'nobody'), /email: not an email address/);
      await updateWaitlist(service.context, list.id, { inviteExpiryMs: null });
      assert.equal((await invite(list, 'a@example.com')).expiresAt, null);
    });
  });

  describe('inviting the first N', () => {
    it('invites from the front by position, and skips entries without an email', async () => {
      const list = await service.waitlist({ boost: 2 });
      await list.signup(
        { email: 'a@example.com' },
        { phone: '+14155550100' },
        { email: 'c@example.com' },
        { email: 'd@example.com' },
        { email: 'e@example.com', referredBy: 'd@example.com' },
        { email: 'f@example.com', referredBy: 'd@example.com' },
      );
      const order = (await list.walk({ sort: 'position' })).map(({ email }) => email);
      assert.deepEqual(order.slice(0, 3), ['d@example.com', 'a@example.com', null]);
      const { invited: count } = await run(list, { first: 3 });
      assert.equal(count, 3);
      assert.deepEqual(await invited(list), ['a', 'c', 'd']);
      assert.deepEqual(
        (await list.walk({ sort: 'position' })).map(({ email }) => email),
        [null, 'e@example.com', 'f@example.com'],
      );
      assert.equal((await run(list, { first: 50 })).invited, 2);
      assert.equal((await run(list, { first: 50 })).invited, 0);
      assert.equal((await invitesOf(list)).length, 5);
      for (const first of [0, -1, 1.5]) await assert.rejects(run(list, { first }), /first: must be/);
      await assertSound(list);
    });

    it("uses the waitlist's expiry, a given one, or none", async () => {
      const list = await service.waitlist();
      const { now } = service.clock;
      await updateWaitlist(service.context, list.id, { inviteExpiryMs: DAY_MS });
      await list.signup(...['a', 'b', 'c'].map((name) => ({ email: `${name}@example.com` })));
      await run(list, { first: 1 });
      await run(list, { first: 1 }, now + 1_000);
      await run(list, { first: 1 }, null);
      const expiries = Object.fromEntries(
        (await invitesOf(list)).map((each) => [each.email, each.expiresAt]),
      );
      assert.deepEqual(expiries, {
        'a@example.com': iso(now + DAY_MS),
        'b@example.com': iso(now + 1_000),
        'c@example.com': null,
      });
    });
  });

  describe('a segment', () => {
    const cases: { name: string; segment: (start: number) => Segment; expected: string[] }[] = [
      { name: 'a text', segment: () => ({ pairs: [pair('plan', 'pro')] }), expected: ['a', 'b', 'e'] },
      { name: 'a number', segment: () => ({ pairs: [pair('seats', '5')] }), expected: ['a', 'c', 'd'] },
      { name: 'a boolean', segment: () => ({ pairs: [pair('beta', 'true')] }), expected: ['b', 'c'] },
      { name: 'a value that nobody has', segment: () => ({ pairs: [pair('plan', 'p')] }), expected: [] },
      {
        name: 'two pairs',
        segment: () => ({ pairs: [pair('plan', 'pro'), pair('seats', '5')] }),
        expected: ['a'],
      },
      { name: 'referrals', segment: () => ({ minReferrals: 1 }), expected: ['a', 'b'] },
      { name: 'many referrals', segment: () => ({ minReferrals: 2 }), expected: ['a'] },
      { name: 'joined before', segment: (start) => ({ joinedBefore: start + 2 }), expected: ['a', 'b'] },
      {
        name: 'joined then or later',
        segment: (start) => ({ joinedAfter: start + 3 }),
        expected: ['d', 'e'],
      },
      {
        name: 'all of it',
        segment: (start) => ({
          pairs: [pair('plan', 'pro')],
          minReferrals: 1,
          joinedBefore: start + 4,
          joinedAfter: start + 1,
        }),
        expected: ['b'],
      },
    ];
    for (const { name, segment, expected } of cases) {
      it(`by ${name}`, async () => {
        const list = await service.waitlist();
        const start = service.clock.now;
        const people = [
          { email: 'a@example.com', metadata: { plan: 'pro', seats: 5 } },
          { email: 'b@example.com', metadata: { plan: 'pro', beta: true } },
          {
            email: 'c@example.com',
            metadata: { plan: 'free', seats: 5, beta: true },
            referredBy: 'a@example.com',
          },
          { email: 'd@example.com', metadata: { plan: ['pro'], seats: '5' }, referredBy: 'a@example.com' },
          { email: 'e@example.com', metadata: { plan: 'pro', beta: false }, referredBy: 'b@example.com' },
        ];
        for (const person of people) {
          await list.signup(person);
          service.clock.advance(1);
        }
        await list.signup({ phone: '+14155550100', metadata: { plan: 'pro', seats: 5, beta: true } });
        assert.equal((await run(list, { segment: segment(start) })).invited, expected.length);
        assert.deepEqual(await invited(list), expected);
        assert.equal((await run(list, { segment: segment(start) })).invited, 0, 'nobody twice');
        await assertSound(list);
      });
    }
  });

  describe('a long run', () => {
    /** A run that is cut off after its first step of 500. */
    const cutOff = async (expiresAt: Expiry) => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await fillQueue(service.context, queue, 1_300);
      const stop = () => {
        throw new Error('cut off');
      };
      await assert.rejects(
        startInviteRun(service.context, queue, { first: 1_200 }, expiresAt, stop),
        /cut off/,
      );
      assert.equal((await list.page({ status: 'invited' })).body.total, 500);
      return { list, queue };
    };

    it('runs in steps, and skips people who were revoked, expired or joined since it began', async () => {
      const { list, queue } = await cutOff(null);
      service.clock.advance(1);
      const [mine] = (await invitesOf(list)).filter(({ email }) => email === 'crowd0@example.com');
      await service.revoke(mine?.id ?? '');
      await list.signup({ email: 'late@example.com' });
      const seen: number[] = [];
      const { invited: count } = await resumeInviteRun(service.context, queue, undefined, ({ invited }) =>
        seen.push(invited),
      );
      assert.deepEqual([count, seen], [1_200, [1_000, 1_200]]);
      const all = await service.context.db.query
        .selectFrom('invite')
        .select('email_hash')
        .where('queue_id', '=', queue.id)
        .execute();
      assert.equal(all.length, 1_200);
      assert.equal(new Set(all.map(({ email_hash }) => Buffer.from(email_hash).toString('hex'))).size, 1_200);
      assert.equal((await list.lookup('crowd0@example.com')).body.position, 1);
      assert.equal((await list.lookup('late@example.com')).body.status, 'waiting');
      await assertSound(list);
      await assert.rejects(resumeInviteRun(service.context, queue), { code: 'not_found' });
      assert.equal((await run(list, { first: 1 })).invited, 1);
      assert.equal((await list.lookup('crowd0@example.com')).body.status, 'invited', 'a new run takes them');
    });

    it('is not resumed if its invites would already have expired', async () => {
      const { list, queue } = await cutOff(service.clock.now + 1_000);
      service.clock.advance(1_000);
      await keepUp(service.context);
      await assert.rejects(resumeInviteRun(service.context, queue), /would already have expired/);
      assert.equal((await list.page({ status: 'waiting' })).body.total, 1_300);
      await assertSound(list);
    });

    it('skips and reports entries that cannot be decrypted, and invites others instead', async () => {
      const everybody = { segment: { joinedBefore: service.clock.now + 1 } };
      for (const selection of [{ first: 3 }, everybody]) {
        const list = await service.waitlist();
        await list.signup(...['a', 'b', 'c', 'd'].map((name) => ({ email: `${name}@example.com` })));
        const queue = await list.queue();
        await service.context.db.query
          .updateTable('entry')
          .set({ person: Buffer.from('damaged') })
          .where('queue_id', '=', queue.id)
          .where('seq', '=', 1)
          .execute();
        const { invited: count, unreadable } = await run(list, selection);
        assert.deepEqual([count, unreadable], [3, [1]]);
        assert.deepEqual(await statusesOf(queue), ['waiting', 'invited', 'invited', 'invited']);
      }
      assert.match(service.log.join(''), /cannot decrypt an entry: it was not invited/);
    });

    it('is completed once when two processes resume it at the same time', async () => {
      const { list, queue } = await cutOff(null);
      const other = await startService(engine, { storage: service.storage, startAt: service.clock.now });
      afterTest(other.close);
      const there = await other.context.registry.queue(list.id, 'production');
      assert.ok(there);
      const results = await Promise.allSettled([
        resumeInviteRun(service.context, queue),
        resumeInviteRun(other.context, there),
      ]);
      const done = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.invited] : []));
      assert.deepEqual(new Set(done), new Set([1_200]));
      for (const result of results)
        if (result.status === 'rejected')
          assert.match(result.reason.message, /another process is working on this job|no unfinished job/);
      assert.equal((await list.page({ status: 'invited' })).body.total, 1_200);
      await assertSound(list);
    });
  });

  describe('revoking all', () => {
    it('ends every open invite in steps, and continues after an interruption when called again', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await fillQueue(service.context, queue, 1_300);
      const accepted = await list.invite('crowd0@example.com');
      await service.accept(accepted.code);
      await startInviteRun(service.context, queue, { first: 1_200 }, null);
      const order = () => list.page({ sort: 'position', limit: 5 });
      await assert.rejects(
        revokeMany(service.context, queue, {}, () => {
          throw new Error('stopped');
        }),
        /stopped/,
      );
      assert.equal((await list.page({ status: 'invited' })).body.total, 700);
      await assertSound(list);
      const told: number[] = [];
      assert.equal(await revokeMany(service.context, queue, {}, (count) => told.push(count)), 700);
      assert.deepEqual(told, [500, 700]);
      assert.deepEqual(
        (await order()).body.entries.map(({ email, invitedAt }) => [email, invitedAt]),
        [1, 2, 3, 4, 5].map((n) => [`crowd${n}@example.com`, null]),
      );
      assert.equal((await service.check(accepted.code)).body.valid, false);
      assert.equal((await list.lookup('crowd0@example.com')).body.status, 'joined');
      assert.equal(await revokeMany(service.context, queue), 0);
      await assertSound(list);
    });
  });
});

function pair(key: string, value: string): { key: string; value: string } {
  return { key, value };
}
