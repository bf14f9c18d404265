import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { listInvites } from '../../src/waitlist/invites/browse-invites.ts';
import { revokeInvite } from '../../src/waitlist/invites/end-invites.ts';
import { startInviteRun } from '../../src/waitlist/invites/invite-run.ts';
import { changeSettings } from '../../src/waitlist/queue/change-settings.ts';
import { rerank } from '../../src/waitlist/referrals/rerank.ts';
import { findUnsettled, markUnsettled } from '../../src/waitlist/settings/settle-queues.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { readValues } from '../../src/waitlist/statistics/read-statistics.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { keepUp, startUpkeep } from '../../src/waitlist/upkeep/upkeep.ts';
import { CITUS_URL } from '../support/citus.ts';
import { afterTest } from '../support/cleanup.ts';
import { crowdEmail, fillQueue } from '../support/crowd.ts';
import {
  clientFor,
  eventually,
  forEachEngine,
  type List,
  listOver,
  type Service,
  startService,
} from '../support/harness.ts';
import { startProcess } from '../support/process.ts';
import { listen } from '../support/recorded-events.ts';
import { createStorage } from '../support/storage.ts';

const WHO = 'b@example.com';

forEachEngine('time', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  const three = async () => {
    const list = await service.waitlist();
    await list.signup(...['a', 'b', 'c'].map((name) => ({ email: `${name}@example.com` })));
    return { list, queue: await list.queue(), told: await listen(service.context, await list.queue()) };
  };
  const shownOf = async (list: List, email = WHO) => {
    const { status, position } = (await list.lookup(email)).body;
    return [status, position];
  };
  const findings = async (list: List) =>
    (await recountQueue(service.context, await list.queue(), false)).findings;

  describe('an expired invite', () => {
    it('records its event before anyone checks the code, and returns its entry to its position', async () => {
      const { list, told } = await three();
      const { code, id } = await list.invite(WHO, { expiresAt: service.clock.now + 1_000 });
      await list.signup({ email: 'd@example.com' });
      await told();
      service.clock.advance(999);
      await keepUp(service.context);
      assert.deepEqual([await told(), await shownOf(list)], [[], ['invited', null]]);
      service.clock.advance(1);
      await keepUp(service.context);
      const [event, ...rest] = await told();
      assert.deepEqual(rest, []);
      assert.deepEqual(
        [event?.event, event?.data.invite?.id, event?.data.invite?.email, event?.data.entry?.position],
        ['invite.expired', id, WHO, 2],
      );
      assert.deepEqual(await shownOf(list), ['waiting', 2]);
      await keepUp(service.context);
      assert.deepEqual(await told(), [], 'once');
      assert.equal((await service.accept(code)).status, 410);
      assert.deepEqual(await findings(list), []);
    });

    it('leaves its entry invited if the waitlist says so, and still records its event', async () => {
      const { list, told } = await three();
      await updateWaitlist(service.context, list.id, { returnToQueue: false });
      await list.invite(WHO, { expiresAt: service.clock.now + 1_000 });
      await told();
      service.clock.advance(1_000);
      await keepUp(service.context);
      assert.deepEqual(
        (await told()).map(({ event, data }) => [event, data.entry?.status]),
        [['invite.expired', 'invited']],
      );
      assert.deepEqual(await shownOf(list), ['invited', null]);
      assert.deepEqual(await findings(list), []);
    });

    it('leaves its entry invited while the person has another valid invite', async () => {
      const { list } = await three();
      await list.invite(WHO, { expiresAt: service.clock.now + 1_000 });
      await list.invite(WHO, { expiresAt: service.clock.now + 5_000 });
      service.clock.advance(1_000);
      await keepUp(service.context);
      assert.deepEqual(await shownOf(list), ['invited', null]);
      service.clock.advance(4_000);
      await keepUp(service.context);
      assert.deepEqual(await shownOf(list), ['waiting', 2]);
    });

    it('leaves nobody invited who has no other one, even if the clock is set back', async () => {
      const { list } = await three();
      await list.invite(WHO, { expiresAt: service.clock.now + 1_000 });
      const { id } = await list.invite(WHO);
      service.clock.advance(1_000);
      await keepUp(service.context);
      service.clock.advance(-500);
      await revokeInvite(service.context, id);
      assert.deepEqual(await shownOf(list), ['waiting', 2]);
      service.clock.advance(500);
    });

    it('records an event without an entry for a person who is not on the waitlist', async () => {
      const { list, told } = await three();
      await list.invite('guest@example.com', { expiresAt: service.clock.now + 1_000 });
      await told();
      service.clock.advance(1_000);
      await keepUp(service.context);
      assert.deepEqual(
        (await told()).map(({ event, data }) => [event, data.entry]),
        [['invite.expired', null]],
      );
    });

    it('is ended in steps with many others, and the next one is not forgotten', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await fillQueue(service.context, queue, 1_100);
      await startInviteRun(service.context, queue, { first: 1_050 }, service.clock.now + 1_000);
      await startInviteRun(service.context, queue, { first: 10 }, service.clock.now + 2_000);
      service.clock.advance(1_000);
      await keepUp(service.context);
      assert.equal((await list.page({ status: 'invited' })).body.total, 10);
      service.clock.advance(1_000);
      await keepUp(service.context);
      assert.equal((await list.page({ status: 'waiting' })).body.total, 1_100);
      assert.deepEqual(await findings(list), []);
    });

    it('is ended even if its encrypted data is damaged, and blocks no other', async () => {
      const { list, queue, told } = await three();
      await list.invite(WHO, { expiresAt: service.clock.now + 1_000 });
      await service.context.db.query
        .updateTable('invite')
        .set({ sealed: Buffer.from('damaged') })
        .where('queue_id', '=', queue.id)
        .execute();
      await list.invite('c@example.com', { expiresAt: service.clock.now + 1_000 });
      const listed = await listInvites(service.context, queue, { limit: 10 });
      assert.deepEqual(new Set(listed.map(({ email }) => email)), new Set([null, 'c@example.com']));
      await told();
      service.clock.advance(1_000);
      await keepUp(service.context);
      assert.deepEqual(await shownOf(list), ['waiting', 2]);
      assert.deepEqual(await shownOf(list, 'c@example.com'), ['waiting', 3]);
      assert.deepEqual(
        (await told()).map(({ data }) => data.invite?.email),
        ['c@example.com'],
      );
      assert.match(service.log.join(''), /cannot decrypt an invite/);
    });

    it('is ended by a running server within seconds, without any request', async () => {
      const storage = await createStorage(engine, { migrated: true });
      afterTest(storage.remove);
      const maker = await startService(engine, { storage, startAt: Date.now() });
      afterTest(maker.close);
      const list = await maker.waitlist();
      const told = await listen(maker.context, await list.queue());
      await list.signup({ email: 'a@example.com' }, { email: WHO });
      await list.invite(WHO, { expiresAt: Date.now() + 800 });
      const served = await startProcess({ ...storage.environment, DOORLIST_LOG_LEVEL: 'error' });
      afterTest(served.stop);
      const there = listOver(clientFor(served.url), list.id, list.key);
      const { body } = await eventually(
        () => there.lookup(WHO),
        (answer) => answer.body.status === 'waiting',
      );
      assert.deepEqual([body.status, body.position], ['waiting', 2]);
      assert.ok((await told()).some(({ event }) => event === 'invite.expired'));
    });

    it('is not ended any more once upkeep is closed', async () => {
      const { list } = await three();
      const upkeep = startUpkeep(service.context);
      afterTest(upkeep.close);
      await list.invite(WHO, { expiresAt: service.clock.now + 1_000 });
      service.clock.advance(1_000);
      const [status] = await eventually(
        () => shownOf(list),
        ([status]) => status === 'waiting',
      );
      assert.equal(status, 'waiting');
      await upkeep.close();
      await list.invite(WHO, { expiresAt: service.clock.now + 1_000 });
      service.clock.advance(1_000);
      // Upkeep of another installation that starts now gets to its first round later than the closed one would have.
      const other = await startService(engine);
      afterTest(other.close);
      const elsewhere = await other.waitlist();
      await elsewhere.signup({ email: WHO });
      await elsewhere.invite(WHO, { expiresAt: other.clock.now + 1_000 });
      other.clock.advance(1_000);
      const running = startUpkeep(other.context);
      afterTest(running.close);
      await eventually(
        () => shownOf(elsewhere),
        ([status]) => status === 'waiting',
      );
      assert.deepEqual(await shownOf(elsewhere), ['waiting', 1]);
      assert.deepEqual(await shownOf(list), ['invited', null]);
    });
  });

  describe('a changed boost', () => {
    /** For a lock of PostgreSQL. */
    const somebodyWaits = async () => {
      const waiting = CITUS_URL
        ? sql`select 1 from citus_lock_waits`
        : sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      const found = await eventually(
        () => waiting.execute(service.context.db.query),
        ({ rows }) => rows.length > 0,
      );
      assert.ok(found.rows.length > 0, 'nobody waits for the queue');
    };
    const crowd = async (people: number) => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await fillQueue(service.context, queue, people, (n) => ({
        email: crowdEmail(n),
        ...(n % 3 === 2 ? { referrer: { kind: 'email', key: crowdEmail(Math.floor(n / 2)) } } : {}),
      }));
      return { list, queue };
    };
    const orderBy = async (list: List, boost: number) => {
      const rows = await service.context.db.query
        .selectFrom('entry')
        .select(['seq', 'rank', 'referrals'])
        .where('queue_id', '=', (await list.queue()).id)
        .execute();
      for (const { seq, rank, referrals } of rows) assert.equal(rank, seq - boost * referrals);
    };

    it('leaves a consistent order when stopped between steps, and is finished by upkeep', async () => {
      const { list, queue } = await crowd(4_500);
      await updateWaitlist(service.context, list.id, { boost: 40 });
      const stop = () => {
        throw new Error('stopped');
      };
      await assert.rejects(rerank(service.context, queue, stop), /stopped/);
      assert.deepEqual(await findings(list), [], 'half-way there the counters are right');
      await list.signup({ email: 'x@example.com', referredBy: crowdEmail(4_400) });
      await list.signup({ email: 'y@example.com', referredBy: crowdEmail(10) });
      await list.invite(crowdEmail(4_300));
      assert.deepEqual(await findings(list), []);
      const steps: number[] = [];
      await assert.rejects(
        rerank(service.context, queue, (seq) => {
          steps.push(seq);
          stop();
        }),
      );
      assert.deepEqual(steps, [4_000], 'it goes on where it was');
      await keepUp(service.context);
      await orderBy(list, 40);
      assert.deepEqual(await findings(list), []);
      const page = (await list.page({ sort: 'position', limit: 200 })).body.entries;
      assert.deepEqual(
        page.map(({ position }) => position),
        page.map((_, index) => index + 1),
      );
    });

    it('starts over when it changes again meanwhile, and can be reverted', async () => {
      const { list, queue } = await crowd(2_500);
      await updateWaitlist(service.context, list.id, { boost: 7 });
      await assert.rejects(
        rerank(service.context, queue, () => {
          throw new Error('stopped');
        }),
      );
      await updateWaitlist(service.context, list.id, { boost: 0 });
      await keepUp(service.context);
      await orderBy(list, 0);
      await updateWaitlist(service.context, list.id, { boost: 5 });
      await keepUp(service.context);
      await orderBy(list, 5);
      assert.deepEqual(await findings(list), []);
    });

    it('is rejected outside 0 to 1000, and nothing changes', async () => {
      const { list } = await crowd(1);
      for (const boost of [-1, 1_001, 1.5])
        await assert.rejects(updateWaitlist(service.context, list.id, { boost }), /boost: must be/);
      await assert.rejects(updateWaitlist(service.context, list.id, {}), /at least one setting is required/);
      await assert.rejects(updateWaitlist(service.context, 'wl_nowhere', { boost: 1 }), {
        code: 'not_found',
      });
      await assert.rejects(
        listInvites(service.context, await list.queue(), { limit: 1, after: 'x' }),
        /after/,
      );
    });

    it('reaches every queue after a crash between the settings and the queues, and so do metadata keys', async () => {
      const list = await service.waitlist();
      const { context } = service;
      const referred = (from: string) => ({
        email: 'x@example.com',
        referredBy: from,
        metadata: { plan: 'pro' },
      });
      await list.signup({ email: 'a@example.com', metadata: { plan: 'free' } }, referred('a@example.com'));
      const { waitlist, id: queueId } = await list.queue();
      await changeSettings(context, async (trx) => {
        const settings = { boost: 40, metadata_keys: '["plan"]' };
        await trx.updateTable('waitlist').set(settings).where('id', '=', waitlist.internalId).execute();
        await markUnsettled(trx, waitlist.internalId, { boost: true, metadataKeys: true });
      }); // And the process dies.
      await keepUp(context);
      await orderBy(list, 40);
      assert.deepEqual(await findings(list), []);
      const day = { from: 0, to: Number.MAX_SAFE_INTEGER };
      const [plan] = await readValues(context, await list.queue(), day);
      assert.deepEqual(plan?.values.map(({ value }) => value).sort(), ['free', 'pro']);
      const keys = await context.db.query.selectFrom('metadata_key').select('queue_id').execute();
      assert.ok(keys.length >= 2 && keys.some(({ queue_id }) => queue_id === queueId), 'in all environments');
      assert.deepEqual(await findUnsettled(context, 10), []);
    });

    it('reaches every queue after such a crash although nothing else is to do', async () => {
      const quiet = await startService(engine);
      afterTest(quiet.close);
      const { waitlist } = await (await quiet.waitlist()).queue();
      await changeSettings(quiet.context, (trx) =>
        markUnsettled(trx, waitlist.internalId, { boost: false, metadataKeys: true }),
      ); // And the process dies.
      const upkeep = startUpkeep(quiet.context);
      afterTest(upkeep.close);
      const left = await eventually(
        () => findUnsettled(quiet.context, 10),
        (found) => found.length === 0,
      );
      assert.deepEqual(left, []);
    });

    if (engine === 'sqlite') return; // It has one writer at a time: nothing waits for a queue.

    it('is never applied with the old value when the change commits while a step waits for the queue', async () => {
      const { list, queue } = await crowd(50);
      await updateWaitlist(service.context, list.id, { boost: 7 });
      let step: Promise<void> | undefined;
      await service.context.db.transaction(async (trx) => {
        await trx.updateTable('waitlist').set({ boost: 9 }).where('public_id', '=', list.id).execute();
        await trx
          .updateTable('queue_state')
          .set({ rerank_after: 0 })
          .where('queue_id', '=', queue.id)
          .execute();
        step = rerank(service.context, queue);
        await somebodyWaits();
      });
      await step;
      await keepUp(service.context);
      await orderBy(list, 9);
      assert.deepEqual(await findings(list), []);
    });

    it('applies to a signup that waited for the queue during the change', async () => {
      const { list, queue } = await crowd(1);
      let signup: ReturnType<List['signup']> | undefined;
      await service.context.db.transaction(async (trx) => {
        await trx.updateTable('waitlist').set({ boost: 9 }).where('public_id', '=', list.id).execute();
        await trx
          .updateTable('queue_state')
          .set({ rerank_after: null })
          .where('queue_id', '=', queue.id)
          .execute();
        signup = list.signup({ email: 'x@example.com', referredBy: crowdEmail(0) });
        await somebodyWaits();
      });
      assert.equal((await signup)?.status, 201);
      await orderBy(list, 9);
      assert.deepEqual(await findings(list), []);
    });
  });
});
