import pg from 'pg';
import { rethrow } from './errors.ts';
import type { Pool } from './pool.ts';
import { repeatRolledBack } from './repeat.ts';
import type { Session } from './session.ts';
import { setLocal } from './settings.ts';
import { inTransaction, runAlone } from './transaction.ts';

/**
 * An ordinary write, which fails on a read-only server, and whose commit waits for the disk. In one statement, so that
 * a process that hangs holds no lock. As a query, so that nobody takes it for a change.
 */
const WRITE = `with touched as (update schema_version set version = version returning version)
  select count(*) from touched`;

/** Exceeds its memory limit and spills to a file next to the tables, which fails on a full disk. */
const SPILL = 'select count(*) from generate_series(1, 10000)';
const LITTLE_MEMORY = { work_mem: '64kB', temp_tablespaces: '' };

/** A server that does not know what the spill needs. */
const UNSUPPORTED_STATE = /^(0A|42)/;

/** Changes nothing, and fails on everything that a signup could fail on. */
export function createProbe(pool: Pool): () => Promise<void> {
  let canSpill = true;
  const spill = async (_: unknown, session: Session) => {
    await session.run(setLocal(LITTLE_MEMORY, pool.refusedSettings));
    await session.run({ text: SPILL });
  };
  return async () => {
    await repeatRolledBack(() => runAlone(pool, { text: WRITE }));
    if (!canSpill) return;
    await inTransaction(pool, spill).catch((error: Error) => {
      canSpill = !(error instanceof pg.DatabaseError && UNSUPPORTED_STATE.test(error.code ?? ''));
      if (canSpill) rethrow(error);
    });
  };
}
