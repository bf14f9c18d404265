import { sql } from 'kysely';
import { CLAIMED, type ClaimedRow, type ClaimRequest, type Lease, leaseDeliveries } from '../claims.ts';
import type { Trx } from '../database.ts';
import { statement } from '../statement.ts';

interface Lists {
  queueIds: readonly number[];
  channels: readonly string[];
  targetIds: readonly Uint8Array[];
  limits: readonly number[];
}

const claimFromTargets = statement<Lists & Lease, ClaimedRow & { request: number }>((db, parameter) => {
  const query = sql`with picked as materialized (
      select p.*, r.request from unnest(${parameter('queueIds')}::bigint[], ${parameter('channels')}::text[],
        ${parameter('targetIds')}::bytea[], ${parameter('limits')}::bigint[])
        with ordinality as r (queue_id, channel, target_id, most, request)
      cross join lateral (
        select d.queue_id, d.channel, d.target_id, d.event_id from delivery as d
        where d.queue_id = r.queue_id and d.channel = r.channel and d.target_id = r.target_id
          and d.due_at <= ${parameter('now')}
        order by d.due_at, d.event_id limit r.most ${db.skipLocked}
      ) as p
    )
    ${leaseDeliveries(parameter)}
    from picked where delivery.queue_id = picked.queue_id and delivery.channel = picked.channel
      and delivery.target_id = picked.target_id and delivery.event_id = picked.event_id
    returning ${CLAIMED}, picked.request`;
  return { compile: () => query.compile(db.query) as never };
});

/**
 * All targets in one statement: with one delivery due for each of 64 targets, this takes a tenth of the time
 * of 64 pipelined statements.
 */
export async function claimDeliveries(
  trx: Trx,
  requests: readonly ClaimRequest[],
  lease: Lease,
): Promise<ClaimedRow[][]> {
  if (requests.length === 0) return [];
  const rows = await trx.run(claimFromTargets, {
    ...lease,
    queueIds: requests.map(({ queueId }) => queueId),
    channels: requests.map(({ channel }) => channel),
    targetIds: requests.map(({ targetId }) => targetId),
    limits: requests.map(({ limit }) => limit),
  });
  const byRequest = Map.groupBy(rows, ({ request }) => request);
  return requests.map((_, index) => byRequest.get(index + 1) ?? []);
}
