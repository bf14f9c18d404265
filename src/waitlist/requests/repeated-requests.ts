import type { Database, Trx } from '../../db/database.ts';
import { sharedNow } from '../../db/shared-clock.ts';
import { conflict } from '../../lib/errors.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Context } from '../queue/context.ts';

/** As long as a request can be repeated. */
const REPEATABLE_MS = DAY_MS;

/** Of what belongs to no queue. */
const NO_QUEUE = 0;

/** A request that says by which key it is known again. */
export interface KeyedRequest {
  /** Where its answer is kept: with the queue it is about, if it is about one. */
  queueId?: number | undefined;
  vault: Vault<'repeated_request.answer', 'request'>;
  /** Kind and id of who sent it. Nobody else gets its answer. */
  actor: string;
  operation: string;
  key: string;
  /** All that it asks for. */
  content: () => unknown;
  /** Its content is known only once the work has received it, before its first change. */
  arrivesLater?: boolean;
}

interface Place {
  queue_id: number;
  key_hash: Buffer;
}

function placeOf({ queueId = NO_QUEUE, vault, actor, operation, key }: KeyedRequest): Place {
  return { queue_id: queueId, key_hash: vault.hash('request', JSON.stringify([actor, operation, key])) };
}

function hashOf({ vault, content }: KeyedRequest): Buffer {
  return vault.hash('request', JSON.stringify(content(), sorted));
}

/** The order of the keys of an object means nothing. */
function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields);
}

/** What the first request with this key was answered, or undefined if there was none within a day. */
export async function findAnswer<T>(
  { db, now }: { db: Pick<Database, 'query'>; now: number },
  request: KeyedRequest,
): Promise<{ answer: T } | undefined> {
  const { queue_id, key_hash } = placeOf(request);
  const row = await db.query
    .selectFrom('repeated_request')
    .select(['request_hash', 'answer'])
    .where('queue_id', '=', queue_id)
    .where('key_hash', '=', key_hash)
    .where('created_at', '>', now - REPEATABLE_MS)
    .executeTakeFirst();
  if (!row) return undefined;
  if (!hashOf(request).equals(row.request_hash))
    throw conflict('Idempotency-Key: was sent with another request before; use a new key for a new request');
  if (!row.answer)
    throw conflict('Idempotency-Key: the request was carried out before, and its answer was erased since');
  return { answer: request.vault.open<T>('repeated_request.answer', key_hash, row.answer) };
}

/** Returns false if the key is taken. Waits for a request with the same key that is under way. */
export async function claimKey(trx: Trx, request: KeyedRequest, now: number): Promise<boolean> {
  const place = placeOf(request);
  await trx
    .deleteFrom('repeated_request')
    .where('queue_id', '=', place.queue_id)
    .where('key_hash', '=', place.key_hash)
    .where('created_at', '<=', now - REPEATABLE_MS)
    .execute();
  const claimed = await trx
    .insertInto('repeated_request')
    .values({ ...place, request_hash: hashOf(request), answer: null, created_at: now })
    .onConflict((conflict) => conflict.columns(['queue_id', 'key_hash']).doNothing())
    .returning('queue_id')
    .executeTakeFirst();
  return claimed !== undefined;
}

export async function keepAnswer(trx: Trx, request: KeyedRequest, answer: unknown): Promise<void> {
  const { queue_id, key_hash } = placeOf(request);
  await trx
    .updateTable('repeated_request')
    .set({ answer: request.vault.seal('repeated_request.answer', key_hash, answer) })
    .where('queue_id', '=', queue_id)
    .where('key_hash', '=', key_hash)
    .execute();
}

/**
 * Called in the transaction of an erasure. Answers are sealed as a whole: nobody can tell whether the person is in them.
 * That the requests were carried out stays known.
 */
export async function eraseAnswers(trx: Trx, queueId: number): Promise<void> {
  await trx
    .updateTable('repeated_request')
    .set({ answer: null })
    .where('queue_id', '=', queueId)
    .where('answer', 'is not', null)
    .execute();
}

const FORGOTTEN_AT_ONCE = 1_000;

export async function forgetAnswers(context: Context): Promise<void> {
  const { query, reachable } = context.db;
  const before = (await sharedNow(context)) - REPEATABLE_MS;
  const old = await query
    .selectFrom('repeated_request')
    .select(['queue_id', 'key_hash'])
    .where('created_at', '<=', before)
    .where((e) => reachable(e.ref('queue_id')))
    .limit(FORGOTTEN_AT_ONCE)
    .execute();
  for (const { queue_id, key_hash } of old)
    await query
      .deleteFrom('repeated_request')
      .where('queue_id', '=', queue_id)
      .where('key_hash', '=', key_hash)
      .where('created_at', '<=', before)
      .execute();
}
