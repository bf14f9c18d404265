import type { Trx } from '../../db/database.ts';
import type { Context } from '../../waitlist/context.ts';

/** What is due is decided by the database's clock, which instances share. A clock that was handed in goes before it. */
export async function sharedNow({ db, clock }: Pick<Context, 'db' | 'clock'>, trx?: Trx): Promise<number> {
  return clock === Date.now ? db.now(trx) : clock();
}
