import { Unreadable } from '../../vault/crypto.ts';
import type { Metadata } from '../people/metadata.ts';
import { metadataPairs } from '../people/metadata-pairs.ts';
import type { Person } from '../people/person.ts';
import type { Context } from '../queue/context.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { forgetValues, moveValues } from '../statistics/forget-values.ts';

interface SealedEntry {
  readonly seq: number;
  readonly id: Uint8Array;
  readonly person: Uint8Array | null;
}

/** Replaces the metadata of an entry, and what segments find it by. */
export async function changeMetadata(
  context: Context,
  change: QueueChange,
  entry: SealedEntry,
  metadata: Metadata | null,
): Promise<void> {
  const { trx, queue } = change;
  const { vault } = queue;
  if (!entry.person) throw new Error('an entry that was not erased has a person');
  const person = vault.open<Person>('entry.person', entry.id, entry.person);
  const before = await forgetPairs(context, change, entry);
  const id = Buffer.from(entry.id);
  const sealed = vault.seal('entry.person', id, { ...person, metadata } satisfies Person);
  trx.update('entry', { key: ['queue_id', 'seq'] }, [{ queue_id: queue.id, seq: entry.seq, person: sealed }]);
  const hashes = metadata === null ? [] : metadataPairs(vault, metadata);
  trx.insert(
    'metadata_pair',
    hashes.map((hash) => ({ queue_id: queue.id, pair_hash: hash, seq: entry.seq })),
  );
  await moveValues(change, entry.seq, person.metadata, metadata);
  await forgetValues(context, change, before);
}

/** Returns the hashes of the deleted pairs, or undefined if they are unknown. */
export async function forgetPairs(
  { db }: Context,
  { trx, queue }: QueueChange,
  entry: SealedEntry,
): Promise<Buffer[] | undefined> {
  const pairs = trx.deleteFrom('metadata_pair').where('queue_id', '=', queue.id).where('seq', '=', entry.seq);
  try {
    const person = entry.person && queue.vault.open<Person>('entry.person', entry.id, entry.person);
    const hashes = person?.metadata ? metadataPairs(queue.vault, person.metadata) : [];
    if (hashes.length > 0) await pairs.where((e) => db.in(e.ref('pair_hash'), hashes)).execute();
    return hashes;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    await pairs.execute(); // The entry's pairs are unknown by now, so search all pairs of the queue.
    return undefined;
  }
}
