import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';

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
