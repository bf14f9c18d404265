import { sql } from 'kysely';
import { DoorlistError, invalid, notFound, Problems } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { parseMetadata } from '../people/metadata.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import { positionOf } from '../queue/positions.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { changeMetadata } from './change-metadata.ts';
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
