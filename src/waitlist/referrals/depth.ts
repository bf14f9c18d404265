import { sql } from 'kysely';
import type { Trx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { DEPTH_MAX } from '../queue/tally.ts';

/** The depth of somebody with this referrer. */
export function depthBelow(referrer: { readonly depth: number } | undefined): number {
  return referrer ? Math.min(referrer.depth + 1, DEPTH_MAX) : 0;
}

interface Linked {
  seq: number;
  depth: number;
  created_at: number;
  referrer_depth: number;
}

const findLinked = statement<{ queueId: number; seqs: readonly number[] }, Linked>((db, parameter) =>
  db.query
    .selectFrom('entry as e')
    .innerJoin('entry as r', (join) =>
      join.onRef('r.queue_id', '=', 'e.queue_id').onRef('r.seq', '=', 'e.referrer_seq'),
    )
    .select(['e.seq', 'e.depth', 'e.created_at', 'r.depth as referrer_depth'])
    .where('e.queue_id', '=', parameter('queueId'))
    .where((e) => db.in(e.ref('e.seq'), parameter('seqs'))),
);

const findReferred = statement<{ queueId: number; seqs: readonly number[] }, { seq: number }>(
  (db, parameter) =>
    db.query
      .selectFrom('entry')
      .select('seq')
      .where('queue_id', '=', parameter('queueId'))
      .where((e) => db.in(e.ref('referrer_seq'), parameter('seqs')))
      .where('referrer_seq', 'is not', null),
);

/** Existing entries got a referrer: updates their depths, and the depths of everyone they led to. */
export async function updateDepths(change: QueueChange, seqs: readonly number[]): Promise<void> {
  const { trx, queue, tally } = change;
  for (let next = seqs; next.length > 0; ) {
    const linked = await trx.run(findLinked, { queueId: queue.id, seqs: next });
    const moved = linked.flatMap(({ seq, depth: from, created_at, referrer_depth }) => {
      const depth = depthBelow({ depth: referrer_depth });
      if (depth === from) return [];
      tally.slots.addDepth(created_at, from, depth);
      return [{ queue_id: queue.id, seq, depth }];
    });
    if (moved.length === 0) return;
    trx.update('entry', { key: ['queue_id', 'seq'] }, moved);
    const found = await trx.run(findReferred, { queueId: queue.id, seqs: moved.map(({ seq }) => seq) });
    next = found.map(({ seq }) => seq);
  }
}

/** How many entries have another depth than their referrers give. A subquery for each, as for credited referrals. */
export async function countWrongDepths(trx: Trx, queue: Queue): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from entry as e
    where e.queue_id = ${queue.id}
      and e.depth <> case when e.referrer_seq is null then 0 else (
        select case when r.depth >= ${sql.lit(DEPTH_MAX)} then ${sql.lit(DEPTH_MAX)} else r.depth + 1 end
        from entry as r where r.queue_id = e.queue_id and r.seq = e.referrer_seq) end`.execute(trx);
  return rows[0]?.count ?? 0;
}

/** Rewrites all depths from the referrers, one step of the chain at a time. */
export async function recountDepths(trx: Trx, queue: Queue): Promise<void> {
  const atLeast = sql`case when referrer_seq is null then 0 else 1 end`;
  await sql`update entry set depth = ${atLeast}
    where queue_id = ${queue.id} and depth <> ${atLeast}`.execute(trx);
  for (let depth = 1; depth < DEPTH_MAX; depth += 1) {
    await sql`update entry set depth = ${depth + 1}
      where queue_id = ${queue.id} and depth = ${depth} and exists (select 1 from entry as r
        where r.queue_id = entry.queue_id and r.seq = entry.referrer_seq and r.depth >= ${depth})`.execute(
      trx,
    );
  }
}

/** Entries lose their referrer. Updates their depths, and the depths of everyone they led to. */
export async function detachReferred(
  change: QueueChange,
  entries: readonly { seq: number; depth: number; created_at: number }[],
): Promise<void> {
  if (entries.length === 0) return;
  const { trx, queue, tally } = change;
  for (const { depth, created_at } of entries) tally.slots.addDepth(created_at, depth, 0);
  const rows = entries.map(({ seq }) => ({
    queue_id: queue.id,
    seq,
    referrer_seq: null,
    credited: 0,
    depth: 0,
  }));
  trx.update('entry', { key: ['queue_id', 'seq'] }, rows);
  const found = await trx.run(findReferred, { queueId: queue.id, seqs: entries.map(({ seq }) => seq) });
  await updateDepths(
    change,
    found.map(({ seq }) => seq),
  );
}
