import { sql } from 'kysely';
import type { Database, Trx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { HOUR_MS } from '../lib/time.ts';
import { ERASED } from './attempt.ts';
import { isKept, type LoggedAttempt } from './attempt-log.ts';
import { compareTargets, type Target, targetName } from './target.ts';

const DELIVERY_OUTCOMES = ['delivered', 'kept', 'failed', 'retried'] as const;
type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** Returns undefined for an attempt that says nothing about the health of its target. */
function countedOutcome({ attempt, next }: LoggedAttempt): DeliveryOutcome | undefined {
  if (attempt.ok) return isKept(attempt) ? 'kept' : 'delivered';
  if (attempt.deferMs !== undefined || attempt.error === ERASED.error) return undefined;
  return next.due_at === null ? 'failed' : 'retried';
}

/**
 * Call it last in the transaction: the rows of a target stay locked until the commit, and other processes
 * deliver to the same target.
 */
export function countAttempts(trx: Trx, logged: readonly LoggedAttempt[], now: number): void {
  const hour = now - (now % HOUR_MS);
  const byTarget = Map.groupBy(logged, ({ delivery }) => targetName(delivery.target));
  // Every process locks them in the same order, so that two never deadlock.
  const inOrder = [...byTarget.values()].sort(([a], [b]) => compareTargets(targetOf(a), targetOf(b)));
  const rows = inOrder.flatMap((some) => {
    const counts = { delivered: 0, kept: 0, failed: 0, retried: 0 };
    for (const one of some) {
      const outcome = countedOutcome(one);
      if (outcome) counts[outcome] += 1;
    }
    if (DELIVERY_OUTCOMES.every((outcome) => counts[outcome] === 0)) return [];
    const { queueId, channel, id } = targetOf(some[0]);
    return [{ queue_id: queueId, channel, target_id: id, hour, ...counts }];
  });
  trx.insert('delivery_stat', rows, { onConflict: { add: DELIVERY_OUTCOMES } });
}

function targetOf(logged: LoggedAttempt | undefined): Target {
  return (logged as LoggedAttempt).delivery.target;
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
