import { sql } from 'kysely';
import type { Database, Trx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { HOUR_MS } from '../lib/time.ts';
import { isKept, type LoggedAttempt } from './deliver.ts';
import { ERASED } from './delivery.ts';
import { compareTargets, type Target, targetName } from './target.ts';

export interface ChannelHealth {
  channel: string;
  pending: number;
  failed: number;
}

/** Counting stops here, so that a look costs the same however large the backlog is. */
export const HEALTH_COUNT_MAX = 1_000;

const ofQueue = statement<{ queueId: number }, ChannelHealth>((db, parameter) => {
  const count = (column: 'due_at' | 'failed_at') =>
    sql`(select count(*) from (select 1 from delivery as d where d.queue_id = ${parameter('queueId')}
      and d.channel = c.channel and d.${sql.ref(column)} is not null limit ${sql.lit(HEALTH_COUNT_MAX)}) as counted)`;
  const query = sql`select c.channel, ${count('due_at')} as pending, ${count('failed_at')} as failed
    from (select 'webhook' as channel union all select 'email') as c`;
  return { compile: () => query.compile(db.query) as never };
});

/** What is waiting for its next attempt, and what was given up, by channel. */
export async function readDeliveryHealth(db: Database, queueId: number): Promise<ChannelHealth[]> {
  return db.run(ofQueue, { queueId });
}

/** Where steps along an index are not possible: the cost depends on the backlog. */
const countEach = sql`select channel, count(due_at) as pending, count(failed_at) as failed from delivery
  where due_at is not null or failed_at is not null group by channel`;

/** Skips from queue to channel along the partial indexes, so the cost depends on the number of queues. */
const ofInstallation = statement<object, ChannelHealth>((db) => {
  if (db.isSpread) return { compile: () => countEach.compile(db.query) as never };
  const skip = (name: string, column: 'due_at' | 'failed_at') => {
    const first = (what: string, where: string) =>
      `(select d.${what} from delivery as d where d.${column} is not null and ${where} order by d.${what} limit 1)`;
    return sql.raw(`${name}_q (queue_id) as (
        select ${first('queue_id', 'true')}
        union all
        select ${first('queue_id', `d.queue_id > ${name}_q.queue_id`)} from ${name}_q where ${name}_q.queue_id is not null
      ), ${name}_c (queue_id, channel) as (
        select queue_id, ${first('channel', `d.queue_id = ${name}_q.queue_id`)} from ${name}_q where queue_id is not null
        union all
        select queue_id, ${first('channel', `d.queue_id = ${name}_c.queue_id and d.channel > ${name}_c.channel`)}
        from ${name}_c where channel is not null
      )`);
  };
  const count = (name: string, column: string) =>
    sql.raw(`select c.channel, (select count(*) from (select 1 from delivery as d where d.queue_id = c.queue_id
      and d.channel = c.channel and d.${column} is not null limit ${HEALTH_COUNT_MAX}) as counted) as found
      from ${name}_c as c where c.channel is not null`);
  const query = sql`with recursive ${skip('due', 'due_at')}, ${skip('lost', 'failed_at')}
    select channel, sum(pending) as pending, sum(failed) as failed from (
      select channel, found as pending, 0 as failed from (${count('due', 'due_at')}) as p
      union all
      select channel, 0 as pending, found as failed from (${count('lost', 'failed_at')}) as f
    ) as health group by channel`;
  return { compile: () => query.compile(db.query) as never };
});

export async function readInstallationHealth(db: Database): Promise<ChannelHealth[]> {
  const rows = await db.run(ofInstallation, {});
  return rows.map(({ channel, pending, failed }) => ({
    channel,
    pending: Math.min(Number(pending), HEALTH_COUNT_MAX),
    failed: Math.min(Number(failed), HEALTH_COUNT_MAX),
  }));
}

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
