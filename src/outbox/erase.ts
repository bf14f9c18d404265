import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database, Trx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { BEGIN_WITHIN_MS, type Delivery, ERASED } from './delivery.ts';
import { onLastAttempt } from './read-deliveries.ts';
import { findTargets } from './target.ts';

const LOOK_EVERY_MS = 20;

interface Erasure {
  queueId: number;
  /** Messages about any of these are erased. */
  subjects: readonly Uint8Array[];
  /** Subjects that must not be stored any longer either, such as the hash of an address. */
  forget: readonly Uint8Array[];
  now: number;
}

/** An attempt that a process has started or may be about to start. */
interface OpenAttempt {
  channel: string;
  targetId: Uint8Array;
  eventId: Uint8Array;
  attempt: number;
}

/**
 * Erases the bodies of all messages about these subjects and the responses to them, and ends their pending
 * deliveries. After the commit, call the returned function: it resolves once nothing more can be sent.
 */
export async function eraseMessages(db: Database, trx: Trx, erasure: Erasure): Promise<() => Promise<void>> {
  const { queueId, subjects, forget, now } = erasure;
  // Until the commit, no process can claim a delivery of this queue or record an attempt.
  db.lockDeliveries(trx, [queueId], 'exclusive');
  const about = trx.selectFrom('event_subject').where('queue_id', '=', queueId);
  const rows = await about
    .select('event_id')
    .distinct()
    .where((e) => db.in(e.ref('subject'), subjects))
    .execute();
  const eventIds = rows.map(({ event_id }) => event_id);
  const open = eventIds.length === 0 ? [] : await endDeliveries(db, trx, { queueId, eventIds, now });
  trx.write(eraseBodies, { queueId, eventIds });
  trx.write(eraseResponses, { queueId, eventIds });
  trx.write(forgetSubjects, { queueId, subjects: forget });
  db.markErased(trx);
  return () => attemptsOver(db, queueId, open);
}

type EventsOfQueue = { queueId: number; eventIds: readonly Uint8Array[] };

const eraseBodies = statement<EventsOfQueue, object>((db, parameter) =>
  db.query
    .updateTable('event')
    .set({ body: null })
    .where('queue_id', '=', parameter('queueId'))
    .where((e) => db.in(e.ref('id'), parameter('eventIds'))),
);

const eraseResponses = statement<EventsOfQueue, object>((db, parameter) =>
  db.query
    .updateTable('delivery_attempt')
    .set({ response: null })
    .where('queue_id', '=', parameter('queueId'))
    .where((e) => db.in(e.ref('event_id'), parameter('eventIds'))),
);

const forgetSubjects = statement<{ queueId: number; subjects: readonly Uint8Array[] }, object>(
  (db, parameter) =>
    db.query
      .deleteFrom('event_subject')
      .where('queue_id', '=', parameter('queueId'))
      .where((e) => db.in(e.ref('subject'), parameter('subjects'))),
);

/**
 * Ends unclaimed deliveries. Claimed deliveries without a logged attempt may be in progress: they are left to
 * their process and returned.
 */
async function endDeliveries(
  db: Database,
  trx: Trx,
  { queueId, eventIds, now }: EventsOfQueue & { now: number },
): Promise<OpenAttempt[]> {
  const open: OpenAttempt[] = [];
  const ended: OpenAttempt[] = [];
  for (const { channel, id: targetId } of await findTargets(trx, queueId)) {
    const rows = await trx
      .selectFrom('delivery as d')
      .leftJoin('delivery_attempt as a', onLastAttempt)
      .select(['d.event_id', 'd.attempts', 'a.attempt as logged'])
      .where('d.queue_id', '=', queueId)
      .where('d.channel', '=', channel)
      .where('d.target_id', '=', targetId)
      .where('d.due_at', 'is not', null)
      .where((e) => db.in(e.ref('d.event_id'), eventIds))
      .execute();
    for (const { event_id: eventId, attempts, logged } of rows) {
      const claimed = attempts > 0 && logged === null;
      if (claimed) open.push({ channel, targetId, eventId, attempt: attempts });
      else ended.push({ channel, targetId, eventId, attempt: attempts + 1 });
    }
  }
  writeEnded(trx, ended, { queueId, now });
  return open;
}

function writeEnded(
  trx: Trx,
  ended: readonly OpenAttempt[],
  { queueId, now }: { queueId: number; now: number },
): void {
  const keys = ended.map(({ channel, targetId, eventId }) => ({
    queue_id: queueId,
    channel,
    target_id: targetId,
    event_id: eventId,
  }));
  trx.update(
    'delivery',
    { key: ['queue_id', 'channel', 'target_id', 'event_id'] },
    ended.map(({ attempt }, index) => ({
      ...(keys[index] as (typeof keys)[number]),
      attempts: attempt,
      due_at: null,
      failed_at: now,
    })),
  );
  trx.insert(
    'delivery_attempt',
    ended.map(({ attempt }, index) => ({
      ...(keys[index] as (typeof keys)[number]),
      attempt,
      at: now,
      duration_ms: 0,
      status: null,
      error: ERASED.error,
      response: null,
    })),
  );
}

/** Call after the erasure commits. Resolves once none of these attempts can start. */
async function attemptsOver(db: Database, queueId: number, open: readonly OpenAttempt[]): Promise<void> {
  if (open.length === 0) return;
  const overAt = performance.now() + BEGIN_WITHIN_MS;
  const eventIds = open.map(({ eventId }) => eventId);
  while (performance.now() < overAt) {
    const logged = await db.query
      .selectFrom('delivery_attempt')
      .select(['channel', 'target_id', 'event_id', 'attempt'])
      .where('queue_id', '=', queueId)
      .where((e) => db.in(e.ref('event_id'), eventIds))
      .execute()
      .catch(() => []); // The erasure is already committed. If this query fails, wait the full time.
    const isLogged = (one: OpenAttempt) =>
      logged.some(
        (row) =>
          row.attempt >= one.attempt &&
          row.channel === one.channel &&
          Buffer.compare(row.event_id, one.eventId) === 0 &&
          Buffer.compare(row.target_id, one.targetId) === 0,
      );
    if (open.every(isLogged)) return;
    await pause(LOOK_EVERY_MS);
  }
}

const eraseLateResponses = statement<EventsOfQueue, object>((db, parameter) =>
  db.query
    .updateTable('delivery_attempt')
    .set({ response: null })
    .where('queue_id', '=', parameter('queueId'))
    .where((e) => db.in(e.ref('event_id'), parameter('eventIds')))
    .where('response', 'is not', null)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('event')
            .select(sql`1`.as('one'))
            .where('event.queue_id', '=', parameter('queueId'))
            .whereRef('event.id', '=', 'delivery_attempt.event_id')
            .where('event.body', 'is not', null),
        ),
      ),
    ),
);

/** A response can echo what was sent, so responses that arrive after the erasure are erased too. */
export function forgetErasedResponses(trx: Trx, answered: readonly Delivery[]): void {
  for (const [queueId, some] of Map.groupBy(answered, ({ target }) => target.queueId))
    trx.write(eraseLateResponses, { queueId, eventIds: some.map(({ eventId }) => eventId) });
}
