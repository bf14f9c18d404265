import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { listInvites } from '../../src/waitlist/invites/browse-invites.ts';
import { revokeMany } from '../../src/waitlist/invites/revoke-many.ts';
import { cancelJob, listJobs } from '../../src/waitlist/jobs/find-jobs.ts';
import { recordMailEvents } from '../../src/waitlist/mail-events/record-mail-events.ts';
import type { Metadata } from '../../src/waitlist/people/person.ts';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { changeWave, createWave, type NewWave, stopWave } from '../../src/waitlist/waves/change-waves.ts';
import { RUNS_KEPT } from '../../src/waitlist/waves/wave-states.ts';
import { listRuns, readWave } from '../../src/waitlist/waves/waves.ts';
import { crowdEmail, fillQueue } from '../support/crowd.ts';
import { forEachEngine, type List, type Service, START, startService } from '../support/harness.ts';
import { listen } from '../support/recorded-events.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const MORNINGS = { timeZone: 'Europe/Berlin', time: '09:00', repeat: 'daily' } as const;
/** The first morning after the start. */
const FIRST = Date.UTC(2026, 10, 16, 8);

forEachEngine((engine) => {
  let service: Service;
  let list: List;
  let queue: Queue;
  before(async () => {
    service = await startService(engine);
  });
  beforeEach(async () => {
    service.clock.now = START;
    list = await service.waitlist();
    queue = await list.queue();
  });
  after(() => service.close());

  const people = (count: number, metadata: (n: number) => Metadata | null = () => null) =>
    fillQueue(service.context, queue, count, (n) => {
      const given = metadata(n);
      return { email: crowdEmail(n), ...(given ? { metadata: given } : {}) };
    });
  const wave = (input: Partial<NewWave>) => createWave(service.context, queue, { name: 'A wave', ...input });
  const read = (id: string) => readWave(service.context, queue, id);
  const runs = async (id: string) =>
    (await listRuns(service.context, queue, id)).map(({ scheduledAt, outcome, invited }) => [
      new Date(scheduledAt).toISOString(),
      outcome,
      invited,
    ]);
  const upkeepAt = async (time: number) => {
    service.clock.now = time;
    await Promise.all([keepUp(service.context), keepUp(service.context)]);
    await service.runJobs();
  };
  const invited = async () =>
    (await listInvites(service.context, queue, { limit: 1_000 })).map(({ email }) => email ?? '');
  const acceptFirst = async (count: number) => {
    const open = (await listInvites(service.context, queue, { limit: 1_000 })).filter(
      ({ state }) => state === 'live',
    );
    for (const { code } of open.slice(0, count)) assert.equal((await service.accept(code ?? '')).status, 200);
  };
  const stop = async (id: string) => {
    assert.deepEqual((await recountQueue(service.context, queue, false)).findings, []);
    if (!['done', 'stopped'].includes((await read(id)).state)) await stopWave(service.context, queue, id);
  };

  describe('a wave', () => {
    it('invites the next people at each of its times, once, whoever notices', async () => {
      await people(9);
      const told = await listen(service.context, queue);
      const { id, state, nextRunAt } = await wave({ count: 4, schedule: MORNINGS });
      assert.deepEqual([state, nextRunAt], ['scheduled', FIRST]);
      await upkeepAt(FIRST - 1);
      assert.deepEqual(await invited(), []);
      await upkeepAt(FIRST);
      assert.deepEqual(await invited(), [0, 1, 2, 3].map(crowdEmail));
      await upkeepAt(FIRST + 60 * MINUTE_MS);
      assert.equal((await invited()).length, 4);
      const waveEvents = (await told()).filter(({ event }) => event.startsWith('wave.'));
      assert.deepEqual(
        waveEvents.map(({ event, data }) => [event, (data as { run?: { invited: number } }).run?.invited]),
        [
          ['wave.started', 0],
          ['wave.finished', 4],
        ],
      );
      await upkeepAt(FIRST + DAY_MS);
      await upkeepAt(FIRST + 2 * DAY_MS);
      assert.deepEqual(await runs(id), [
        ['2026-11-18T08:00:00.000Z', 'done', 1],
        ['2026-11-17T08:00:00.000Z', 'done', 4],
        ['2026-11-16T08:00:00.000Z', 'done', 4],
      ]);
      assert.equal((await read(id)).invited, 9);
      await stop(id);
    });

    it('runs once if nobody was there in time, and records earlier times as skipped', async () => {
      await people(3);
      const { id } = await wave({ count: 1, schedule: MORNINGS });
      await upkeepAt(FIRST + 2 * DAY_MS + 5 * MINUTE_MS);
      assert.deepEqual(await runs(id), [
        ['2026-11-18T08:00:00.000Z', 'done', 1],
        ['2026-11-17T08:00:00.000Z', 'skipped', 0],
        ['2026-11-16T08:00:00.000Z', 'skipped', 0],
      ]);
      await upkeepAt(FIRST); // The clock was set back.
      assert.equal((await invited()).length, 1);
      assert.equal((await read(id)).nextRunAt, FIRST + 3 * DAY_MS);
      await stop(id);
    });

    it('does not repeat a run if the clock is set back and the same schedule is given again', async () => {
      await people(9);
      const { id } = await wave({ count: 2, schedule: MORNINGS });
      await upkeepAt(FIRST);
      service.clock.now = FIRST - 30 * MINUTE_MS;
      const again = await changeWave(service.context, queue, id, { schedule: MORNINGS });
      assert.equal(again.nextRunAt, FIRST);
      await upkeepAt(FIRST);
      assert.deepEqual(await runs(id), [['2026-11-16T08:00:00.000Z', 'done', 2]]);
      assert.equal((await read(id)).nextRunAt, FIRST + DAY_MS);
      await upkeepAt(FIRST + DAY_MS);
      assert.equal((await invited()).length, 4);
      await stop(id);
    });

    it('keeps a record of its newest runs', async () => {
      await people(3);
      const { id } = await wave({ count: 1, schedule: MORNINGS });
      const row = await service.context.db.query
        .selectFrom('wave')
        .select(['queue_id', 'id as wave_id'])
        .where('queue_id', '=', queue.id)
        .executeTakeFirstOrThrow();
      const earlier = Array.from({ length: RUNS_KEPT + 5 }, (_, n) => ({ ...row, scheduled_at: n }));
      await service.context.db.transaction(async (trx) => trx.insert('wave_run', earlier));
      await upkeepAt(FIRST);
      const left = await service.context.db.query
        .selectFrom('wave_run')
        .select('scheduled_at')
        .where('queue_id', '=', queue.id)
        .orderBy('scheduled_at')
        .execute();
      assert.deepEqual(
        [left.length, left[0]?.scheduled_at, left.at(-1)?.scheduled_at],
        [RUNS_KEPT, 6, FIRST],
      );
      await stop(id);
    });

    it('that runs once ends with its run, or after a day without one', async () => {
      await people(3, (n) => ({ plan: n === 1 ? 'pro' : 'free' }));
      const once = { ...MORNINGS, repeat: 'once', date: '2026-11-16' } as const;
      const segment = { pairs: [{ key: 'plan', value: 'pro' }] };
      const kept = await wave({ schedule: once, segment });
      const missed = await wave({ schedule: { ...once, time: '08:00' } });
      await changeWave(service.context, queue, missed.id, { paused: true });
      await upkeepAt(FIRST);
      assert.deepEqual(await invited(), [crowdEmail(1)]);
      assert.equal((await read(kept.id)).state, 'done');
      await changeWave(service.context, queue, missed.id, { paused: false });
      await upkeepAt(FIRST + DAY_MS);
      assert.deepEqual(await runs(missed.id), [['2026-11-16T07:00:00.000Z', 'skipped', 0]]);
      assert.equal((await read(missed.id)).state, 'done');
      await stop(missed.id);
    });

    it('that runs once runs when it is resumed, however late that is', async () => {
      await people(3);
      const { id } = await wave({ schedule: { ...MORNINGS, repeat: 'once', date: '2026-11-16' } });
      await changeWave(service.context, queue, id, { paused: true });
      await upkeepAt(FIRST + 3 * DAY_MS);
      await changeWave(service.context, queue, id, { paused: false });
      await upkeepAt(FIRST + 3 * DAY_MS);
      assert.deepEqual(await runs(id), [['2026-11-16T08:00:00.000Z', 'done', 3]]);
      await stop(id);
    });

    it('never has more people joined and invited than it may, whoever else invites', async () => {
      await people(12);
      const { id } = await wave({ count: 6, schedule: MORNINGS, untilJoined: 7 });
      await list.invite('manual@example.com');
      await upkeepAt(FIRST);
      assert.equal((await invited()).length, 7);
      await upkeepAt(FIRST + DAY_MS);
      assert.equal((await invited()).length, 7, 'no room');
      await acceptFirst(2);
      await upkeepAt(FIRST + 2 * DAY_MS);
      assert.equal((await invited()).length, 7, 'those who joined keep their places');
      await revokeMany(service.context, queue);
      await upkeepAt(FIRST + 3 * DAY_MS);
      assert.equal((await invited()).length, 12, 'the others are for the next in line');
      await acceptFirst(5);
      await upkeepAt(FIRST + 3 * DAY_MS);
      const { state, joined, openInvites } = await read(id);
      assert.deepEqual([state, joined, openInvites], ['done', 7, 0]);
      await stop(id);
    });

    it('keeps invites open: after an accept, a revocation and an expiry', async () => {
      await people(9);
      const { id, nextRunAt } = await wave({ keepOpen: 3 });
      assert.equal(nextRunAt, null);
      await upkeepAt(START);
      assert.equal((await invited()).length, 3);
      await acceptFirst(1);
      await upkeepAt(START + MINUTE_MS);
      assert.equal((await invited()).length, 4);
      await revokeMany(service.context, queue);
      await upkeepAt(START + 2 * MINUTE_MS - 1);
      assert.equal((await invited()).length, 4, 'at most one run a minute');
      await upkeepAt(START + 2 * MINUTE_MS);
      assert.equal((await invited()).length, 7);
      await service.context.db.query
        .updateTable('invite')
        .set({ expires_at: START + 3 * MINUTE_MS })
        .where('queue_id', '=', queue.id)
        .where('revoked_at', 'is', null)
        .where('accepted_at', 'is', null)
        .execute();
      await service.context.db.query
        .updateTable('queue_state')
        .set({ next_expiry: 0 })
        .where('queue_id', '=', queue.id)
        .execute();
      await upkeepAt(START + 4 * MINUTE_MS);
      assert.equal((await invited()).length, 9);
      assert.equal(new Set(await invited()).size, 9, 'nobody twice');
      await upkeepAt(START + 5 * MINUTE_MS);
      assert.equal((await runs(id)).length, 4, 'nobody is left, so there is no run');
      await list.signup({ email: 'late@example.com' });
      await upkeepAt(START + 30 * MINUTE_MS);
      assert.ok((await invited()).includes('late@example.com'));
      await stop(id);
    });

    it('divides its invites by quotas over all its runs, and gives the rest of a quota to the others', async () => {
      await people(30, (n) => ({ plan: n % 3 === 0 ? 'pro' : 'free', beta: n % 6 === 0 ? 'yes' : 'no' }));
      const quotas = [
        { percent: 70, segment: { pairs: [{ key: 'plan', value: 'pro' }] } },
        { percent: 10, segment: { pairs: [{ key: 'beta', value: 'yes' }] } },
      ];
      const { id } = await wave({ count: 3, schedule: MORNINGS, quotas });
      const pro = async () => (await invited()).filter((email) => Number(/\d+/.exec(email)) % 3 === 0).length;
      for (let day = 0; day < 4; day += 1) {
        await upkeepAt(FIRST + day * DAY_MS);
        // The second quota has only people of the first, so its part goes to both others.
        const total = 3 * (day + 1);
        assert.ok(Math.abs((await pro()) - (total * 70) / 90) < 1, `${await pro()} of ${total}`);
      }
      await changeWave(service.context, queue, id, { count: 18 });
      await upkeepAt(FIRST + 4 * DAY_MS);
      assert.deepEqual([await pro(), (await invited()).length], [10, 30]);
      await stop(id);
    });

    it('refuses nobody a place because of an entry that cannot be decrypted', async () => {
      await people(4);
      await service.context.db.query
        .updateTable('entry')
        .set({ person: Buffer.alloc(80) })
        .where('queue_id', '=', queue.id)
        .where('seq', '=', 1)
        .execute();
      const { id } = await wave({ count: 2, schedule: MORNINGS });
      await upkeepAt(FIRST);
      assert.deepEqual((await invited()).sort(), [1, 2].map(crowdEmail));
      assert.deepEqual((await listRuns(service.context, queue, id))[0]?.unreadable, 1);
      await stopWave(service.context, queue, id);
    });
  });

  describe('a long run', () => {
    const start = async (input: Partial<NewWave> = {}) => {
      await people(1_100);
      const { id } = await wave({ schedule: { ...MORNINGS, repeat: 'once', date: '2026-11-16' }, ...input });
      service.clock.now = FIRST;
      await keepUp(service.context);
      assert.equal((await read(id)).state, 'running');
      assert.equal((await read(id)).invited, 500);
      const { jobs } = await listJobs(service.context, queue, { limit: 1 });
      assert.ok(jobs[0]);
      return { id, job: jobs[0] };
    };

    it('is continued by a job', async () => {
      const { id } = await start({ count: 1_050 });
      await service.runJobs();
      assert.deepEqual(await runs(id), [['2026-11-16T08:00:00.000Z', 'done', 1_050]]);
      assert.equal((await read(id)).state, 'done');
      assert.deepEqual((await recountQueue(service.context, queue, false)).findings, []);
    });

    it('stops at a pause, and goes on when it ends', async () => {
      const { id } = await start();
      await changeWave(service.context, queue, id, { paused: true });
      await service.runJobs();
      assert.deepEqual([(await read(id)).state, (await read(id)).invited], ['paused', 500]);
      await changeWave(service.context, queue, id, { paused: false });
      assert.equal((await read(id)).state, 'running');
      await service.runJobs();
      assert.deepEqual([(await read(id)).state, (await read(id)).invited], ['done', 1_100]);
    });

    it('that was paused does not pause again for a few failures among many invites', async () => {
      const { id } = await start({ schedule: MORNINGS, count: 1_000 });
      await changeWave(service.context, queue, id, { paused: true });
      await service.runJobs();
      service.clock.now += MINUTE_MS;
      await changeWave(service.context, queue, id, { paused: false });
      await service.runJobs();
      const events = [600, 601, 602, 603, 604].map((n) => ({
        type: 'bounce' as const,
        email: crowdEmail(n),
      }));
      await recordMailEvents(service.context, queue, events);
      await upkeepAt(FIRST + DAY_MS);
      assert.deepEqual([(await read(id)).pauseReason, (await read(id)).invited], [null, 1_100]);
      await stop(id);
    });

    it('looks at the capacity again, and ends when the wave is stopped', async () => {
      const { id } = await start({ untilJoined: 600 });
      for (let n = 0; n < 40; n += 1) await list.invite(`manual${n}@example.com`);
      await service.runJobs();
      assert.deepEqual(await runs(id), [['2026-11-16T08:00:00.000Z', 'done', 560]]);
      const other = await wave({ schedule: { ...MORNINGS, time: '10:00' } });
      service.clock.now = FIRST + 60 * MINUTE_MS;
      await keepUp(service.context);
      await stopWave(service.context, queue, other.id);
      await service.runJobs();
      assert.deepEqual(await runs(other.id), [['2026-11-16T09:00:00.000Z', 'stopped', 500]]);
      assert.equal((await read(other.id)).state, 'stopped');
    });

    it('pauses the wave if its job is cancelled', async () => {
      const { id, job } = await start();
      await cancelJob(service.context, job);
      await service.runJobs();
      const { state, pauseReason } = await read(id);
      assert.equal(state, 'paused');
      assert.match(pauseReason ?? '', /^its job job_\w+ was cancelled or failed$/);
      await changeWave(service.context, queue, id, { paused: false });
      await service.runJobs();
      assert.equal((await read(id)).invited, 1_100);
    });
  });

  it('pauses a wave if its invites come back or are reported as spam, but not for earlier bounces', async () => {
    await people(20);
    const report = (type: 'bounce' | 'complaint', ...numbers: number[]) =>
      recordMailEvents(
        service.context,
        queue,
        numbers.map((n) => ({ type, email: crowdEmail(n) })),
      );
    await report('bounce', 0, 1, 2, 3, 4, 15);
    const { id } = await wave({ count: 10, schedule: MORNINGS, failurePercent: 40 });
    await upkeepAt(FIRST);
    await report('bounce', 5, 6, 7);
    await report('complaint', 7, 8);
    await upkeepAt(FIRST + DAY_MS);
    assert.deepEqual([(await read(id)).state, (await read(id)).invited], ['scheduled', 20]);
    await report('bounce', 10, 11, 12);
    await report('complaint', 12, 13, 14);
    await upkeepAt(FIRST + 2 * DAY_MS);
    const paused = await read(id);
    assert.equal(paused.state, 'paused');
    assert.match(paused.pauseReason ?? '', /^5 of the last 10 invites could not be delivered .*or bounced$/);
    await stop(id);
  });

  it('pauses a wave that keeps invites open if one after the other bounces', async () => {
    await people(40);
    const { id } = await wave({ keepOpen: 2 });
    let time = START;
    for (let n = 0; n < 20; n += 1) {
      time += 10 * MINUTE_MS;
      await upkeepAt(time);
      const open = (await listInvites(service.context, queue, { limit: 100 })).filter(
        ({ state }) => state === 'live',
      );
      const events = open.map(({ email }) => ({ type: 'bounce' as const, email: email ?? '' }));
      await recordMailEvents(service.context, queue, events);
      await revokeMany(service.context, queue);
    }
    const { state, pauseReason, invited: sent } = await read(id);
    assert.deepEqual([state, sent], ['paused', 6]);
    assert.match(pauseReason ?? '', /^6 of the last 6 invites/);
    await stop(id);
  });

  it('pauses a wave if its invites cannot be delivered, and says so', async () => {
    await people(30);
    const told = await listen(service.context, queue);
    const { id } = await wave({ count: 10, schedule: MORNINGS });
    await upkeepAt(FIRST);
    const { context } = service;
    const failing = await context.db.query
      .updateTable('delivery')
      .set({ due_at: null, failed_at: FIRST })
      .where('queue_id', '=', queue.id)
      .returning('event_id')
      .execute();
    assert.ok(failing.length >= 10);
    await told();
    await upkeepAt(FIRST + DAY_MS);
    const paused = await read(id);
    assert.deepEqual([paused.state, paused.invited], ['paused', 10]);
    assert.equal(
      paused.pauseReason,
      '10 of the last 10 invites could not be delivered by email or webhook, or bounced',
    );
    const events = (await told()) as { event: string; data: { wave?: { pauseReason: string | null } } }[];
    assert.deepEqual(
      events.map(({ event, data }) => [event, data.wave?.pauseReason]),
      [['wave.paused', paused.pauseReason]],
    );
    await changeWave(context, queue, id, { paused: false });
    await upkeepAt(FIRST + 2 * DAY_MS);
    assert.deepEqual([(await read(id)).state, (await read(id)).invited], ['scheduled', 20]);
    await stop(id);
  });
});
