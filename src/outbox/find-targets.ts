import { sql } from 'kysely';
import type { Database, Trx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Target } from './target.ts';

export interface DueTarget extends Target {
  /** When its first delivery is due. */
  readonly dueAt: number;
}

/**
 * Skips along the index from queue to channel to target, with one probe each, so the cost depends on the
 * number of targets and not on the backlog.
 */
const findDue = statement<object, DueTarget>((db) => {
  const first = (column: string, where: string) =>
    sql.raw(`(select d.${column} from delivery as d
    where d.due_at is not null and ${where} order by d.${column} limit 1)`);
  const sameQueue = (row: string) => `d.queue_id = ${row}.queue_id`;
  const sameChannel = (row: string) => `${sameQueue(row)} and d.channel = ${row}.channel`;
  const query = sql`with recursive q (queue_id) as (
      select ${first('queue_id', 'true')}
      union all
      select ${first('queue_id', 'd.queue_id > q.queue_id')} from q where q.queue_id is not null
    ), c (queue_id, channel) as (
      select q.queue_id, ${first('channel', sameQueue('q'))} from q where q.queue_id is not null
      union all
      select c.queue_id, ${first('channel', `${sameQueue('c')} and d.channel > c.channel`)} from c
      where c.channel is not null
    ), target (queue_id, channel, target_id) as (
      select c.queue_id, c.channel, ${first('target_id', sameChannel('c'))} from c where c.channel is not null
      union all
      select target.queue_id, target.channel,
        ${first('target_id', `${sameChannel('target')} and d.target_id > target.target_id`)} from target
      where target.target_id is not null
    )
    select queue_id as "queueId", channel, target_id as id,
      ${first('due_at', `${sameChannel('target')} and d.target_id = target.target_id`)} as "dueAt"
    from target where target_id is not null`;
  return { compile: () => query.compile(db.query) as never };
});

/** Returns every target with unfinished deliveries, due now or later. */
export async function findDueTargets(db: Database): Promise<DueTarget[]> {
  return db.run(findDue, {});
}

/**
 * Returns every target of a queue that has deliveries, including finished ones. Skips along the primary key,
 * because deliveries have no index by event.
 */
export async function findTargets(trx: Trx, queueId: number): Promise<Target[]> {
  const first = (column: string, where: string) =>
    sql.raw(`(select d.${column} from delivery as d where ${where} order by d.${column} limit 1)`);
  const ours = `d.queue_id = ${Number(queueId)}`;
  const found = await sql<Omit<Target, 'queueId'>>`with recursive c (channel) as (
      select ${first('channel', ours)}
      union all
      select ${first('channel', `${ours} and d.channel > c.channel`)} from c where c.channel is not null
    ), target (channel, target_id) as (
      select c.channel, ${first('target_id', `${ours} and d.channel = c.channel`)} from c where c.channel is not null
      union all
      select target.channel, ${first('target_id', `${ours} and d.channel = target.channel and d.target_id > target.target_id`)}
      from target where target.target_id is not null
    )
    select channel, target_id as id from target where target_id is not null`.execute(trx);
  return found.rows.map((row) => ({ queueId, ...row }));
}
