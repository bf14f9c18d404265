import type { Trx } from '../../db/database.ts';
import { storedJson } from '../../vault/vault.ts';
import type { QueueChange } from '../queue/queue-change.ts';

/** Throws `Unreadable`. */
export function readMetadataKeys({ metadata_keys }: { metadata_keys: string }): string[] {
  return storedJson<string[]>(metadata_keys);
}

/**
 * Makes a queue count the values of these keys only. Keys that it counts already stay as they are. Upkeep
 * counts the values of existing entries.
 */
export async function countOnly(
  { trx, queue }: Pick<QueueChange, 'trx' | 'queue'>,
  keys: readonly string[],
): Promise<void> {
  for (const table of ['metadata_key', 'metadata_value', 'metadata_count'] as const) {
    let dropped = trx.deleteFrom(table).where('queue_id', '=', queue.id);
    if (keys.length > 0) dropped = dropped.where('key', 'not in', keys);
    await dropped.execute();
  }
  startCounting(trx, queue.id, keys);
}

export function startCounting(trx: Trx, queueId: number, keys: readonly string[]): void {
  const rows = keys.map((key) => ({ queue_id: queueId, key, counted_seq: 0 }));
  trx.insert('metadata_key', rows, { onConflict: 'ignore' });
}

/** Counts all values again, from the first entry. */
export async function restartCounting(trx: Trx, queueId: number): Promise<void> {
  for (const table of ['metadata_value', 'metadata_count'] as const)
    await trx.deleteFrom(table).where('queue_id', '=', queueId).execute();
  await trx.updateTable('metadata_key').set({ counted_seq: 0 }).where('queue_id', '=', queueId).execute();
}
