import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Database, Engine } from '../../src/db/database.ts';
import { checkInstallation } from '../../src/installation/health.ts';
import { countBacklog, countBacklogErrors } from '../../src/outbox/backlog.ts';
import { pruneEvents } from '../../src/outbox/prune.ts';
import { deleteWaitlist } from '../../src/waitlist/settings/delete-waitlist.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { watch } from '../../src/waitlist/upkeep/health.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { removeDeleted } from '../../src/waitlist/upkeep/remove-deleted.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { afterTest } from '../support/cleanup.ts';
import { forEachEngine, type List, type Service, START, startService } from '../support/harness.ts';
import { watchPlans } from '../support/plans.ts';

/** Enough for planners to see tables that are worth an index. */
const PEOPLE = 2_000;
const AS_IF = 1_000_000;

forEachEngine('plans', (engine) => {
  describe('maintenance of a large queue', () => {
    for (const statistics of [false, true])
      it(`reads no large table in a loop, ${statistics ? 'with' : 'without'} the planner's statistics`, async (test) => {
        const service = await startService(engine);
        afterTest(service.close);
        const list = await service.waitlist();
        await updateWaitlist(service.context, list.id, { metadataKeys: ['plan'] });
        await fill(service.context.db, (await list.queue()).id, engine);
        if (statistics) await analyze(service.context.db, engine);
        const plans = watchPlans(test, engine);
        await maintain(service, list);
        assert.ok(plans.seen.size > 30, `only ${plans.seen.size} statements`);
        assert.deepEqual(plans.nested, []);
      });
  });
});

/** What `doctor`, `doctor --repair`, `status`, the health check and upkeep do. */
async function maintain(service: Service, list: List): Promise<void> {
  const { context } = service;
  const queue = await list.queue();
  const wrong = await recountQueue(context, queue, false);
  assert.ok(wrong.findings.length > 0, 'the rows were written without their counters');
  assert.equal((await recountQueue(context, queue, true)).repaired, true);
  await checkInstallation(context, service.config);
  await watch(context);
  await countBacklog(context.db, context.clock());
  await countBacklogErrors(context.db, 5);
  service.clock.advance(40 * 86_400_000);
  await updateWaitlist(context, list.id, { boost: 7 });
  await keepUp(context);
  await pruneEvents(context, 1_000, () => false);
  await deleteWaitlist(context, list.id, list.id);
  await removeDeleted(context);
}

/** People with referrals, invites, and a delivery each, straight into the tables. */
async function fill(db: Database, queueId: number, engine: Engine): Promise<void> {
  const bytes = (seed: string) =>
    engine === 'sqlite' ? `unhex(printf('%032x', ${seed}))` : `decode(lpad(to_hex(${seed}), 32, '0'), 'hex')`;
  const numbers =
    engine === 'sqlite'
      ? `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${PEOPLE})`
      : `with numbers(n) as (select generate_series(1::bigint, ${PEOPLE}))`;
  const at = `${START} - n * 1000`;
  const statements = [
    `insert into entry (queue_id, seq, id, status, rank, referrer_seq, credited, email_hash, created_at)
      ${numbers} select ${queueId}, n, ${bytes('n')}, case when n % 7 = 0 then 'invited' else 'waiting' end, n,
        case when n % 3 = 0 then n / 3 end, case when n % 3 = 0 then 1 else 0 end, ${bytes('n')}, ${at} from numbers`,
    `insert into metadata_pair (queue_id, pair_hash, seq) ${numbers} select ${queueId}, ${bytes('n % 5')}, n from numbers`,
    `insert into invite (queue_id, id, code_hash, email_hash, sealed, created_at, expires_at, accepted_at)
      ${numbers} select ${queueId}, ${bytes('n')}, ${bytes('n')}, ${bytes('n')}, ${bytes('n')}, ${at},
        ${START} + n * 1000, case when n % 2 = 0 then ${START} end from numbers where n % 7 = 0`,
    `insert into event (queue_id, id, kind, created_at) ${numbers} select ${queueId}, ${bytes('n')}, 'signup.created', ${at} from numbers`,
    `insert into event_subject (queue_id, subject, event_id) ${numbers} select ${queueId}, ${bytes('n')}, ${bytes('n')} from numbers`,
    `insert into delivery (queue_id, channel, target_id, event_id, due_at, attempts, failed_at) ${numbers}
      select ${queueId}, 'webhook', ${bytes('n % 3')}, ${bytes('n')}, case when n % 4 = 0 then ${at} end, 1,
        case when n % 4 = 1 then ${at} end from numbers`,
    `insert into delivery_attempt (queue_id, channel, target_id, event_id, attempt, at, duration_ms, error) ${numbers}
      select ${queueId}, 'webhook', ${bytes('n % 3')}, ${bytes('n')}, 1, ${at}, 5, 'answered 500' from numbers`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db.query);
}

async function analyze(db: Database, engine: Engine): Promise<void> {
  await db.transaction(async (trx) => {
    await sql`analyze`.execute(trx);
    if (engine === 'postgres') return;
    const { rows } = await sql<{ tbl: string; idx: string | null; stat: string }>`
      select tbl, idx, stat from sqlite_stat1`.execute(trx);
    for (const { tbl, idx, stat } of rows) {
      const grown = stat.split(' ').map((part) => {
        const number = Number(part);
        return number >= PEOPLE / 10 ? String(Math.round((number * AS_IF) / PEOPLE)) : part;
      });
      await sql`update sqlite_stat1 set stat = ${grown.join(' ')} where tbl = ${tbl} and idx is ${idx}`.execute(
        trx,
      );
    }
  });
  // Loads them in the writer's connection. Others load them when they open.
  if (engine === 'sqlite') await sql`analyze sqlite_schema`.execute(db.query);
}
