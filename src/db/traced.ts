import type { Tracer } from '../lib/telemetry.ts';
import type { Database } from './database.ts';

/** The same database, whose transactions are part of the trace that they belong to. */
export function tracedDatabase(db: Database, tracer: Tracer): Database {
  const traced = (untraced: Database): Database => ({
    ...untraced,
    transaction: (work, options) => tracer.transaction(db.engine, () => untraced.transaction(work, options)),
  });
  return { ...traced(db), unlimited: traced(db.unlimited) };
}
