import { type Selectable, sql } from 'kysely';
import type { Trx } from '../../db/database.ts';
import { sharedTime } from '../../db/shared-clock.ts';
import { statement } from '../../db/statement.ts';
import { RANK_COUNT_COLUMNS, STATUSES, type Status, type WaitlistTable } from '../../db/tables.ts';
import { type Occasion, occasionOf } from '../../mail/occasion.ts';
import type { Lane } from '../../outbox/bell.ts';
import { type Told, writeEvents } from '../../webhooks/record.ts';
import type { Context } from './context.ts';
import type { Queue } from './directory.ts';
import { type DomainEvent, listensTo } from './events.ts';
import { bucketOf, LEVEL_SHIFTS } from './ranking.ts';

/** A queue whose lock this transaction holds: what is read here stays true until the commit. */
export interface QueueChange {
  readonly trx: Trx;
  readonly queue: Queue;
  /** By the clock that instances share. */
  readonly now: number;
  readonly settings: QueueSettings;
  /** How many waited when the lock was taken. */
  readonly waiting: number;
  lastSeq: number;
  readonly tally: Tally;
  /**
   * Takes a write whose result nobody waits for: the commit does, and fails with it. It must have been sent by
   * `trx.send`, `insertRows` or `updateRows`: the builder's own `execute` could reach the database after the commit.
   */
  send(write: Promise<unknown>): void;
  /** Says that something happened. Costs nothing where nobody listens. */
  record(event: DomainEvent, options?: { mail: boolean }): void;
  /** A mail that nothing which happened brings about. Costs nothing where its kind is switched off. */
  mail(occasion: Occasion): void;
}

/** The settings of the queue's waitlist, as they are while the lock is held. */
export interface QueueSettings {
  readonly boost: number;
  readonly closed: boolean;
  readonly referralCap: number;
  readonly inviteExpiryMs: number | null;
  /** Whether the entry of a revoked or expired invite goes back into the queue. */
  readonly returnToQueue: boolean;
  readonly confirmEmails: boolean;
  /** The kinds of mail that are switched on. */
  readonly mailKinds: readonly string[];
  readonly mailVersion: number;
  readonly inviteReminderMs: number;
}

/** What a change does to the counters of its queue; written once, when the change is complete. */
export class Tally {
  readonly statuses = new Map<Status, number>();
  /** For each level, by how much each of its buckets changes. */
  readonly #levels = LEVEL_SHIFTS.map(() => new Map<number, number>());

  enter(status: Status, rank: number): void {
    this.#add(status, rank, 1);
  }

  leave(status: Status, rank: number): void {
    this.#add(status, rank, -1);
  }

  #add(status: Status, rank: number, delta: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + delta);
    if (status !== 'waiting') return;
    for (const [level, deltas] of this.#levels.entries()) {
      const bucket = bucketOf(rank, level);
      deltas.set(bucket, (deltas.get(bucket) ?? 0) + delta);
    }
  }

  get buckets(): { level: number; bucket: number; delta: number }[] {
    return this.#levels
      .flatMap((deltas, level) => [...deltas].map(([bucket, delta]) => ({ level, bucket, delta })))
      .filter(({ delta }) => delta !== 0);
  }
}

type SettingsRow = Pick<
  Selectable<WaitlistTable>,
  | 'boost'
  | 'closed_at'
  | 'referral_cap'
  | 'invite_expiry_ms'
  | 'expired_stay_invited'
  | 'confirm_emails'
  | 'mail_kinds'
  | 'mail_version'
  | 'invite_reminder_ms'
>;

/** The update takes the row's lock; the transactions of a queue follow one another. */
const lockQueue = statement<
  { queueId: number },
  { last_seq: number; waiting: number; listens: string; now: number }
>((db, parameter) =>
  db.query
    .updateTable('queue')
    .set({ last_seq: sql`last_seq` })
    .where('id', '=', parameter('queueId'))
    .returning(['last_seq', 'waiting', 'listens', db.clock.as('now')]),
);

/**
 * A statement of its own behind the lock: PostgreSQL shows other tables as they were when a statement began, and
 * the lock may have been waited for while the settings changed.
 */
const readSettings = statement<{ waitlistId: number }, SettingsRow>((db, parameter) =>
  db.query
    .selectFrom('waitlist')
    .select(['boost', 'closed_at', 'referral_cap', 'invite_expiry_ms', 'expired_stay_invited'])
    .select(['confirm_emails', 'mail_kinds', 'mail_version', 'invite_reminder_ms'])
    .where('id', '=', parameter('waitlistId')),
);

