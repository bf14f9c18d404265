import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { createWave } from '../../src/waitlist/waves/change-waves.ts';
import { listRuns, readCounts, readWave } from '../../src/waitlist/waves/waves.ts';
import { afterTest } from '../support/cleanup.ts';
import { crowdEmail, fillQueue } from '../support/crowd.ts';
import { forEachEngine, type Service, startService } from '../support/harness.ts';
import { type RunningProcess, startProcess } from '../support/process.ts';
import { seededRandom } from '../support/random.ts';
import { seedFor } from '../support/seed.ts';
import { createStorage } from '../support/storage.ts';

const TIMEOUT_MS = 300_000;
const CAPACITY = 1_800;
const KEPT_OPEN = 700;

forEachEngine('kills', (engine) => {
  it('waves over kill -9 have each run once, within capacity and quotas, and invite nobody twice', {
    timeout: TIMEOUT_MS,
  }, async (test) => {
    const random = seededRandom(seedFor(test, import.meta.filename));
    const storage = await createStorage(engine, { migrated: true });
    afterTest(() => storage.remove());
    const service = await startService(engine, { storage, startAt: Date.now() });
    afterTest(() => service.close());
    const { context, clock } = service;
    const [list, other] = [await service.waitlist(), await service.waitlist()];
    const [queue, openQueue] = [await list.queue(), await other.queue()];
    await fillQueue(context, queue, 2_800, (n) => ({
      ...{ email: crowdEmail(n), metadata: { plan: n % 2 === 0 ? 'pro' : 'free' } },
    }));
    await fillQueue(context, openQueue, KEPT_OPEN + 200);
    const dayOfMonth = ((new Date(clock.now).getUTCDate() + 14) % 28) + 1; // Not while this test runs.
    const wave = await createWave(context, queue, {
      ...{ name: 'Big', count: 2_500, untilJoined: CAPACITY },
      schedule: { timeZone: 'UTC', time: '09:00', repeat: 'monthly', dayOfMonth },
      quotas: [{ percent: 70, segment: { pairs: [{ key: 'plan', value: 'pro' }] } }],
    });
    const due = clock.now - 1_000;
    await context.db.query
      .updateTable('wave')
      .set({ next_at: due })
      .where('queue_id', '=', queue.id)
      .execute();
    const open = await createWave(context, openQueue, { name: 'Open', keepOpen: KEPT_OPEN });

    const invited = async () => (await readWave(context, queue, wave.id)).invited;
    const hasRun = async () => (await listRuns(context, queue, wave.id))[0]?.outcome === 'done';
    const isOver = async () =>
      (await hasRun()) && (await readWave(context, openQueue, open.id)).invited >= KEPT_OPEN;
    /** Manual invites after which the run was over: perhaps the wave could not know of them. */
    let [manual, late] = [0, 0];
    const inviteByHand = async () => {
      manual += 1;
      await list.invite(`manual${manual}@example.com`);
      if (await hasRun()) late += 1;
    };
    const watchUntil = async (enough: () => Promise<boolean>) => {
      while (!(await enough())) {
        if (manual < 30 && (await invited()) < CAPACITY / 2) await inviteByHand();
        assert.ok((await readCounts(context.db.query, openQueue)).open_invites <= KEPT_OPEN);
        assert.ok((await readCounts(context.db.query, queue)).open_invites <= CAPACITY + late);
        await sleep(10);
      }
    };
    const start = async (): Promise<RunningProcess[]> => {
      const servers = [];
      for (let n = 0; n < (engine === 'sqlite' ? 1 : 2); n += 1) {
        const server = await startProcess(storage.environment);
        afterTest(() => server.child.kill('SIGKILL'));
        servers.push(server);
      }
      return servers;
    };

    let servers = await start();
    for (const share of [random() / 2, 0.5 + random() / 4]) {
      const target = Math.floor(share * CAPACITY);
      await watchUntil(async () => (await invited()) >= target || (await isOver()));
      await sleep(random() * 30);
      await servers.pop()?.stop('SIGKILL');
      if (servers.length === 0) servers = await start();
    }
    await watchUntil(isOver);
    for (const server of servers) await server.stop();

    await assertExact(service, queue, { wave: wave.id, total: CAPACITY, late, manual });
    await assertExact(service, openQueue, { wave: open.id, total: KEPT_OPEN, late: 0, manual: 0 });
    const runs = (await listRuns(context, queue, wave.id)).map(({ scheduledAt, outcome }) => [
      scheduledAt,
      outcome,
    ]);
    assert.deepEqual(runs, [[due, 'done']]);
    const { count } = context.db.query.fn;
    const pro = await context.db.query
      .selectFrom('entry')
      .select(count<number>('seq').as('count'))
      .where('queue_id', '=', queue.id)
      .where('status', '=', 'invited')
      .where((e) => e(e('seq', '%', 2), '=', 1)) // The first one has the joining sequence 1, and is a pro.
      .executeTakeFirstOrThrow();
    const byWave = await invited();
    assert.ok(Math.abs(Number(pro.count) - 0.7 * byWave) < 1, `${pro.count} of ${byWave}`);
  });
});

/** Counts invites from scratch: nobody twice, and as many as the counters say. */
async function assertExact(
  { context }: Service,
  queue: Queue,
  { wave, total, late, manual }: { wave: string; total: number; late: number; manual: number },
): Promise<void> {
  const { count } = context.db.query.fn;
  const { made, people } = await context.db.query
    .selectFrom('invite')
    .select([count<number>('id').as('made'), count<number>('email_hash').distinct().as('people')])
    .where('queue_id', '=', queue.id)
    .executeTakeFirstOrThrow();
  assert.equal(Number(people), Number(made));
  assert.ok(made >= total && made <= total + late, `${made} instead of ${total} and up to ${late} more`);
  const { invited } = await readWave(context, queue, wave);
  assert.equal(invited, made - manual);
  assert.deepEqual((await recountQueue(context, queue, false)).findings, []);
}
