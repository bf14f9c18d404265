import type { Clock } from '../clock.ts';
import type { Database, Trx } from './database.ts';

interface Clocks {
  readonly db: Database;
  readonly clock: Clock;
}

/**
 * What is due, and what has expired, is decided by the database's clock, which instances share. A clock that was
 * handed in goes before it.
 */
export async function sharedNow({ db, clock }: Clocks, trx?: Trx): Promise<number> {
  return clock === Date.now ? db.now(trx) : clock();
}

/** The same where the database's time came along with a row. */
export function sharedTime({ clock }: Pick<Clocks, 'clock'>, read: number): number {
  return clock === Date.now ? read : clock();
}

/** The same without asking, as far as it is known since the last look: for what happens with every request. */
export function knownSharedNow({ directory, clock }: { directory: { now(): number }; clock: Clock }): number {
  return clock === Date.now ? directory.now() : clock();
}
