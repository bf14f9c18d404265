import type { OperatorConfirmationTable } from '../../db/tables.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';

/** Which operator confirmed an email that its owner did not confirm here. */
export interface OperatorConfirmation {
  source: OperatorConfirmationTable['source'];
  by: string;
  at: number;
}

export function recordConfirmations(
  { trx, queue, now }: QueueChange,
  seqs: readonly number[],
  source: OperatorConfirmationTable['source'],
  saidBy: string,
): void {
  const rows = seqs.map((seq) => ({ queue_id: queue.id, seq, source, said_by: saidBy, said_at: now }));
  trx.insert('operator_confirmation', rows);
}

export async function findConfirmation(
  { db }: Context,
  queue: Queue,
  entryId: Uint8Array,
): Promise<OperatorConfirmation | null> {
  const row = await db.query
    .selectFrom('operator_confirmation as c')
    .innerJoin('entry as e', (join) =>
      join.onRef('e.queue_id', '=', 'c.queue_id').onRef('e.seq', '=', 'c.seq'),
    )
    .select(['c.source', 'c.said_by', 'c.said_at'])
    .where('e.queue_id', '=', queue.id)
    .where('e.id', '=', entryId)
    .executeTakeFirst();
  return row ? { source: row.source, by: row.said_by, at: row.said_at } : null;
}
