import { sql } from 'kysely';
import { bytesKey } from '../../lib/ids.ts';
import { type ClaimedRow, type ClaimRequest, type Lease, leaseDeliveries } from '../claims.ts';
import type { Trx } from '../database.ts';
import { statement } from '../statement.ts';

type Leased = Omit<ClaimedRow, 'body'>;

/** The subquery in `array(…)` runs once, so that no more are claimed than it picks. */
const claimFromTarget = statement<ClaimRequest & Lease, Leased>((db, parameter) => {
  const query = sql`${leaseDeliveries(parameter)}
    where queue_id = ${parameter('queueId')} and channel = ${parameter('channel')}
      and target_id = ${parameter('targetId')} and event_id = any(array(
        select d.event_id from delivery as d where d.queue_id = ${parameter('queueId')}
          and d.channel = ${parameter('channel')} and d.target_id = ${parameter('targetId')}
          and d.due_at <= ${parameter('now')} order by d.due_at, d.event_id limit ${parameter('limit')} ${db.skipLocked}))
    returning event_id, tries, attempts`;
  return { compile: () => query.compile(db.query) as never };
});

const readBodies = statement<
  { queueId: number; ids: readonly Uint8Array[] },
  { id: Uint8Array; body: Uint8Array | null }
>((db, parameter) =>
  db.query
    .selectFrom('event')
    .select(['id', 'body'])
    .where('queue_id', '=', parameter('queueId'))
    .where((e) => db.in(e.ref('id'), parameter('ids'))),
);

/** One target at a time, each on the worker that has its queue. */
export async function claimDeliveries(
  trx: Trx,
  requests: readonly ClaimRequest[],
  lease: Lease,
): Promise<ClaimedRow[][]> {
  const claimed: ClaimedRow[][] = [];
  for (const request of requests) {
    const leased = await trx.run(claimFromTarget, { ...request, ...lease });
    claimed.push(leased.length === 0 ? [] : await withBodies(trx, request.queueId, leased));
  }
  return claimed;
}

async function withBodies(trx: Trx, queueId: number, leased: readonly Leased[]): Promise<ClaimedRow[]> {
  const ids = leased.map(({ event_id }) => event_id);
  const rows = await trx.run(readBodies, { queueId, ids });
  const bodies = new Map(rows.map(({ id, body }) => [bytesKey(id), body]));
  return leased.map((row) => ({
    ...row,
    body: bodies.get(bytesKey(row.event_id)) ?? null,
  }));
}
