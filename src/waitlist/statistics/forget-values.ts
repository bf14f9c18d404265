import type { Database } from '../../db/database.ts';
import { bytesKey } from '../../lib/ids.ts';
import { utcDay } from '../../lib/time.ts';
import type { Metadata } from '../people/person.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { countedValueOf, OTHERS, openLabels, readKeys, ValueCounts } from './count-values.ts';

/**
 * A value that nobody has any more could say something about who had it: it moves to the others, and its
 * label is deleted. Call it after pairs were deleted. Without their hashes, it looks at all values.
 */
export async function forgetValues(
  { db }: { db: Database },
  { trx, queue }: QueueChange,
  pairHashes: readonly Uint8Array[] | undefined,
): Promise<void> {
  if (pairHashes?.length === 0) return;
  let query = trx
    .selectFrom('metadata_value as v')
    .select(['v.key', 'v.pair_hash'])
    .where('v.queue_id', '=', queue.id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('metadata_pair as p')
            .select('p.seq')
            .whereRef('p.queue_id', '=', 'v.queue_id')
            .whereRef('p.pair_hash', '=', 'v.pair_hash'),
        ),
      ),
    );
  if (pairHashes) query = query.where((e) => db.in(e.ref('v.pair_hash'), pairHashes));
  const orphans = await query.execute();
  if (orphans.length === 0) return;
  const hashes = orphans.map(({ pair_hash }) => pair_hash);
  const counted = await trx
    .deleteFrom('metadata_count')
    .where('queue_id', '=', queue.id)
    .where((e) => db.in(e.ref('pair_hash'), hashes))
    .returning(['key', 'day', 'signups'])
    .execute();
  await trx
    .deleteFrom('metadata_value')
    .where('queue_id', '=', queue.id)
    .where((e) => db.in(e.ref('pair_hash'), hashes))
    .execute();
  const counts = new ValueCounts();
  for (const { key, day, signups } of counted) counts.add(key, day, OTHERS, signups);
  trx.insert('metadata_count', counts.rows(queue.id), { onConflict: { add: ['signups'] } });
}

/** Counts an entry with its new metadata instead of the old one, if it has been counted. */
export async function moveValues(
  change: QueueChange,
  seq: number,
  before: Metadata | null,
  after: Metadata | null,
): Promise<void> {
  const { trx, queue } = change;
  const keys = (await readKeys(trx, queue)).filter(({ counted_seq }) => counted_seq >= seq);
  if (keys.length === 0) return;
  const { created_at } = await trx
    .selectFrom('entry')
    .select('created_at')
    .where('queue_id', '=', queue.id)
    .where('seq', '=', seq)
    .executeTakeFirstOrThrow();
  const labels = await openLabels(
    change,
    keys.map(({ key }) => key),
  );
  const counts = new ValueCounts();
  const day = utcDay(created_at);
  for (const { key } of keys) {
    const [had, has] = [before, after].map((metadata) => countedValueOf(queue.vault, metadata, key));
    if (had && has && bytesKey(had.pairHash) === bytesKey(has.pairHash)) continue;
    if (had) counts.add(key, day, labels.isCounted(key, had) ? had.pairHash : OTHERS, -1);
    if (has) counts.add(key, day, labels.hashFor(key, has), 1);
  }
  labels.write();
  trx.insert('metadata_count', counts.rows(queue.id), { onConflict: { add: ['signups'] } });
}

/** Counts these entries no longer, as far as they have been counted. */
export async function dropValues(
  change: QueueChange,
  people: readonly { seq: number; createdAt: number; metadata: Metadata | null }[],
): Promise<void> {
  const { trx, queue } = change;
  const keys = await readKeys(trx, queue);
  if (keys.length === 0) return;
  const labels = await openLabels(
    change,
    keys.map(({ key }) => key),
  );
  const counts = new ValueCounts();
  for (const { seq, createdAt, metadata } of people) {
    for (const { key, counted_seq } of keys) {
      const value = counted_seq >= seq ? countedValueOf(queue.vault, metadata, key) : undefined;
      if (value)
        counts.add(key, utcDay(createdAt), labels.isCounted(key, value) ? value.pairHash : OTHERS, -1);
    }
  }
  trx.insert('metadata_count', counts.rows(queue.id), { onConflict: { add: ['signups'] } });
}
