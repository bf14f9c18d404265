import type { Clock } from '../lib/time.ts';
import type { Database, Trx } from './database.ts';

interface Clocks {
  readonly db: Database;
  readonly clock: Clock;
}

/** Due times and expiry use the database's clock, which instances share, unless a clock was passed in. */
export async function sharedNow({ db, clock }: Clocks, trx?: Trx): Promise<number> {
  return clock === Date.now ? db.now(trx) : clock();
}

/** For when the database's time was read along with a row. */
export function sharedTime({ clock }: Pick<Clocks, 'clock'>, read: number): number {
  return clock === Date.now ? read : clock();
}

/** Without a query, estimated since the last check: for every request. */
export function knownSharedNow({ registry, clock }: { registry: { now(): number }; clock: Clock }): number {
  return clock === Date.now ? registry.now() : clock();
}
