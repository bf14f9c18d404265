import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import type { Trx } from '../../src/db/database.ts';
import { findPlace } from '../../src/waitlist/queue/place.ts';
import { LEVEL_SHIFTS } from '../../src/waitlist/queue/positions.ts';
import { CITUS_URL } from '../support/citus.ts';
import { afterTest } from '../support/cleanup.ts';
import { startService } from '../support/harness.ts';

const WAITING = 10_000_000;
const WIDEST = 2 ** (LEVEL_SHIFTS.at(-1) ?? 0);

/** As if one entry waited at every rank from 0. */
async function writeCounters(trx: Trx, queueId: number): Promise<void> {
  for (const [level, shift] of LEVEL_SHIFTS.entries())
    await sql`insert into rank_count (queue_id, level, bucket, waiting)
      select ${queueId}, ${level}, bucket, ${2 ** shift}
      from generate_series(0, ${Math.floor(WAITING / 2 ** shift)}) as bucket`.execute(trx);
  await sql`analyze rank_count`.execute(trx);
}

/** Includes transactions before, if the session has not reported them yet. */
async function countersRead(trx: Trx): Promise<number> {
  const { rows } = await sql<{ read: number }>`select idx_tup_fetch + seq_tup_read as read
    from pg_stat_xact_user_tables where relname = 'rank_count'`.execute(trx);
  return rows[0]?.read ?? 0;
}

const ON_CITUS = CITUS_URL !== undefined && 'it reads the statistics of one PostgreSQL';

it('finds a place among ten million with few counters on PostgreSQL', { skip: ON_CITUS }, async () => {
  const service = await startService('postgres');
  afterTest(service.close);
  const { db } = service.context;
  const { id: queueId } = await (await service.waitlist()).queue();
  await db.unlimited.transaction((trx) => writeCounters(trx, queueId));
  // The server keeps a plan after some runs, and not the one before.
  for (let run = 0; run < 7; run += 1)
    await db.transaction(async (trx) => {
      const before = await countersRead(trx);
      await findPlace(trx, queueId, WAITING / 2);
      const most = WAITING / WIDEST + 1 + 3 * 32;
      assert.ok((await countersRead(trx)) - before <= Math.ceil(most));
    });
});
