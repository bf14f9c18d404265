import { sql } from 'kysely';
import type { Database, Trx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { DELIVERY_ATTEMPT_COLUMNS } from '../db/tables.ts';
import type { Lane } from './bell.ts';
import { lineName } from './lane-state.ts';

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
  tries: number;
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

/**
 * From queue to channel to target along the index, one probe for each: what stands between is never looked at, so
 * the cost follows the lanes and not the backlog.
 */
const findLanes = statement<object, LaneRow>((db) => {
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
    ), lane (queue_id, channel, target_id) as (
      select c.queue_id, c.channel, ${first('target_id', sameChannel('c'))} from c where c.channel is not null
      union all
      select lane.queue_id, lane.channel,
        ${first('target_id', `${sameChannel('lane')} and d.target_id > lane.target_id`)} from lane
      where lane.target_id is not null
    )
    select queue_id, channel, target_id,
      ${first('due_at', `${sameChannel('lane')} and d.target_id = lane.target_id`)} as due_at
    from lane where target_id is not null`;
  return { compile: () => query.compile(db.query) as never };
});

interface LaneRow {
  queue_id: number;
  channel: string;
  target_id: Uint8Array;
  due_at: number;
}

export async function lanesWithDeliveries(db: Database): Promise<LaneDue[]> {
  const rows = await findLanes.read(db, {});
  return rows.map(({ queue_id, channel, target_id, due_at }) => ({
    queueId: queue_id,
    channel,
    targetId: target_id,
    dueAt: due_at,
  }));
}

interface ClaimedRow {
  queue_id: number;
  channel: string;
  target_id: Uint8Array;
  event_id: Uint8Array;
  tries: number;
  attempts: number;
  body: Uint8Array | null;
}

interface Terms {
  now: number;
  leaseEnd: number;
  /** Of this claim: what it took is its own until another token stands there. */
  token: Uint8Array;
}

const RETURNED = sql`delivery.queue_id, delivery.channel, delivery.target_id, delivery.event_id, delivery.tries, delivery.attempts,
  (select e.body from event as e where e.queue_id = delivery.queue_id and e.id = delivery.event_id) as body`;

const claimInLane = statement<
  Terms & { queueId: number; channel: string; targetId: Uint8Array; limit: number },
  ClaimedRow
>((db, parameter) => {
  const lane = sql`queue_id = ${parameter('queueId')} and channel = ${parameter('channel')}
    and target_id = ${parameter('targetId')}`;
  const query = sql`with picked as materialized (
      select event_id from delivery where ${lane} and due_at <= ${parameter('now')}
      order by due_at, event_id limit ${parameter('limit')}
    )
    update delivery set due_at = ${parameter('leaseEnd')}, token = ${parameter('token')},
      tries = tries + 1, attempts = attempts + 1
    where ${lane} and event_id in (select event_id from picked)
    returning ${RETURNED}`;
  return { compile: () => query.compile(db.query) as never };
});

const claimInLanes = statement<
  Terms & { queueIds: unknown; channels: unknown; targetIds: unknown; limits: unknown },
  ClaimedRow
>((db, parameter) => {
  const query = sql`with picked as materialized (
      select p.* from unnest(${parameter('queueIds')}::bigint[], ${parameter('channels')}::text[],
        ${parameter('targetIds')}::bytea[], ${parameter('limits')}::bigint[])
        as l (queue_id, channel, target_id, most)
      cross join lateral (
        select d.queue_id, d.channel, d.target_id, d.event_id from delivery as d
        where d.queue_id = l.queue_id and d.channel = l.channel and d.target_id = l.target_id
          and d.due_at <= ${parameter('now')}
        order by d.due_at, d.event_id limit l.most ${db.skipLocked}
      ) as p
    )
    update delivery set due_at = ${parameter('leaseEnd')}, token = ${parameter('token')},
      tries = tries + 1, attempts = attempts + 1
    from picked where delivery.queue_id = picked.queue_id and delivery.channel = picked.channel
      and delivery.target_id = picked.target_id and delivery.event_id = picked.event_id
    returning ${RETURNED}`;
  return { compile: () => query.compile(db.query) as never };
});

export interface ClaimRequest {
  lane: Lane;
  limit: number;
}

/**
 * Takes of each lane what is due longest. The attempt counts from here on, whatever becomes of this process.
 * On PostgreSQL a round trip costs more than a claim, so all go in one; SQLite knows no lateral join and needs none.
 */
export async function claim(
  db: Database,
  trx: Trx,
  requests: readonly ClaimRequest[],
  terms: Terms,
): Promise<Claimed[][]> {
  if (requests.length === 0) return [];
  if (db.engine === 'sqlite') {
    const claims = requests.map(({ lane, limit }) => {
      const { queueId, channel, targetId } = lane;
      return claimInLane.within(db, trx, { ...terms, queueId, channel, targetId, limit });
    });
    return (await Promise.all(claims)).map(inOrder);
  }
  const rows = await claimInLanes.within(db, trx, {
    ...terms,
    queueIds: requests.map(({ lane }) => lane.queueId),
    channels: requests.map(({ lane }) => lane.channel),
    targetIds: requests.map(({ lane }) => lane.targetId),
    limits: requests.map(({ limit }) => limit),
  });
  // By the whole lane: all queues share one target for their mails.
  const byLane = Map.groupBy(rows, ({ queue_id, channel, target_id }) =>
    lineName({ queueId: queue_id, channel, targetId: target_id }),
  );
  return requests.map(({ lane }) => inOrder(byLane.get(lineName(lane)) ?? []));
}

/** As things happened. */
function inOrder(rows: ClaimedRow[]): Claimed[] {
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
      columns: {
        ...KEY_COLUMNS,
        ...({ tries: 'bigint', due_at: 'bigint', delivered_at: 'bigint', failed_at: 'bigint' } as const),
      },
      key: KEY,
      rows: finished.map(({ lane, eventId, token, tries, dueAt, deliveredAt, failedAt }) => [
        ...[lane.queueId, lane.channel, lane.targetId, eventId, token],
        ...[tries, dueAt, deliveredAt, failedAt],
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

/** For an attempt that takes long: nobody else claims it meanwhile. */
export async function extendLease(
  db: Database,
  lane: Lane,
  { eventId, token, until }: { eventId: Uint8Array; token: Uint8Array; until: number },
): Promise<void> {
  await db.query
    .updateTable('delivery')
    .set({ due_at: until })
    .where('queue_id', '=', lane.queueId)
    .where('channel', '=', lane.channel)
    .where('target_id', '=', lane.targetId)
    .where('event_id', '=', eventId)
    .where('token', '=', token)
    .execute();
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
