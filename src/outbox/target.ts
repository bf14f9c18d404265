import { type RawBuilder, sql } from 'kysely';
import type { Database, Trx } from '../db/database.ts';
import type { Dialect } from '../db/dialect.ts';
import { statement } from '../db/statement.ts';
import { bytesKey } from '../lib/ids.ts';
import { compareText } from '../lib/text.ts';

/** In place of a queue, for what belongs to the whole installation. The first queue has the id 1. */
export const INSTALLATION_ID = 0;

/** Where deliveries go: one address of one channel in a queue, such as a webhook endpoint. */
export interface Target {
  readonly queueId: number;
  readonly channel: string;
  readonly id: Uint8Array;
}

export function targetName({ queueId, channel, id }: Target): string {
  return `${queueId} ${channel} ${bytesKey(id)}`;
}

/** Every process locks targets in this order, so that two never deadlock. */
export function compareTargets(a: Target, b: Target): number {
  return a.queueId - b.queueId || compareText(a.channel, b.channel) || Buffer.compare(a.id, b.id);
}

interface DueTarget extends Target {
  /** When its first delivery is due. */
  readonly dueAt: number;
}

const selectDue = (db: Dialect) =>
  sql<DueTarget>`select queue_id as "queueId", channel, target_id as id, due_at as "dueAt" from ${targetsOf(db)}`;

const findDue = statement<object, DueTarget>((db) => ({ compile: () => selectDue(db).compile(db.query) }));

function targetsOf(db: Dialect): RawBuilder<unknown> {
  return sql`(${db.dueTargets}) as t where ${db.reachable(sql.ref('t.queue_id'))}`;
}

/** SQL for the time at which the first delivery is due, or null. */
export function firstDueAt(db: Dialect): RawBuilder<number | null> {
  return sql<number | null>`(select min(due_at) from ${targetsOf(db)})`;
}

/** Returns every target with unfinished deliveries, due now or later. */
export async function findDueTargets(db: Database): Promise<DueTarget[]> {
  // What can be reached changes, so it is not compiled once.
  return db.isSpread ? (await selectDue(db).execute(db.query)).rows : db.run(findDue, {});
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
