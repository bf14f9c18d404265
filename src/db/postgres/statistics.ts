import type { Pool } from './pool.ts';
import type { Session } from './session.ts';
import { inTransaction } from './transaction.ts';

/**
 * Tables that have at least doubled since they were last analyzed. The server's own autoanalyze runs a minute
 * or more apart, and until then it plans for a handful of rows: signups would scan a whole queue to find one
 * person.
 */
const GROWN = `select format('%I.%I', schemaname, s.relname) as name
  from pg_stat_user_tables as s join pg_class as c on c.oid = s.relid
  where schemaname = current_schema() and n_mod_since_analyze > greatest(500, c.reltuples)`;

export function analyzeGrownTables(pool: Pool): Promise<void> {
  const work = async (_: unknown, session: Session) => {
    const { rows } = await session.run({ text: GROWN });
    for (const { name } of rows) await session.run({ text: `analyze (skip_locked) ${name}` });
  };
  return inTransaction(pool, work, { long: true });
}
