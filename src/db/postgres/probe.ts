import pg from 'pg';
import { DatabaseUnavailable } from '../database.ts';
import { grantsMissing, OF_A_SIGNUP, selectDenied } from './allowed.ts';
import { rethrow } from './errors.ts';
import type { Pool } from './pool.ts';
import type { Session } from './session.ts';
import { setLocal } from './settings.ts';
import { inTransaction, repeatRolledBack, runAlone } from './transaction.ts';

/**
 * An ordinary write, which fails on a read-only server, and whose commit waits for the disk. In one statement, so that
 * a process that hangs holds no lock. As a query, so that nobody takes it for a change.
 */
const WRITE = `with touched as (update schema_version set version = version returning version)
  select count(*) from touched`;

/** Exceeds its memory limit and spills to a file next to the tables, which fails on a full disk. */
const SPILL = 'select count(*) from generate_series(1, 10000)';
const LITTLE_MEMORY = { work_mem: '64kB', temp_tablespaces: '' };

/** The write shows only that one table can be used. */
const GRANTS = selectDenied(OF_A_SIGNUP);

/** A server that does not know what the spill or the question about grants needs. */
const UNSUPPORTED_STATE = /^(0A|42)/;

/** Changes nothing, and fails on everything that a signup could fail on. */
export function createProbe(pool: Pool): () => Promise<void> {
  let canLook = true;
  const look = async (_: unknown, session: Session) => {
    const { rows } = await session.run({ text: GRANTS });
    const missing = grantsMissing(rows[0]);
    if (missing !== undefined) throw new DatabaseUnavailable(missing);
    await session.run(setLocal(LITTLE_MEMORY, pool.refusedSettings));
    await session.run({ text: SPILL });
  };
  return async () => {
    await repeatRolledBack(() => runAlone(pool, { text: WRITE }));
    if (!canLook) return;
    await inTransaction(pool, look).catch((error: Error) => {
      canLook = !(error instanceof pg.DatabaseError && UNSUPPORTED_STATE.test(error.code ?? ''));
      if (canLook) rethrow(error);
    });
  };
}
