import type { Trx } from '../db/database.ts';
import type { AttemptOutcome } from '../lib/meter.ts';
import type { Attempt } from './attempt.ts';
import type { Delivery } from './delivery.ts';
import { forgetErasedResponses } from './erase.ts';
import { delayAfter, mayRetry } from './retry.ts';

export interface EndedAttempt {
  delivery: Delivery;
  attempt: Attempt;
  at: number;
}

/** What happens to a delivery after an attempt. It is unfinished while `due_at` is set. */
export interface NextStep {
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
