import { sql } from 'kysely';
import { conflict } from '../../lib/errors.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { QueueChange } from '../queue/queue-change.ts';

/** Whoever is removed sooner than that leaves their place to somebody else. */
const RETURNED_WITHIN_MS = DAY_MS;

/** Gives codes the places back that these people took a short time ago. Joining sequences, both included. */
export async function returnPlaces(
  { trx, queue, now }: QueueChange,
  { first_seq, last_seq }: { first_seq: number; last_seq: number },
  kept: ReadonlySet<number> = new Set(),
): Promise<void> {
  let uses = trx
    .updateTable('code_use')
    .set({ returned_at: now })
    .where('queue_id', '=', queue.id)
    .where('seq', '>=', first_seq)
    .where('seq', '<=', last_seq)
    .where('used_at', '>', now - RETURNED_WITHIN_MS)
    .where('returned_at', 'is', null);
  if (kept.size > 0) uses = uses.where('seq', 'not in', [...kept]);
  for (const { code_id } of await uses.returning('code_id').execute())
    await trx
      .updateTable('code')
      .set({ used: sql`used - 1` })
      .where('queue_id', '=', queue.id)
      .where('id', '=', code_id)
      .execute();
}

/** For somebody who is put back. A code that was deleted lets nobody in any more, so nobody is counted. */
export async function takePlacesAgain({ trx, queue }: QueueChange, seq: number): Promise<void> {
  const returned = await trx
    .selectFrom('code_use as u')
    .innerJoin('code as c', (join) =>
      join.onRef('c.queue_id', '=', 'u.queue_id').onRef('c.id', '=', 'u.code_id'),
    )
    .select('c.id')
    .where('u.queue_id', '=', queue.id)
    .where('u.seq', '=', seq)
    .where('u.returned_at', 'is not', null)
    .where('c.deleted_at', 'is', null)
    .execute();
  for (const { id } of returned) {
    if (!(await takePlace({ trx, queue }, id)))
      throw conflict('the code that this person came with is used up: raise its limit first');
    await trx
      .updateTable('code_use')
      .set({ returned_at: null })
      .where('queue_id', '=', queue.id)
      .where('code_id', '=', id)
      .where('seq', '=', seq)
      .execute();
  }
}

/** Whether there was one left. */
export async function takePlace(
  { trx, queue }: Pick<QueueChange, 'trx' | 'queue'>,
  id: Uint8Array,
): Promise<boolean> {
  const taken = await trx
    .updateTable('code')
    .set({ used: sql`used + 1` })
    .where('queue_id', '=', queue.id)
    .where('id', '=', id)
    .where(sql<boolean>`used < most`)
    .returning('id')
    .executeTakeFirst();
  return taken !== undefined;
}
