import type { Pool } from './postgres-pool.ts';
import type { Session } from './postgres-session.ts';
import { inTransaction } from './postgres-transaction.ts';

/**
 * Leaves nothing behind in any table, and meets everything that a signup could stumble over.
 * A read-only server refuses the update although it finds no row. The rows of the series don't fit into the memory
 * that they are given, and go to a file where the tables are: a full disk refuses it. The message goes to the log
 * that every commit waits for.
 */
const ATTEMPTS = [
  `select set_config('work_mem', '64kB', true), set_config('temp_tablespaces', '', true)`,
  'update schema_version set version = version where false',
  'select count(*) from generate_series(1, 10000)',
  `select pg_logical_emit_message(true, 'doorlist', 'ready?')`,
];

export function tryToWrite(pool: Pool): Promise<void> {
  const work = async (_: unknown, session: Session) => {
    await Promise.all(ATTEMPTS.map((text) => session.run({ text })));
  };
  return inTransaction(pool, work);
}
