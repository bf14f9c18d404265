import type pg from 'pg';

/**
 * Tables that have at least doubled since they were last looked at. The server has a look of its own, but a minute or
 * more apart, and until then it plans as for a handful of rows: signups would read all of a queue to find one person.
 */
const GROWN = `select format('%I.%I', schemaname, s.relname) as name
  from pg_stat_user_tables as s join pg_class as c on c.oid = s.relid
  where schemaname = current_schema() and n_mod_since_analyze > greatest(500, c.reltuples)`;

export async function analyzeGrownTables(pool: Pick<pg.Pool, 'query'>): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(GROWN);
  for (const { name } of rows) await pool.query(`analyze (skip_locked) ${name}`);
}
