import type { Selectable } from 'kysely';
import type { Database, Trx } from '../../db/database.ts';
import type { Tables } from '../../db/tables.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { Target } from '../../outbox/target.ts';
import type { Queue } from '../queue/queue.ts';

export type SendingState = Omit<Selectable<Tables['mail_sending']>, 'queue_id'>;

/** In hundredths of a percent. */
const BOUNCE_LIMIT = 1_000;
const COMPLAINT_LIMIT = 50;

const UNCHANGED: SendingState = {
  ...{ bounce_limit: BOUNCE_LIMIT, complaint_limit: COMPLAINT_LIMIT },
  ...{ paused_at: null, resumed_at: null, pause_reason: null, review_at: null },
  ...{ counted_from: null, sent_before: 0 },
  ...{ warm_up_start: null, warm_up_to: null, warm_up_number: 0, warm_up_day: 0, warm_up_taken: 0 },
};

export async function readSending(
  executor: Database['query'] | Trx,
  { id }: Pick<Queue, 'id'>,
): Promise<SendingState> {
  const row = await executor
    .selectFrom('mail_sending')
    .selectAll()
    .where('queue_id', '=', id)
    .executeTakeFirst();
  return row ?? UNCHANGED;
}

export async function writeSending(
  trx: Trx,
  { id }: Pick<Queue, 'id'>,
  columns: Partial<SendingState>,
): Promise<void> {
  await trx
    .insertInto('mail_sending')
    .values({ queue_id: id, ...columns })
    .onConflict((known) => known.column('queue_id').doUpdateSet(columns))
    .execute();
}

/** Whoever claims emails counts in this row, so it stays as it is until the commit. */
export async function lockSending(trx: Trx, queue: Pick<Queue, 'id'>): Promise<SendingState> {
  await trx
    .insertInto('mail_sending')
    .values({ queue_id: queue.id })
    .onConflict((known) =>
      known.column('queue_id').doUpdateSet((e) => ({ sent_before: e.ref('mail_sending.sent_before') })),
    )
    .execute();
  return readSending(trx, queue);
}

export function isPaused({ paused_at, resumed_at }: Pick<SendingState, 'paused_at' | 'resumed_at'>): boolean {
  return paused_at !== null && resumed_at === null;
}

export const MAIL_CHANNEL = 'email';
/** All mails of a queue have one target: the mail server. */
export const MAIL_TARGET: Uint8Array = Buffer.from('mail');

export function mailTarget(queueId: number): Target {
  return { queueId, channel: MAIL_CHANNEL, id: MAIL_TARGET };
}

/** Days are in UTC. */
export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}

export function startOfDay(day: number): number {
  return day * DAY_MS;
}

interface Allowance {
  day: number;
  /** How many emails may be sent on the day. */
  number: number;
  /** How many were sent, or are about to be. */
  taken: number;
}

/** What may be sent on the day of this time. undefined without a warm-up. */
export function allowanceAt(state: SendingState, now: number): Allowance | undefined {
  const { warm_up_to: to, warm_up_number: last, warm_up_day, warm_up_taken: taken } = state;
  if (to === null) return undefined;
  const day = dayOf(now);
  // After the clock was set back, the later day goes on.
  if (day <= warm_up_day) return { day: warm_up_day, number: Math.min(to, last), taken };
  const number = wasUsed(state) && !hadTrouble(state) ? 2 * last : last;
  return { day, number: Math.min(to, number), taken: 0 };
}

/** A day on which little was sent shows nothing. */
function wasUsed({ warm_up_number, warm_up_taken }: SendingState): boolean {
  return 2 * warm_up_taken >= warm_up_number;
}

function hadTrouble(state: SendingState): boolean {
  const start = startOfDay(state.warm_up_day);
  return isPaused(state) || Math.max(state.paused_at ?? 0, state.resumed_at ?? 0) >= start;
}

export function columnsOf({ day, number, taken }: Allowance) {
  return { warm_up_day: day, warm_up_number: number, warm_up_taken: taken };
}
