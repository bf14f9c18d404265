import { type Kysely, sql } from 'kysely';
import type { Trx } from '../database.ts';
import type { Tables } from '../tables.ts';
import { type OptionalSetting, setLocal } from './settings.ts';

/** An arbitrary number that every Doorlist shares. */
export const SCHEMA_LOCK = 7_362_015_001;
/**
 * While a migration waits for a table, everyone else waits behind it, readers too. So it gives up soon, and
 * tries again.
 */
const TABLE_WAIT_MS = 3_000;

/** Waits for other migrations as long as it takes, and for tables only a moment. */
export async function lockSchema(trx: Trx, refused: ReadonlySet<OptionalSetting>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${SCHEMA_LOCK})`.execute(trx);
  // Migrations read whole tables.
  const settings = { lock_timeout: String(TABLE_WAIT_MS), enable_seqscan: 'on' };
  await sql.raw(setLocal(settings, refused).text).execute(trx);
}

/** The holders of the locks that a session is waiting for. */
export async function blockersOf(query: Kysely<Tables>, session: number): Promise<string[]> {
  const { rows } = await sql<{ pid: number; name: string; client: string; state: string; seconds: number }>`
    select pid, application_name as name, coalesce(host(client_addr), 'a local socket') as client,
      coalesce(state, 'working') as state,
      floor(extract(epoch from clock_timestamp() - xact_start))::bigint as seconds
    from pg_stat_activity where pid = any(pg_blocking_pids(${session}::integer))`.execute(query);
  return rows.map(
    ({ pid, name, client, state, seconds }) =>
      `PostgreSQL process ${pid} (${name || 'no application name'} from ${client}, ${state}, transaction open for ${seconds ?? 0} s)`,
  );
}

/** When the transaction began that holds the schema's lock. */
export async function migratingSince(query: Kysely<Tables>): Promise<number | undefined> {
  const [high, low] = [Math.floor(SCHEMA_LOCK / 2 ** 32), SCHEMA_LOCK % 2 ** 32];
  const { rows } = await sql<{ since: number }>`
    select (extract(epoch from a.xact_start) * 1000)::bigint as since
    from pg_locks as l join pg_stat_activity as a on a.pid = l.pid
    where l.locktype = 'advisory' and l.granted and l.objsubid = 1
      and l.database = (select oid from pg_database where datname = current_database())
      and l.classid::bigint = ${high} and l.objid::bigint = ${low}`.execute(query);
  return rows[0]?.since;
}
