import { conflict } from '../../lib/errors.ts';
import { formatId } from '../../lib/ids.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { eraseEntry } from './erase-entry.ts';
import {
  closeRequests,
  type ErasureDecision,
  type ErasureRequest,
  findRequest,
  requireOpenRequest,
} from './erasure-requests.ts';

/** Erases the person, which decides the request. */
export async function confirmErasure(
  context: Context,
  queue: Queue,
  requestId: string,
): Promise<ErasureRequest> {
  const request = await findRequest(context.db.query, queue, requestId);
  if (request.decision !== null) throw conflict(`this request was already ${request.decision}`);
  const entryId = await entryIdOf(context, queue, request.seq);
  await eraseEntry(context, queue, entryId, {
    first: async (change) => {
      await requireOpenRequest(change, requestId);
      await record(context, change, { requestId, entryId }, 'confirmed');
    },
  });
  return findRequest(context.db.query, queue, requestId);
}

/** Leaves the person as they are. */
export async function refuseErasure(
  context: Context,
  queue: Queue,
  requestId: string,
): Promise<ErasureRequest> {
  const { seq } = await findRequest(context.db.query, queue, requestId);
  const entryId = await entryIdOf(context, queue, seq);
  await changeQueue(context, queue, async (change) => {
    await requireOpenRequest(change, requestId);
    await closeRequests(change, seq, 'refused', context.actor);
    await record(context, change, { requestId, entryId }, 'refused');
  });
  return findRequest(context.db.query, queue, requestId);
}

async function entryIdOf({ db }: Context, queue: Queue, seq: number): Promise<string> {
  const { id } = await db.query
    .selectFrom('entry')
    .select('id')
    .where('queue_id', '=', queue.id)
    .where('seq', '=', seq)
    .executeTakeFirstOrThrow();
  return formatId('ent', id);
}

async function record(
  context: Context,
  { trx }: QueueChange,
  { requestId, entryId }: { requestId: string; entryId: string },
  decision: ErasureDecision,
): Promise<void> {
  await context.audit?.(trx, {
    action: `erasure.${decision}`,
    object: { kind: 'entry', id: entryId },
    after: { request: requestId },
  });
}
