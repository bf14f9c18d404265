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

/** The same for the shards on each worker. One that does not answer analyzes them itself later. */
const ANALYZE_GROWN_SHARDS = `select from run_command_on_workers($command$
  do $do$
  declare grown record;
  begin
    for grown in ${GROWN} loop
      execute 'analyze (skip_locked) ' || grown.name;
    end loop;
  end $do$
$command$)`;

export function analyzeGrownTables(pool: Pool): Promise<void> {
  const work = async (_: unknown, session: Session) => {
    const { rows } = await session.run({ text: GROWN });
    for (const { name } of rows) await session.run({ text: `analyze (skip_locked) ${name}` });
    if (pool.flavor.isDistributed) await session.run({ text: ANALYZE_GROWN_SHARDS });
  };
  return inTransaction(pool, work, { long: true });
}
