import { sharedNow } from '../../db/shared-clock.ts';
import { countHeld } from '../../outbox/hold.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { LEAST_SENT, percentOf, type Rates, readRates } from './rates.ts';
import { allowanceAt, isPaused, mailTarget, readSending, startOfDay } from './state.ts';

export const WAITING_MAX = 10_000;

export interface Sending extends Rates {
  bounceRate: number | null;
  complaintRate: number | null;
  /** Percent. */
  bouncePercent: number | null;
  complaintPercent: number | null;
  pausedAt: number | null;
  pauseReason: string | null;
  /** Emails that are held by a pause or the warm-up, up to a number. */
  waiting: number;
  warmUp: WarmUp | null;
}

interface WarmUp {
  start: number;
  to: number;
  /** May be sent today. */
  today: number;
  sentToday: number;
  dayEndsAt: number;
}

/** Of few emails, a report says nothing, and it may be about one that was sent long before. */
function rateOf(reported: number, rates: Rates): number | null {
  return rates.sent < LEAST_SENT ? null : percentOf(reported, rates);
}

/** How sending goes: rates, limits, a pause and the warm-up. */
export async function showSending(context: Context, queue: Queue): Promise<Sending> {
  const { db } = context;
  const now = await sharedNow(context);
  const state = await readSending(db.query, queue);
  const rates = await readRates(db.query, queue, state, now);
  const paused = isPaused(state);
  const percent = (limit: number | null) => (limit === null ? null : limit / 100);
  const allowance = allowanceAt(state, now);
  return {
    ...rates,
    bounceRate: rateOf(rates.bounced, rates),
    complaintRate: rateOf(rates.complained, rates),
    bouncePercent: percent(state.bounce_limit),
    complaintPercent: percent(state.complaint_limit),
    pausedAt: paused ? state.paused_at : null,
    pauseReason: paused ? state.pause_reason : null,
    waiting: await countHeld(db, mailTarget(queue.id), now, WAITING_MAX),
    warmUp: allowance
      ? {
          start: state.warm_up_start ?? 0,
          to: state.warm_up_to ?? 0,
          today: allowance.number,
          sentToday: allowance.taken,
          dayEndsAt: startOfDay(allowance.day + 1),
        }
      : null,
  };
}
