import type { Database } from '../../db/database.ts';
import { ERASURE_DECISIONS, type ErasureDecision } from '../../db/tables.ts';
import { conflict, invalid, notFound } from '../../lib/errors.ts';
import { formatId, type Id, newId, parseId } from '../../lib/ids.ts';
import { readText } from '../../lib/text.ts';
import { ifReadable } from '../../vault/crypto.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';

export { ERASURE_DECISIONS, type ErasureDecision };

export const REASON_CHARACTERS_MAX = 500;

/** Somebody who may not erase asks those who may. */
export interface ErasureRequest {
  id: Id<'ers'>;
  seq: number;
  /** Only while it is open: it can be about the person. */
  reason: string | null;
  /** Kind and id of the operator, token or command line that asked. */
  askedBy: string | null;
  createdAt: number;
  decision: ErasureDecision | null;
  decidedBy: string | null;
  decidedAt: number | null;
}

export function askForErasure(
  context: Context,
  queue: Queue,
  entryId: string,
  reason: string | undefined,
): Promise<ErasureRequest> {
  const said = reason === undefined ? '' : readText(reason, REASON_CHARACTERS_MAX);
  if (said === undefined) throw invalid(`reason: must be at most ${REASON_CHARACTERS_MAX} characters`);
  return changeQueue(context, queue, async (change) => {
    const { trx, now } = change;
    const { seq } = await findPerson(change, entryId);
    const [open] = await selectRequests(trx, queue)
      .where('seq', '=', seq)
      .where('decided_at', 'is', null)
      .execute();
    if (open) throw conflict('an erasure of this person is asked for already');
    const id = newId(now);
    const row = {
      ...{ queue_id: queue.id, id, seq, asked_by: context.actor ?? null, created_at: now },
      reason: said === '' ? null : queue.vault.seal('erasure.reason', id, said),
    };
    trx.insert('erasure_request', [row]);
    await context.audit?.(trx, {
      action: 'erasure.requested',
      object: { kind: 'entry', id: entryId },
      after: { request: formatId('ers', id) },
    });
    return toRequest(queue, { ...row, decision: null, decided_by: null, decided_at: null });
  });
}

async function findPerson({ trx, queue }: QueueChange, entryId: string) {
  const id = parseId('ent', entryId);
  const row =
    id &&
    (await trx
      .selectFrom('entry')
      .select(['seq', 'person'])
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .executeTakeFirst());
  if (!row) throw notFound(`there is no entry ${entryId}`);
  if (!row.person) throw conflict('this entry was erased: nothing is stored about the person');
  return row;
}

interface RequestQuery {
  state: 'open' | 'decided' | undefined;
  /** Only those about this entry. */
  seq: number | undefined;
  limit: number;
  /** The id of the last request of the previous page. */
  after: Uint8Array | undefined;
}

/** Newest first. */
export async function listErasureRequests(
  { db }: Context,
  queue: Queue,
  { state, seq, limit, after }: RequestQuery,
): Promise<ErasureRequest[]> {
  let query = selectRequests(db.query, queue).orderBy('id', 'desc').limit(limit);
  if (state === 'open') query = query.where('decided_at', 'is', null);
  if (state === 'decided') query = query.where('decided_at', 'is not', null);
  if (seq !== undefined) query = query.where('seq', '=', seq);
  if (after) query = query.where('id', '<', after);
  return (await query.execute()).map((row) => toRequest(queue, row));
}

export async function countOpenRequests({ db }: Context, queue: Queue): Promise<number> {
  const { open } = await db.query
    .selectFrom('erasure_request')
    .select((e) => e.fn.countAll<number>().as('open'))
    .where('queue_id', '=', queue.id)
    .where('decided_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(open);
}

/** Under the lock of the queue, if it is still open. */
export async function requireOpenRequest(
  { trx, queue }: QueueChange,
  requestId: string,
): Promise<ErasureRequest> {
  const request = await findRequest(trx, queue, requestId);
  if (request.decision !== null) throw conflict(`this request was already ${request.decision}`);
  return request;
}

export async function findRequest(
  query: Database['query'],
  queue: Queue,
  requestId: string,
): Promise<ErasureRequest> {
  const id = parseId('ers', requestId);
  const row = id && (await selectRequests(query, queue).where('id', '=', id).executeTakeFirst());
  if (!row) throw notFound(`there is no request ${requestId}`);
  return toRequest(queue, row);
}

/** Decides those about an entry that are open, and forgets what all of them say about the person. */
export async function closeRequests(
  { trx, queue, now }: QueueChange,
  seq: number,
  decision: ErasureDecision,
  decidedBy: string | undefined,
): Promise<void> {
  const requests = () =>
    trx.updateTable('erasure_request').where('queue_id', '=', queue.id).where('seq', '=', seq);
  await requests()
    .set({ decision, decided_by: decidedBy ?? null, decided_at: now })
    .where('decided_at', 'is', null)
    .execute();
  await requests().set({ reason: null }).where('reason', 'is not', null).execute();
}

interface Row {
  id: Uint8Array;
  seq: number;
  reason: Uint8Array | null;
  asked_by: string | null;
  created_at: number;
  decision: ErasureDecision | null;
  decided_by: string | null;
  decided_at: number | null;
}

function selectRequests(query: Database['query'], queue: Queue) {
  return query
    .selectFrom('erasure_request')
    .select(['id', 'seq', 'reason', 'asked_by', 'created_at', 'decision', 'decided_by', 'decided_at'])
    .where('queue_id', '=', queue.id);
}

/** A reason that cannot be decrypted is left out. */
function toRequest({ vault }: Queue, row: Row): ErasureRequest {
  const { id, seq, reason, decision } = row;
  const said = reason && ifReadable(() => vault.open<string>('erasure.reason', id, reason));
  return {
    id: formatId('ers', id),
    seq,
    reason: said ?? null,
    askedBy: row.asked_by,
    createdAt: row.created_at,
    decision,
    decidedBy: row.decided_by,
    decidedAt: row.decided_at,
  };
}
