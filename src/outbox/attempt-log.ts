import type { Database, Trx } from '../db/database.ts';
import { DELIVERY_ATTEMPT_COLUMNS } from '../db/tables.ts';
import type { Attempt } from './attempt.ts';
import type { Delivery } from './delivery.ts';
import { forgetErasedResponses } from './erase.ts';
import { delayAfter } from './retry.ts';

/** An attempt that has ended and is yet to be written down. */
export interface EndedAttempt {
  delivery: Delivery;
  attempt: Attempt;
  at: number;
}

/** When it is due again, and whether it has ended, one way or the other. */
interface NextStep {
  tries: number;
  dueAt: number | null;
  deliveredAt: number | null;
  failedAt: number | null;
}

function nextStep({ delivery, attempt }: EndedAttempt, now: number, random: () => number): NextStep {
  const { tries } = delivery;
  const over = attempt.ok || attempt.final === true;
  const delay = over ? null : (attempt.deferMs ?? delayAfter(tries, attempt.retryAfterMs, random));
  return {
    tries: over || attempt.deferMs === undefined ? tries : tries - 1,
    dueAt: delay === null ? null : now + delay,
    deliveredAt: attempt.ok ? now : null,
    failedAt: attempt.ok || delay !== null ? null : now,
  };
}

/** Sent, not awaited. A delivery that another process has claimed meanwhile is left to it; the log gets the attempt anyway. */
export function writeAttempts(
  db: Database,
  trx: Trx,
  ended: readonly EndedAttempt[],
  { now, random }: { now: number; random: () => number },
): Promise<unknown> {
  return Promise.all([
    db.updateRows(trx, {
      table: 'delivery',
      columns: {
        queue_id: 'bigint',
        channel: 'text',
        target_id: 'bytes',
        event_id: 'bytes',
        token: 'bytes',
        tries: 'bigint',
        due_at: 'bigint',
        delivered_at: 'bigint',
        failed_at: 'bigint',
      },
      key: ['queue_id', 'channel', 'target_id', 'event_id', 'token'],
      rows: ended.map((one) => {
        const { target, eventId, token } = one.delivery;
        const { tries, dueAt, deliveredAt, failedAt } = nextStep(one, now, random);
        return [
          ...[target.queueId, target.channel, target.id, eventId, token],
          ...[tries, dueAt, deliveredAt, failedAt],
        ];
      }),
    }),
    db.insertRows(trx, {
      table: 'delivery_attempt',
      columns: DELIVERY_ATTEMPT_COLUMNS,
      rows: ended.map(({ delivery, attempt, at }) => {
        const { target, eventId } = delivery;
        const { durationMs, status, error, response } = attempt;
        return [
          ...[target.queueId, target.channel, target.id, eventId, delivery.attempt],
          ...[at - durationMs, durationMs, status, error, response],
        ];
      }),
      suffix: 'on conflict do nothing', // The same report again, when nobody knows whether its commit went through.
    }),
    forgetErasedResponses(
      db,
      trx,
      ended.filter(({ attempt }) => attempt.response !== null).map(({ delivery }) => delivery),
    ),
  ]);
}
