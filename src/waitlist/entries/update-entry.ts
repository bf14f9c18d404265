import { sql } from 'kysely';
import { DoorlistError, invalid, notFound, Problems } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { Unreadable } from '../../vault/crypto.ts';
import { type Metadata, metadataPairs, type Person, parseMetadata } from '../people/person.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import { positionOf } from '../queue/positions.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { forgetValues, moveValues } from '../statistics/forget-values.ts';
import { confirmAll } from './confirm-entry.ts';
import { moveInQueue } from './move-in-queue.ts';

interface EntryChanges {
  /** null removes all of it. */
  metadata?: unknown;
  position?: number;
  /** Confirms a pending entry. */
  status?: 'waiting';
}

/** Changes an entry in place of its owner, all of it or nothing. */
export async function updateEntry(
  context: Context,
  queue: Queue,
  entryId: string,
  { metadata, position, status }: EntryChanges,
): Promise<void> {
  if (status !== undefined && position !== undefined)
    throw invalid('position: cannot be set together with status; confirm the entry first');
  if (position !== undefined && (!Number.isSafeInteger(position) || position < 1))
    throw invalid('position: must be a whole number from 1');
  const problems = new Problems();
  const parsed =
    metadata === undefined || metadata === null ? null : parseMetadata(metadata, 'metadata', problems);
  problems.throwIfAny();
  await changeQueue(context, queue, async (change) => {
    const entry = await findRow(change, entryId);
    const object = { kind: 'entry', id: entryId } as const;
    if (status === 'waiting' && entry.status !== 'waiting') {
      if (entry.status !== 'pending')
        throw new DoorlistError(
          'conflict',
          `status: only a pending entry can be confirmed; this one is ${entry.status}`,
        );
      await confirmAll(change, [entry], context.actor);
      await context.audit?.(change.trx, { action: 'entry.confirmed', object });
    }
    if (metadata !== undefined) {
      await changeMetadata(context, change, entry, parsed);
      await context.audit?.(change.trx, { action: 'entry.updated', object });
    }
    if (position !== undefined) {
      if (entry.status !== 'waiting' || entry.position === null)
        throw new DoorlistError(
          'conflict',
          `position: only waiting entries have one; this one is ${entry.status}`,
        );
      const from = entry.position;
      const to = await moveInQueue(change, { ...entry, position: from }, position);
      await context.audit?.(change.trx, {
        action: 'entry.moved',
        object,
        before: { position: from },
        after: { position: to },
      });
    }
  });
}

async function findRow({ trx, queue }: QueueChange, entryId: string) {
  const id = parseId('ent', entryId);
  const row =
    id &&
    (await trx
      .selectFrom('entry as e')
      .select(['e.seq', 'e.closed', 'e.opened', 'e.id', 'e.status', 'e.rank', 'e.referrals', 'e.person'])
      .select(positionOf('e', sql.val(queue.id)).as('position'))
      .where('e.queue_id', '=', queue.id)
      .where('e.id', '=', id)
      .executeTakeFirst());
  if (!row || row.status === 'removed') throw notFound(`there is no entry ${entryId}`);
  return row;
}

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
