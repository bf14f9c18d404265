import type { Trx } from '../db/database.ts';
import type { Log } from '../lib/log.ts';
import type { AttemptOutcome } from '../lib/telemetry.ts';
import { HOUR_MS, MINUTE_MS } from '../lib/time.ts';
import type { Channel } from './channel.ts';
import { type Attempt, type Delivery, ERASED } from './delivery.ts';
import { forgetErasedResponses } from './erase.ts';

/** Returns undefined if no attempt was made. The delivery is claimed again when its lease ends. */
export async function attemptDelivery(
  log: Log,
  channel: Channel,
  delivery: Delivery,
): Promise<Attempt | undefined> {
  const { target, body, permit } = delivery;
  if (body === null) return ERASED;
  try {
    const attempt = await channel.send(delivery, body);
    return attempt ?? (permit.erased ? ERASED : undefined);
  } catch (error) {
    const { name, message } = error as Error;
    const fields = { queue: target.queueId, channel: channel.name, error: name, reason: message };
    log.error(fields, 'a delivery could not be attempted');
    return { ...ERASED, final: false, error: 'not sent because of an internal error: see the log' };
  }
}

export interface EndedAttempt {
  delivery: Delivery;
  attempt: Attempt;
  at: number;
}

/** What happens to a delivery after an attempt. It is unfinished while `due_at` is set. */
interface NextStep {
  tries: number;
  due_at: number | null;
  delivered_at: number | null;
  failed_at: number | null;
}

/** An attempt, and what becomes of its delivery. */
export interface LoggedAttempt extends EndedAttempt {
  readonly next: NextStep;
}

export function nextStep({ delivery, attempt }: EndedAttempt, now: number, random: () => number): NextStep {
  const { tries } = delivery;
  const over = attempt.ok || attempt.final === true;
  const delay = over ? null : (attempt.deferMs ?? delayAfter(tries, attempt.retryAfterMs, random));
  return {
    tries: over || attempt.deferMs === undefined ? tries : tries - 1,
    due_at: delay === null ? null : now + delay,
    delivered_at: attempt.ok ? now : null,
    failed_at: attempt.ok || delay !== null ? null : now,
  };
}

/** An email that no mail server took, because there is none. */
export function isKept({ ok, status }: Attempt): boolean {
  return ok && status === null;
}

export function outcomeOf({ attempt, next }: LoggedAttempt): AttemptOutcome {
  if (next.delivered_at !== null) return isKept(attempt) ? 'kept' : 'delivered';
  if (next.failed_at !== null) return 'failed';
  return attempt.deferMs === undefined ? 'retried' : 'deferred';
}

/** The row as long as nobody else has claimed it or made it due. */
function claimOf({ target, eventId, token }: Pick<Delivery, 'target' | 'eventId' | 'token'>) {
  return {
    queue_id: target.queueId,
    channel: target.channel,
    target_id: target.id,
    event_id: eventId,
    token,
  };
}

/**
 * If another process has claimed the delivery since, that process decides its outcome. The attempt is logged
 * anyway.
 */
export function writeAttempts(trx: Trx, ended: readonly LoggedAttempt[]): void {
  const deliveries = ended.map(({ delivery, next }) => ({ ...claimOf(delivery), ...next }));
  // After the deliveries themselves: some of them may have ended in this very transaction.
  const reopened = ended.flatMap(({ attempt: { reopens = [] }, next: { due_at } }) =>
    (due_at === null ? [] : reopens).filter(mayRetry).map((delivery) => ({
      ...claimOf(delivery),
      ...{ tries: delivery.tries, due_at, delivered_at: null, failed_at: null },
    })),
  );
  const attempts = ended.map(({ delivery, attempt, at }) => {
    const { target, eventId } = delivery;
    const { durationMs, status, error, response } = attempt;
    return {
      queue_id: target.queueId,
      channel: target.channel,
      target_id: target.id,
      event_id: eventId,
      attempt: delivery.attempt,
      at: at - durationMs,
      duration_ms: durationMs,
      status,
      error,
      response,
    };
  });
  const answered = ended.filter(({ attempt }) => attempt.response !== null);
  for (const rows of [deliveries, reopened].filter(({ length }) => length > 0))
    trx.update('delivery', { key: ['queue_id', 'channel', 'target_id', 'event_id', 'token'] }, rows);
  // If the outcome of the commit is unknown, the same attempt is recorded again.
  trx.insert('delivery_attempt', attempts, { onConflict: 'ignore' });
  forgetErasedResponses(
    trx,
    answered.map(({ delivery }) => delivery),
  );
}

/** The wait before each attempt, as Standard Webhooks recommends: a little over three days in total. */
export const DELAYS_MS: readonly number[] = [
  0,
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** Only ever added, to spread out the retries of deliveries that failed together. */
const JITTER = 0.1;
/** Limits how long a receiver can ask us to wait. */
const RETRY_AFTER_MS_MAX = 24 * HOUR_MS;

/** Returns the wait after this many attempts, or null after the last. */
export function delayAfter(tries: number, retryAfterMs: number, random: () => number): number | null {
  const delay = DELAYS_MS[tries];
  if (delay === undefined) return null;
  const asked = Math.min(Math.max(retryAfterMs, 0), RETRY_AFTER_MS_MAX);
  const wait = Math.max(delay, asked);
  return wait + Math.floor(wait * JITTER * random());
}

function mayRetry({ tries }: { tries: number }): boolean {
  return tries < DELAYS_MS.length;
}

/** Converts a `Retry-After` header (seconds or a date) to milliseconds. Returns 0 if it is neither. */
export function parseRetryAfter(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  if (/^[0-9]+$/.test(text)) return Number(text) * 1000;
  const date = /^[A-Z][a-z]{2,}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}
