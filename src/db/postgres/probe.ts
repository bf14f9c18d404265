import { rethrow } from './errors.ts';
import type { Pool } from './pool.ts';
import type { Session } from './session.ts';
import { inTransaction } from './transaction.ts';

/**
 * Changes no table, and fails on everything that a signup could fail on. A read-only server rejects the
 * update although it matches no row. The series exceeds its memory limit and spills to a file next to the
 * tables, which fails on a full disk. The message is written to the log that every commit waits for.
 */
const ATTEMPTS = [
  `select set_config('work_mem', '64kB', true), set_config('temp_tablespaces', '', true)`,
  'update schema_version set version = version where false',
  'select count(*) from generate_series(1, 10000)',
  `select pg_logical_emit_message(true, 'doorlist', 'ready?')`,
];

export function tryToWrite(pool: Pool): Promise<void> {
  const work = async (_: unknown, session: Session) => {
    await Promise.all(ATTEMPTS.map((text) => session.run({ text }).catch(rethrow)));
  };
  return inTransaction(pool, work);
}
