import { invalid } from '../../lib/errors.ts';
import { releaseHeld } from '../../outbox/hold.ts';
import { changeQueue } from '../queue/change-queue.ts';
import { afterCommit, type Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { countSent } from './rates.ts';
import { endPause, review } from './review.ts';
import {
  allowanceAt,
  columnsOf,
  dayOf,
  isPaused,
  lockSending,
  mailTarget,
  readSending,
  type SendingState,
  writeSending,
} from './state.ts';

export const WARM_UP_START = 50;
export const WARM_UP_MAX = 1_000_000;

export interface WarmUpPlan {
  start: number;
  to: number;
}

/** What is omitted stays as it is. */
export interface SendingChanges {
  /** Percent. null for no limit. */
  bouncePercent?: number | null | undefined;
  complaintPercent?: number | null | undefined;
  /** null switches it off. */
  warmUp?: WarmUpPlan | null | undefined;
  /** Ends a pause. Counting starts anew. */
  paused?: false | undefined;
}

export async function changeSending(context: Context, queue: Queue, changes: SendingChanges): Promise<void> {
  checkPercent('bouncePercent', changes.bouncePercent);
  checkPercent('complaintPercent', changes.complaintPercent);
  checkWarmUp(changes.warmUp);
  const release = await changeQueue(context, queue, async (change) => {
    await changeSettings(context, change, changes);
    const resumed = changes.paused === false && (await resume(context, change));
    const recovered = await review(context, change);
    return resumed || recovered || changes.warmUp !== undefined;
  });
  if (release) await afterCommit(context, (context) => releaseHeld(context, mailTarget(queue.id)));
}

function checkPercent(field: string, percent: number | null | undefined): void {
  if (percent == null) return;
  if (!(percent >= 0.01 && percent <= 100)) throw invalid(`${field}: must be 0.01 to 100, or null`);
  if (Math.abs(percent * 100 - Math.round(percent * 100)) > 1e-6)
    throw invalid(`${field}: must have at most two decimal places`);
}

function checkWarmUp(warmUp: WarmUpPlan | null | undefined): void {
  if (!warmUp) return;
  const { start, to } = warmUp;
  for (const [name, value] of Object.entries({ start, to }))
    if (!(Number.isInteger(value) && value >= 1 && value <= WARM_UP_MAX))
      throw invalid(`warmUp.${name}: must be a whole number from 1 to ${WARM_UP_MAX}`);
  if (to < start) throw invalid('warmUp.to: must not be below warmUp.start');
}

async function changeSettings(
  context: Context,
  { trx, queue, now }: QueueChange,
  { bouncePercent, complaintPercent, warmUp }: SendingChanges,
): Promise<void> {
  const before = await lockSending(trx, queue);
  const columns = {
    ...(bouncePercent === undefined ? {} : { bounce_limit: hundredths(bouncePercent) }),
    ...(complaintPercent === undefined ? {} : { complaint_limit: hundredths(complaintPercent) }),
    ...(warmUp === undefined ? {} : warmUpColumns(before, warmUp, now)),
  };
  const was = shown(before);
  const is = shown({ ...before, ...columns });
  if (JSON.stringify(was) === JSON.stringify(is)) return;
  await writeSending(trx, queue, columns);
  const object = { kind: 'waitlist', id: queue.waitlist.id } as const;
  await context.audit?.(trx, { action: 'mail_sending.updated', object, before: was, after: is });
}

function hundredths(percent: number | null): number | null {
  return percent === null ? null : Math.round(percent * 100);
}

/** Another start begins anew. What was sent today still counts. */
function warmUpColumns(before: SendingState, warmUp: WarmUpPlan | null, now: number): Partial<SendingState> {
  if (!warmUp) return { warm_up_start: null, warm_up_to: null };
  const { start, to } = warmUp;
  const plan = { warm_up_start: start, warm_up_to: to };
  const known = allowanceAt(before, now);
  const isAnew = !known || before.warm_up_start !== start;
  const fresh = { day: Math.max(dayOf(now), before.warm_up_day), number: start, taken: 0 };
  const taken = before.warm_up_day === fresh.day ? before.warm_up_taken : 0;
  return { ...plan, ...columnsOf(isAnew ? { ...fresh, taken } : known) };
}

function shown({ bounce_limit, complaint_limit, warm_up_start, warm_up_to }: SendingState) {
  const percent = (limit: number | null) => (limit === null ? null : limit / 100);
  return {
    bouncePercent: percent(bounce_limit),
    complaintPercent: percent(complaint_limit),
    warmUp: warm_up_to === null ? null : { start: warm_up_start, to: warm_up_to },
  };
}

/** Returns false if there was no pause. */
async function resume(context: Context, change: QueueChange): Promise<boolean> {
  const { trx, queue, now } = change;
  const state = await readSending(trx, queue);
  if (!isPaused(state)) return false;
  await writeSending(trx, queue, { counted_from: now, sent_before: await countSent(trx, queue, now) });
  await endPause(context, change);
  const object = { kind: 'waitlist', id: queue.waitlist.id } as const;
  await context.audit?.(trx, {
    action: 'mail_sending.resumed',
    object,
    before: { pauseReason: state.pause_reason },
  });
  return true;
}
