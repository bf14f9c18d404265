import { DAY_MS } from '../../lib/time.ts';
import { isPaused, type SendingState } from './state.ts';

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
