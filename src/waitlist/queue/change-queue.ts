import { sql } from 'kysely';
import type { Trx } from '../../db/database.ts';
import { sharedTime } from '../../db/shared-clock.ts';
import { statement } from '../../db/statement.ts';
import { STATUSES, type Status } from '../../db/tables.ts';
import { notFound } from '../../lib/errors.ts';
import type { Span } from '../../lib/telemetry.ts';
import { writeMessages } from '../../outbox/message.ts';
import type { Target } from '../../outbox/target.ts';
import type { Context } from './context.ts';
import type { DomainEvent } from './events.ts';
import { entriesAtCommit, type Listener } from './listener.ts';
import type { Queue } from './queue.ts';
import type { QueueChange } from './queue-change.ts';
import { readSettings, settingsOf } from './queue-settings.ts';
import { Tally } from './tally.ts';

/** The update locks the row, so the transactions of a queue run one after the other. */
const lockQueue = statement<
  { queueId: number },
  { last_seq: number; closed: number; opened: number; waiting: number; listens: string; rules: number }
>((db, parameter) =>
  db.query
    .updateTable('queue_state')
    .set({ last_seq: sql`last_seq` })
    .where('queue_id', '=', parameter('queueId'))
    .returning(['last_seq', 'closed', 'opened', 'waiting', 'listens', 'rules']),
);

/**
 * Every change to a queue runs in here: lock, work, counters, messages, commit. After a deadlock all of it runs
 * again, so `work` must have no other effects.
 */
export function changeQueue<T>(
  context: Context,
  queue: Queue,
  work: (change: QueueChange) => Promise<T>,
): Promise<T> {
  return readAndChangeQueue(context, queue, async () => undefined, work);
}

/**
 * For work that starts with a read known in advance: the read is sent together with the lock and runs right
 * after it. Writes that `work` does not await are sent together with the commit.
 */
export async function readAndChangeQueue<R, T>(
  context: Context,
  queue: Queue,
  read: (trx: Trx) => Promise<R>,
  work: (change: QueueChange, found: R) => Promise<T> | T,
): Promise<T> {
  let targets: readonly Target[] = [];
  const attempt = async (trx: Trx) => {
    targets = [];
    const locking = trx.run(lockQueue, { queueId: queue.id });
    // A separate statement after the lock: in PostgreSQL a statement sees other tables as they were when it
    // started, and the settings may have changed while it waited for the lock.
    const reading = trx.run(readSettings, {
      waitlistId: queue.waitlist.internalId,
      queueId: queue.id,
    });
    const [[row], [settingsRow], found] = await Promise.all([locking, reading, read(trx)]);
    if (!row || !settingsRow) throw notFound('there is no such waitlist'); // It was deleted a moment ago.
    const settings = settingsOf(settingsRow, row.listens);
    const audiences = context.listeners.map((listener): Audience => ({ listener, events: [] }));
    const change: QueueChange = {
      trx,
      queue,
      now: sharedTime(context, settingsRow.now),
      settings,
      waiting: row.waiting,
      rules: row.rules,
      lastSeq: row.last_seq,
      places: { closed: row.closed, opened: row.opened },
      tally: new Tally(),
      record: (event) => {
        for (const { listener, events } of audiences) if (listener.wants(event, settings)) events.push(event);
      },
    };
    const outcome = await work(change, found);
    writeCounters(change, row.last_seq);
    const listening = audiences.filter(({ events }) => events.length > 0);
    if (listening.length > 0) targets = await sendMessages(change, listening, context.tracer?.current());
    return outcome;
  };
  const result = await context.db.transaction(attempt);
  if (targets.length > 0) context.wakeUps.send(targets);
  return result;
}

/** A listener and the events it wants from this change. */
interface Audience {
  listener: Listener;
  events: DomainEvent[];
}

/** Runs after all other writes of the change, so that listeners see entries as they will be at the commit. */
async function sendMessages(
  change: QueueChange,
  audiences: readonly Audience[],
  span: Span | undefined,
): Promise<readonly Target[]> {
  const entries = entriesAtCommit(change);
  // Started together, so that their reads share a round trip.
  const composing = audiences.map(({ listener, events }) => listener.compose(change, events, entries));
  const messages = (await Promise.all(composing)).flat();
  if (span) for (const { id, targets } of messages) span.leadsTo(id, targets);
  return writeMessages(change.trx, change.queue.id, messages, change.now);
}

const writeInvites = statement<{ queueId: number; open: number; accepted: number }, object>((db, parameter) =>
  db.query
    .updateTable('queue_state')
    .set({
      open_invites: sql`open_invites + ${parameter('open')}`,
      accepted_invites: sql`accepted_invites + ${parameter('accepted')}`,
    })
    .where('queue_id', '=', parameter('queueId')),
);

const writeQueue = statement<{ queueId: number; lastSeq: number } & Record<Status, number>, object>(
  (db, parameter) =>
    db.query
      .updateTable('queue_state')
      .set({
        last_seq: parameter('lastSeq'),
        ...Object.fromEntries(
          STATUSES.map((status) => [status, sql`${sql.ref(status)} + ${parameter(status)}`]),
        ),
      })
      .where('queue_id', '=', parameter('queueId')),
);

function writeCounters({ trx, queue, lastSeq, tally }: QueueChange, seqBefore: number): void {
  const counts = tally.buckets.map(({ level, bucket, delta }) => ({
    queue_id: queue.id,
    level,
    bucket,
    waiting: delta,
  }));
  trx.insert('rank_count', counts, { onConflict: { add: ['waiting'] } });
  tally.slots.write(trx, queue.id);
  const { invited, accepted, expired, revoked } = tally.slots.totals;
  const open = invited - accepted - expired - revoked;
  if (open !== 0 || accepted !== 0) trx.write(writeInvites, { queueId: queue.id, open, accepted });
  const deltas = STATUSES.map((status) => [status, tally.statuses.get(status) ?? 0] as const);
  if (lastSeq === seqBefore && deltas.every(([, delta]) => delta === 0)) return;
  const byStatus = Object.fromEntries(deltas) as Record<Status, number>;
  trx.write(writeQueue, { queueId: queue.id, lastSeq, ...byStatus });
}
