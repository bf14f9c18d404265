import { sql } from 'kysely';
import type { Trx } from '../../db/database.ts';
import { knownSharedNow, sharedTime } from '../../db/shared-clock.ts';
import { statement } from '../../db/statement.ts';
import { notFound } from '../../lib/errors.ts';
import type { Span } from '../../lib/tracer.ts';
import { writeMessages } from '../../outbox/message.ts';
import type { Target } from '../../outbox/target.ts';
import type { Context } from './context.ts';
import { entriesAtCommit } from './entries-at-commit.ts';
import type { DomainEvent } from './events.ts';
import {
  expectationOf,
  expectQueue,
  type Identities,
  type LockedRow,
  type QueueState,
} from './expected-queue.ts';
import type { Listener } from './listener.ts';
import type { Queue } from './queue.ts';
import type { QueueChange } from './queue-change.ts';
import { readSettings, settingsOf } from './queue-settings.ts';
import { Tally } from './tally.ts';
import { writeCounters } from './write-counters.ts';

/** The update locks the row, so the transactions of a queue run one after the other. */
const lockQueue = statement<{ queueId: number }, LockedRow>((db, parameter) =>
  db.query
    .updateTable('queue_state')
    .set({ last_seq: sql`last_seq` })
    .where('queue_id', '=', parameter('queueId'))
    .returning(['last_seq', 'waiting', 'listens']),
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

interface ChangeOptions {
  /** Called before the commit, with the state in which it will leave the queue. Unknown if there are messages. */
  leaves?(state: QueueState | undefined): void;
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
  options?: ChangeOptions,
): Promise<T> {
  const { outcome, targets } = await context.db.transaction(async (trx) => {
    const locking = trx.run(lockQueue, { queueId: queue.id });
    // A separate statement after the lock: in PostgreSQL a statement sees other tables as they were when it
    // started, and the settings may have changed while it waited for the lock.
    const reading = trx.run(readSettings, {
      waitlistId: queue.waitlist.internalId,
      queueId: queue.id,
    });
    const [[row], [settings], found] = await Promise.all([locking, reading, read(trx)]);
    if (!row || !settings) throw notFound('there is no such waitlist'); // It was deleted a moment ago.
    return carryOut(context, queue, trx, { row, settings }, (change) => work(change, found), options);
  });
  if (targets.length > 0) context.wakeUps.send(targets);
  return outcome;
}

/**
 * The same in one round trip, for work that needs no read but whether these people are unknown: it continues as if the
 * queue were in the expected state. If it was not, nothing has changed, and the result is undefined.
 */
export async function changeExpectedQueue<T>(
  context: Context,
  queue: Queue,
  { state, unknown }: { state: QueueState; unknown: Identities },
  work: (change: QueueChange) => Promise<T> | T,
  options?: ChangeOptions,
): Promise<T | undefined> {
  const settings = { ...state.settings, now: knownSharedNow(context) };
  const { outcome, targets, asking } = await context.db.transaction(async (trx) => {
    trx.write(lockQueue, { queueId: queue.id });
    const asking = trx.run(expectQueue, expectationOf(queue, state, unknown));
    asking.catch(() => {}); // The transaction fails for the same reason.
    const { insert, update, write } = trx;
    const writes = { insert, update, write } as Trx; // What it reads may not be so.
    const change = await carryOut(context, queue, writes, { row: state.row, settings }, work, options);
    return { ...change, asking };
  });
  const [answer] = await asking;
  if (answer?.holds !== 1) return undefined;
  if (targets.length > 0) context.wakeUps.send(targets);
  return outcome;
}

async function carryOut<T>(
  context: Context,
  queue: Queue,
  trx: Trx,
  { row, settings: settingsRow }: QueueState,
  work: (change: QueueChange) => Promise<T> | T,
  { leaves }: ChangeOptions = {},
): Promise<{ outcome: T; targets: readonly Target[] }> {
  const settings = settingsOf(settingsRow, row.listens);
  const audiences = context.listeners.map((listener): Audience => ({ listener, events: [] }));
  const change: QueueChange = {
    trx,
    queue,
    now: sharedTime(context, settingsRow.now),
    settings,
    waiting: row.waiting,
    lastSeq: row.last_seq,
    tally: new Tally(),
    record: (event) => {
      for (const { listener, events } of audiences) if (listener.wants(event, settings)) events.push(event);
    },
  };
  const outcome = await work(change);
  writeCounters(change, row.last_seq);
  const listening = audiences.filter(({ events }) => events.length > 0);
  if (listening.length > 0) {
    leaves?.(undefined);
    return { outcome, targets: await sendMessages(change, listening, context.tracer?.current()) };
  }
  const waiting = row.waiting + (change.tally.statuses.get('waiting') ?? 0);
  leaves?.({ row: { ...row, last_seq: change.lastSeq, waiting }, settings: settingsRow });
  return { outcome, targets: [] };
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
