import { sql } from 'kysely';
import { CLAIMED, type ClaimedRow, type ClaimRequest, type Lease, leaseDeliveries } from '../claims.ts';
import type { Trx } from '../database.ts';
import { statement } from '../statement.ts';

const claimFromTarget = statement<ClaimRequest & Lease, ClaimedRow>((db, parameter) => {
  const ofTarget = sql`queue_id = ${parameter('queueId')} and channel = ${parameter('channel')}
    and target_id = ${parameter('targetId')}`;
  const query = sql`with picked as materialized (
      select event_id from delivery where ${ofTarget} and due_at <= ${parameter('now')}
      order by due_at, event_id limit ${parameter('limit')}
    )
    ${leaseDeliveries(parameter)}
    where ${ofTarget} and event_id in (select event_id from picked)
    returning ${CLAIMED}`;
  return { compile: () => query.compile(db.query) as never };
});

/** One statement per target: SQLite has no lateral join, and no round trips to save. */
export function claimDeliveries(
  trx: Trx,
  requests: readonly ClaimRequest[],
  lease: Lease,
): Promise<ClaimedRow[][]> {
  return Promise.all(requests.map((request) => trx.run(claimFromTarget, { ...request, ...lease })));
}
