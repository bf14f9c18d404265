import { sql } from 'kysely';
import type { Database, Trx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { DELIVERY_ATTEMPT_COLUMNS } from '../db/tables.ts';
import { ERASED } from './attempt.ts';
import type { Delivery } from './delivery.ts';
import { findTargets } from './find-targets.ts';
import { BEGIN_WITHIN_MS } from './permit.ts';

const LOOK_EVERY_MS = 20;

/** An attempt that some process may be about to begin, or has begun. */
interface OpenAttempt {
  channel: string;
  targetId: Uint8Array;
  eventId: Uint8Array;
  attempt: number;
}

export interface Erasing {
  queueId: number;
  eventIds: readonly Uint8Array[];
  now: number;
}

/**
 * Ends the deliveries of events that are being erased. Those that are claimed are left to whoever claimed them, and
 * returned: what was claimed and has no line in the log may be on its way. Until the commit nobody claims a delivery
 * of the queue or writes down an attempt at one.
 */
export async function endDeliveries(
  db: Database,
  trx: Trx,
  { queueId, eventIds, now }: Erasing,
): Promise<OpenAttempt[]> {
  await db.lockDeliveries(trx, [queueId], 'exclusive');
  if (eventIds.length === 0) return [];
  const open: OpenAttempt[] = [];
  const ended: OpenAttempt[] = [];
  for (const { channel, id: targetId } of await findTargets(trx, queueId)) {
    const deliveries = trx.selectFrom('delivery as d').where('d.queue_id', '=', queueId);
    const rows = await deliveries
      .leftJoin('delivery_attempt as a', (join) =>
        join
          .onRef('a.queue_id', '=', 'd.queue_id')
          .onRef('a.event_id', '=', 'd.event_id')
          .onRef('a.channel', '=', 'd.channel')
          .onRef('a.target_id', '=', 'd.target_id')
          .onRef('a.attempt', '=', 'd.attempts'),
      )
      .select(['d.event_id', 'd.attempts', 'a.attempt as logged'])
      .where('d.channel', '=', channel)
      .where('d.target_id', '=', targetId)
      .where('d.due_at', 'is not', null)
      .where((e) => db.inBytes(e.ref('d.event_id'), e.val(db.bytesList(eventIds))))
      .execute();
    for (const { event_id: eventId, attempts, logged } of rows) {
      const claimed = attempts > 0 && logged === null;
      if (claimed) open.push({ channel, targetId, eventId, attempt: attempts });
      else ended.push({ channel, targetId, eventId, attempt: attempts + 1 });
    }
  }
  await writeEnded(db, trx, ended, { queueId, now });
  return open;
}

async function writeEnded(
  db: Database,
  trx: Trx,
  ended: readonly OpenAttempt[],
  { queueId, now }: Pick<Erasing, 'queueId' | 'now'>,
): Promise<void> {
  await db.updateRows(trx, {
    table: 'delivery',
    columns: {
      queue_id: 'bigint',
      channel: 'text',
      target_id: 'bytes',
      event_id: 'bytes',
      attempts: 'bigint',
      due_at: 'bigint',
      failed_at: 'bigint',
    },
    key: ['queue_id', 'channel', 'target_id', 'event_id'],
    rows: ended.map(({ channel, targetId, eventId, attempt }) => [
      ...[queueId, channel, targetId, eventId],
      ...[attempt, null, now],
    ]),
  });
  await db.insertRows(trx, {
    table: 'delivery_attempt',
    columns: DELIVERY_ATTEMPT_COLUMNS,
    rows: ended.map(({ channel, targetId, eventId, attempt }) => [
      ...[queueId, channel, targetId, eventId, attempt],
      ...[now, 0, null, ERASED.error, null],
    ]),
  });
}

/** After the commit of an erasure: resolves once none of these attempts can begin any more. */
export async function attemptsOver(
  { query, inBytes, bytesList }: Database,
  queueId: number,
  open: readonly OpenAttempt[],
): Promise<void> {
  if (open.length === 0) return;
  const overAt = performance.now() + BEGIN_WITHIN_MS;
  const eventIds = bytesList(open.map(({ eventId }) => eventId));
  while (performance.now() < overAt) {
    const logged = await query
      .selectFrom('delivery_attempt')
      .select(['channel', 'target_id', 'event_id', 'attempt'])
      .where('queue_id', '=', queueId)
      .where((e) => inBytes(e.ref('event_id'), e.val(eventIds)))
      .execute()
      .catch(() => []); // The erasure stands: without an answer it takes the whole time.
    const isLogged = (one: OpenAttempt) =>
      logged.some(
        (row) =>
          row.attempt >= one.attempt &&
          row.channel === one.channel &&
          Buffer.compare(row.event_id, one.eventId) === 0 &&
          Buffer.compare(row.target_id, one.targetId) === 0,
      );
    if (open.every(isLogged)) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

const forgetResponses = statement<{ queueId: number; eventIds: unknown }, object>((db, parameter) =>
  db.query
    .updateTable('delivery_attempt')
    .set({ response: null })
    .where('queue_id', '=', parameter('queueId'))
    .where((e) => db.inBytes(e.ref('event_id'), parameter('eventIds')))
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

/** An answer may echo what was sent: one that came after the erasure goes as well. Sent, not awaited. */
export function forgetErasedResponses(
  db: Database,
  trx: Trx,
  answered: readonly Delivery[],
): Promise<unknown> {
  const byQueue = Map.groupBy(answered, ({ target }) => target.queueId);
  return Promise.all(
    [...byQueue].map(([queueId, some]) =>
      forgetResponses.within(db, trx, { queueId, eventIds: db.bytesList(some.map((one) => one.eventId)) }),
    ),
  );
}
