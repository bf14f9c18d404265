import { sql } from 'kysely';
import type { Database, Trx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { DELIVERY_ATTEMPT_COLUMNS } from '../../db/tables.ts';
import type { Lane } from './bell.ts';

/** A delivery that this process may attempt until its lease ends. */
export interface Claimed {
  eventId: Uint8Array;
  /** Of the schedule, this one included. */
  tries: number;
  /** Of all time, this one included. */
  attempt: number;
  /** Sealed; null when it was shredded meanwhile. */
  body: Uint8Array | null;
}

/** How an attempt went, as it is written down. */
export interface Finished {
  lane: Lane;
  eventId: Uint8Array;
  token: Uint8Array;
  attempt: number;
  at: number;
  durationMs: number;
  status: number | null;
  error: string | null;
  response: Uint8Array | null;
  /** null: there is no next try. */
  dueAt: number | null;
  deliveredAt: number | null;
  failedAt: number | null;
}

export interface LaneDue extends Lane {
  /** When the first of its deliveries is due. */
  dueAt: number;
}

/** From lane to lane along the index, without a look at what stands between: the cost follows the lanes, not the backlog. */
const findLanes = statement<
  object,
  { queue_id: number; channel: string; target_id: Uint8Array; due_at: number }
>((db) => {
  const after = (column: string) => sql`(select ${sql.ref(`n.${column}`)} from delivery as n
      where n.due_at is not null
        and (n.queue_id, n.channel, n.target_id) > (lane.queue_id, lane.channel, lane.target_id)
      order by n.queue_id, n.channel, n.target_id limit 1)`;
  const query = sql`with recursive lane (queue_id, channel, target_id) as (
        select * from (select queue_id, channel, target_id from delivery where due_at is not null
          order by queue_id, channel, target_id limit 1) as first
        union all
        select ${after('queue_id')}, ${after('channel')}, ${after('target_id')} from lane
        where lane.queue_id is not null
      )
      select lane.queue_id, lane.channel, lane.target_id, (select d.due_at from delivery as d
        where d.queue_id = lane.queue_id and d.channel = lane.channel and d.target_id = lane.target_id
          and d.due_at is not null order by d.due_at limit 1) as due_at
      from lane where lane.queue_id is not null`;
  return { compile: () => query.compile(db.query) as never };
});

export async function lanesWithDeliveries(db: Database): Promise<LaneDue[]> {
  const rows = await findLanes.read(db, {});
  return rows.map(({ queue_id, channel, target_id, due_at }) => ({
    queueId: queue_id,
    channel,
    targetId: target_id,
    dueAt: due_at,
  }));
}

interface ClaimParameters {
  queueId: number;
  channel: string;
  targetId: Uint8Array;
  now: number;
  leaseEnd: number;
  token: Uint8Array;
  limit: number;
}

interface ClaimedRow {
  event_id: Uint8Array;
  tries: number;
  attempts: number;
  body: Uint8Array | null;
}

const claimDue = statement<ClaimParameters, ClaimedRow>((db, parameter) => {
  const lane = sql`queue_id = ${parameter('queueId')} and channel = ${parameter('channel')}
    and target_id = ${parameter('targetId')}`;
  const query = sql`with picked as materialized (
      select event_id from delivery where ${lane} and due_at <= ${parameter('now')}
      order by due_at, event_id limit ${parameter('limit')} ${db.skipLocked}
    )
    update delivery set due_at = ${parameter('leaseEnd')}, token = ${parameter('token')},
      tries = tries + 1, attempts = attempts + 1
    where ${lane} and event_id in (select event_id from picked)
    returning event_id, tries, attempts, (select e.body from event as e
      where e.queue_id = delivery.queue_id and e.id = delivery.event_id) as body`;
  return { compile: () => query.compile(db.query) as never };
});

/** Takes what is due longest, at most `limit`. The attempt counts from here on, whatever becomes of this process. */
export async function claim(
  db: Database,
  trx: Trx,
  lane: Lane,
  terms: { now: number; leaseEnd: number; token: Uint8Array; limit: number },
): Promise<Claimed[]> {
  const { queueId, channel, targetId } = lane;
  const rows = await claimDue.within(db, trx, { queueId, channel, targetId, ...terms });
  return rows
    .map((row) => ({ eventId: row.event_id, tries: row.tries, attempt: row.attempts, body: row.body }))
    .sort((a, b) => Buffer.compare(a.eventId, b.eventId));
}

const KEY = ['queue_id', 'channel', 'target_id', 'event_id', 'token'] as const;
const KEY_COLUMNS = {
  queue_id: 'bigint',
  channel: 'text',
  target_id: 'bytes',
  event_id: 'bytes',
  token: 'bytes',
} as const;

/** Sent, not awaited. A delivery that another process has claimed meanwhile is left to it; the log gets the attempt anyway. */
export function finish(db: Database, trx: Trx, finished: readonly Finished[]): Promise<unknown> {
  return Promise.all([
    db.updateRows(trx, {
      table: 'delivery',
      columns: { ...KEY_COLUMNS, due_at: 'bigint', delivered_at: 'bigint', failed_at: 'bigint' },
      key: KEY,
      rows: finished.map(({ lane, eventId, token, dueAt, deliveredAt, failedAt }) => [
        ...[lane.queueId, lane.channel, lane.targetId, eventId, token],
        ...[dueAt, deliveredAt, failedAt],
      ]),
    }),
    db.insertRows(trx, {
      table: 'delivery_attempt',
      columns: DELIVERY_ATTEMPT_COLUMNS,
      rows: finished.map((one) => [
        ...[one.lane.queueId, one.lane.channel, one.lane.targetId, one.eventId, one.attempt],
        ...[one.at, one.durationMs, one.status, one.error, one.response],
      ]),
      suffix: 'on conflict do nothing', // The same report again, when nobody knows whether its commit went through.
    }),
  ]);
}

/** Gives back what was claimed and not attempted, as if it had never been. */
export async function giveBack(
  trx: Trx,
  lane: Lane,
  eventIds: readonly Uint8Array[],
  token: Uint8Array,
  now: number,
): Promise<void> {
  await trx
    .updateTable('delivery')
    .set({ due_at: now, token: null, tries: sql`tries - 1`, attempts: sql`attempts - 1` })
    .where('queue_id', '=', lane.queueId)
    .where('channel', '=', lane.channel)
    .where('target_id', '=', lane.targetId)
    .where('event_id', 'in', eventIds)
    .where('token', '=', token)
    .execute();
}
