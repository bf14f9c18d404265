import { sql } from 'kysely';
import { statement } from '../../db/statement.ts';
import { STATUSES, type Status } from '../../db/tables.ts';
import type { QueueChange } from './queue-change.ts';

const writeInvites = statement<{ queueId: number; open: number; accepted: number }, object>((db, parameter) =>
  db.query
    .updateTable('queue_state')
    .set({
      open_invites: sql`open_invites + ${parameter('open')}`,
      accepted_invites: sql`accepted_invites + ${parameter('accepted')}`,
    })
    .where('queue_id', '=', parameter('queueId'))
    .where(db.applies),
);

const writeQueue = statement<{ queueId: number; lastSeq: number } & Record<Status, number>, object>(
  (db, parameter) =>
    db.query
      .updateTable('queue_state')
      .set({
        last_seq: parameter('lastSeq'),
        pending: sql`pending + ${parameter('pending')}`,
        waiting: sql`waiting + ${parameter('waiting')}`,
        invited: sql`invited + ${parameter('invited')}`,
        joined: sql`joined + ${parameter('joined')}`,
        removed: sql`removed + ${parameter('removed')}`,
      })
      .where('queue_id', '=', parameter('queueId'))
      .where(db.applies),
);

/** Adds what a change has counted, once at its end. */
export function writeCounters({ trx, queue, lastSeq, tally }: QueueChange, seqBefore: number): void {
  const counts = tally.buckets.map(({ level, bucket, delta }) => ({
    queue_id: queue.id,
    level,
    bucket,
    waiting: delta,
  }));
  trx.insert('rank_count', counts, { onConflict: { add: ['waiting'] } });
  tally.slots.write(trx, queue.id);
  const { invited, accepted, expired, revoked } = tally.slots.totals;
  const open = invited - accepted - expired - revoked;
  if (open !== 0 || accepted !== 0) trx.write(writeInvites, { queueId: queue.id, open, accepted });
  const deltas = STATUSES.map((status) => [status, tally.statuses.get(status) ?? 0] as const);
  if (lastSeq === seqBefore && deltas.every(([, delta]) => delta === 0)) return;
  const byStatus = Object.fromEntries(deltas) as Record<Status, number>;
  trx.write(writeQueue, { queueId: queue.id, lastSeq, ...byStatus });
}