const writeQueue = statement<{ queueId: number; lastSeq: number } & Record<Status, number>, object>(
  (db, parameter) =>
    db.query
      .updateTable('queue')
      .set({
        last_seq: parameter('lastSeq'),
        pending: sql`pending + ${parameter('pending')}`,
        waiting: sql`waiting + ${parameter('waiting')}`,
        invited: sql`invited + ${parameter('invited')}`,
        joined: sql`joined + ${parameter('joined')}`,
        removed: sql`removed + ${parameter('removed')}`,
      })
      .where('id', '=', parameter('queueId')),
);

function settingsOf(row: SettingsRow): QueueSettings {
  return {
    boost: row.boost,
    closed: row.closed_at !== null,
    referralCap: row.referral_cap ?? Number.POSITIVE_INFINITY,
    inviteExpiryMs: row.invite_expiry_ms,
    returnToQueue: row.expired_stay_invited === 0,
    confirmEmails: row.confirm_emails === 1,
    mailKinds: row.mail_kinds.split(','),
    mailVersion: row.mail_version,
    inviteReminderMs: row.invite_reminder_ms,
  };
}

/** Every change to a queue happens in here: lock, work, counters, commit. */
export function changeQueue<T>(
  context: Context,
  queue: Queue,
  work: (change: QueueChange) => Promise<T>,
): Promise<T> {
  return readAndChangeQueue(context, queue, async () => undefined, work);
}

/**
 * The same, where the work begins with a read that is known beforehand: it is sent along with the lock and runs
 * right behind it. What `work` only sends goes along with the commit.
 */
export async function readAndChangeQueue<R, T>(
  context: Context,
  queue: Queue,
  read: (trx: Trx) => Promise<R>,
  work: (change: QueueChange, found: R) => Promise<T> | T,
): Promise<T> {
  const sent: Promise<unknown>[] = [];
  const send = (write: Promise<unknown>) => {
    write.catch(() => {}); // Told below, together with the commit.
    sent.push(write);
  };
  let lanes: Lane[] = [];
  const result = await context.db.transaction(async (trx) => {
    const locking = lockQueue.within(context.db, trx, { queueId: queue.id });
    const reading = readSettings.within(context.db, trx, { waitlistId: queue.waitlist.internalId });
    const [[row], [settingsRow], found] = await Promise.all([locking, reading, read(trx)]);
    if (!row || !settingsRow) throw new Error(`queue ${queue.id} is gone`);
    const told: Told = { events: [], mails: [] };
    const settings = settingsOf(settingsRow);
    const mail = (occasion: Occasion) => {
      if (settings.mailKinds.includes(occasion.kind)) told.mails.push(occasion);
    };
    const change: QueueChange = {
      trx,
      queue,
      now: sharedTime(context, row.now),
      settings,
      waiting: row.waiting,
      lastSeq: row.last_seq,
      tally: new Tally(),
      send,
      record: (event, options = { mail: true }) => {
        if (listensTo(row.listens, event.kind)) told.events.push(event);
        const occasion = options.mail ? occasionOf(event, settings.confirmEmails) : undefined;
        if (occasion) mail(occasion);
      },
      mail,
    };
    const outcome = await work(change, found);
    writeCounters(context, change, row.last_seq);
    if (told.events.length + told.mails.length > 0) lanes = await writeEvents(context, change, told);
    return outcome;
  });
  await Promise.all(sent);
  if (lanes.length > 0) context.bell.ring(lanes);
  return result;
}

function writeCounters(
  { db }: Context,
  { trx, queue, lastSeq, tally, send }: QueueChange,
  seqBefore: number,
): void {
  send(
    db.insertRows(trx, {
      table: 'rank_count',
      columns: RANK_COUNT_COLUMNS,
      rows: tally.buckets.map(({ level, bucket, delta }) => [queue.id, level, bucket, delta]),
      suffix:
        'on conflict (queue_id, level, bucket) do update set waiting = rank_count.waiting + excluded.waiting',
    }),
  );
  const deltas = STATUSES.map((status) => [status, tally.statuses.get(status) ?? 0] as const);
  if (lastSeq === seqBefore && deltas.every(([, delta]) => delta === 0)) return;
  const byStatus = Object.fromEntries(deltas) as Record<Status, number>;
  send(writeQueue.within(db, trx, { queueId: queue.id, lastSeq, ...byStatus }));
}
