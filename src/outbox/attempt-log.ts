import type { Trx } from '../db/database.ts';
import type { Attempt } from './attempt.ts';
import type { Delivery } from './delivery.ts';
import { forgetErasedResponses } from './erase.ts';
import { delayAfter } from './retry.ts';

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

/**
 * If another process has claimed the delivery since, that process decides its outcome. The attempt is logged
 * anyway.
 */
export function writeAttempts(
  trx: Trx,
  ended: readonly (EndedAttempt & { readonly next: NextStep })[],
): void {
  const deliveries = ended.map(({ delivery, next }) => {
    const { target, eventId, token } = delivery;
    return {
      queue_id: target.queueId,
      channel: target.channel,
      target_id: target.id,
      event_id: eventId,
      token,
      ...next,
    };
  });
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
  trx.update('delivery', { key: ['queue_id', 'channel', 'target_id', 'event_id', 'token'] }, deliveries);
  // If the outcome of the commit is unknown, the same attempt is recorded again.
  trx.insert('delivery_attempt', attempts, { onConflict: 'ignore' });
  forgetErasedResponses(
    trx,
    answered.map(({ delivery }) => delivery),
  );
}
