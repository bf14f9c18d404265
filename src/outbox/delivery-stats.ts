import { sql } from 'kysely';
import type { Database, Trx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { ERASED } from './attempt.ts';
import { type EndedAttempt, isKept, type NextStep } from './attempt-log.ts';
import { bytesName, targetName } from './target.ts';

const DELIVERY_OUTCOMES = ['delivered', 'kept', 'failed', 'retried'] as const;
type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

const HOUR_MS = 60 * 60 * 1000;

/** Returns undefined for an attempt that says nothing about the health of its target. */
function outcomeOf({ attempt, next }: LoggedAttempt): DeliveryOutcome | undefined {
  if (attempt.ok) return isKept(attempt) ? 'kept' : 'delivered';
  if (attempt.deferMs !== undefined || attempt.error === ERASED.error) return undefined;
  return next.due_at === null ? 'failed' : 'retried';
}

/** An attempt, and what becomes of its delivery. */
export interface LoggedAttempt extends EndedAttempt {
  readonly next: NextStep;
}

/**
 * Call it last in the transaction: the rows of a target stay locked until the commit, and other processes
 * deliver to the same target.
 */
export function countAttempts(trx: Trx, logged: readonly LoggedAttempt[], now: number): void {
  const hour = now - (now % HOUR_MS);
  const byTarget = Map.groupBy(logged, ({ delivery }) => targetName(delivery.target));
  const rows = [...byTarget.values()].flatMap((some) => {
    const counts = { delivered: 0, kept: 0, failed: 0, retried: 0 };
    for (const one of some) {
      const outcome = outcomeOf(one);
      if (outcome) counts[outcome] += 1;
    }
    if (DELIVERY_OUTCOMES.every((outcome) => counts[outcome] === 0)) return [];
    const { queueId, channel, id } = (some[0] as LoggedAttempt).delivery.target;
    return [{ queue_id: queueId, channel, target_id: id, hour, ...counts }];
  });
  // Every process locks them in the same order, so that two never deadlock.
  rows.sort((a, b) => a.queue_id - b.queue_id || compare(bytesName(a.target_id), bytesName(b.target_id)));
  trx.insert('delivery_stat', rows, { onConflict: { add: DELIVERY_OUTCOMES } });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export type HourOfDeliveries = { channel: string; hour: number } & Record<DeliveryOutcome, number>;

const readHours = statement<{ queueId: number; from: number; to: number }, HourOfDeliveries>(
  (db, parameter) => {
    const sum = (name: DeliveryOutcome) => sql<number>`cast(sum(${sql.ref(name)}) as bigint)`.as(name);
    return db.query
      .selectFrom('delivery_stat')
      .select(['channel', 'hour', ...DELIVERY_OUTCOMES.map(sum)])
      .where('queue_id', '=', parameter('queueId'))
      .where('hour', '>=', parameter('from'))
      .where('hour', '<', parameter('to'))
      .groupBy(['channel', 'hour']);
  },
);

/** The outcomes of all attempts in the hours that begin in this time, by channel. */
export async function readDeliveryStats(
  db: Database,
  queueId: number,
  time: { from: number; to: number },
): Promise<HourOfDeliveries[]> {
  return db.run(readHours, { queueId, ...time });
}
