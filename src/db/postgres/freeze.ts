import { type Kysely, sql } from 'kysely';
import { invalid } from '../../lib/errors.ts';
import type { Trx } from '../database.ts';
import type { Tables } from '../tables.ts';
import type { OptionalSetting } from './settings.ts';

/** Takes one long snapshot, under a lock that every change to queues and settings waits for. */
export async function freezeDatabase(trx: Trx, refused: ReadonlySet<OptionalSetting>): Promise<void> {
  await sql`set transaction isolation level repeatable read`.execute(trx);
  // Not by a query: it would take the snapshot before the lock.
  for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout'] as const)
    if (!refused.has(limit)) await sql`set local ${sql.raw(limit)} = 0`.execute(trx);
  await sql`lock table instance, queue, queue_state in share mode`.execute(trx);
  if (await isInUse(trx))
    throw invalid(
      'the source is in use: stop all Doorlist processes that are connected to it, then run this again',
    );
}

/** Whether there are connections of Doorlist other than this one. */
export async function isInUse(query: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql`select pid from pg_stat_activity
    where datname = current_database() and application_name = 'doorlist' and pid <> pg_backend_pid()`.execute(
    query,
  );
  return rows.length > 0;
}
