import { sql } from 'kysely';
import { RANK_COUNT_COLUMNS, STATUSES, type Status } from '../db/tables.ts';
import type { Context } from './context.ts';
import type { Queue } from './directory.ts';
import { LEVEL_SHIFTS } from './entries/ranking.ts';
import { changeQueue, type QueueChange } from './queue-change.ts';

export interface Audit {
  queue: string;
  entries: number;
  /** What the counters say that a count from scratch does not; empty when all is well. */
  findings: string[];
  repaired: boolean;
}

/** Counts a queue from scratch, compares with what is kept, and mends the counters when asked to. */
export function auditQueue(context: Context, queue: Queue, repair: boolean): Promise<Audit> {
  return changeQueue(context, queue, async (change) => {
    const counted = await countStatuses(change);
    const findings = await compare(change, counted);
    let repaired = false;
    if (repair && findings.length > 0) {
      await rebuild(context, change, counted);
      repaired = (await compare(change, counted)).length === 0;
    }
    const entries = STATUSES.reduce((sum, status) => sum + counted[status], 0);
    return { queue: `${queue.waitlist.id} in ${queue.environment}`, entries, findings, repaired };
  });
}

async function compare(change: QueueChange, counted: Record<Status, number>): Promise<string[]> {
  return [
    ...(await compareStatuses(change, counted)),
    ...(await compareSequence(change, counted)),
    ...(await compareRankCounts(change)),
    ...(await compareReferrals(change)),
  ];
}

async function countStatuses({ trx, queue }: QueueChange): Promise<Record<Status, number>> {
  const rows = await trx
    .selectFrom('entry')
    .select(['status', sql<number>`count(*)`.as('count')])
    .where('queue_id', '=', queue.id)
    .groupBy('status')
    .execute();
  const counted = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;
  for (const { status, count } of rows) counted[status] = count;
  return counted;
}

async function compareStatuses(
  { trx, queue }: QueueChange,
  counted: Record<Status, number>,
): Promise<string[]> {
  const kept = await trx
    .selectFrom('queue')
    .select(STATUSES)
    .where('id', '=', queue.id)
    .executeTakeFirstOrThrow();
  return STATUSES.filter((status) => kept[status] !== counted[status]).map(
    (status) => `${status}: the counter says ${kept[status]}, there are ${counted[status]}`,
  );
}

async function compareSequence(change: QueueChange, counted: Record<Status, number>): Promise<string[]> {
  const entries = STATUSES.reduce((sum, status) => sum + counted[status], 0);
  const highest = await highestSeq(change);
  const findings: string[] = [];
  if (highest !== change.lastSeq)
    findings.push(`joining sequence: it stands at ${change.lastSeq}, the last entry has ${highest}`);
  if (highest !== entries) findings.push(`joining sequence: ${highest - entries} entries are missing in it`);
  return findings;
}

async function highestSeq({ trx, queue }: QueueChange): Promise<number> {
  const { seq } = await trx
    .selectFrom('entry')
    .select((e) => e.fn.max<number | null>('seq').as('seq'))
    .where('queue_id', '=', queue.id)
    .executeTakeFirstOrThrow();
  return seq ?? 0;
}

type RankCount = { level: number; bucket: number; waiting: number };

async function countRanks({ trx, queue }: QueueChange): Promise<RankCount[]> {
  const counts: RankCount[] = [];
  for (const [level, shift] of LEVEL_SHIFTS.entries()) {
    const rows = await sql<{ bucket: number; waiting: number }>`
      select rank >> ${sql.lit(shift)} as bucket, count(*) as waiting from entry
      where queue_id = ${queue.id} and status = 'waiting' group by 1`.execute(trx);
    for (const { bucket, waiting } of rows.rows) counts.push({ level, bucket, waiting });
  }
  return counts;
}

async function compareRankCounts(change: QueueChange): Promise<string[]> {
  const kept = await change.trx
    .selectFrom('rank_count')
    .select(['level', 'bucket', 'waiting'])
    .where('queue_id', '=', change.queue.id)
    .where('waiting', '<>', 0)
    .execute();
  const name = ({ level, bucket, waiting }: RankCount) => `${level}/${bucket}=${waiting}`;
  const right = new Set((await countRanks(change)).map(name));
  const wrong = kept.filter((count) => !right.delete(name(count)));
  const off = Math.max(wrong.length, right.size);
  return off === 0 ? [] : [`positions: ${off} counters of rank ranges are off`];
}

async function compareReferrals({ trx, queue, settings: { boost } }: QueueChange): Promise<string[]> {
  const { rerank_after } = await trx
    .selectFrom('queue')
    .select('rerank_after')
    .where('id', '=', queue.id)
    .executeTakeFirstOrThrow();
  const misranked = await trx
    .selectFrom('entry')
    .select(sql<number>`count(*)`.as('count'))
    .where('queue_id', '=', queue.id)
    .where(sql<boolean>`rank <> seq - ${boost} * referrals`)
    .executeTakeFirstOrThrow();
  const miscounted = await sql<{ count: number }>`
    select count(*) as count from (
      select e.seq from entry as e left join entry as r on r.queue_id = e.queue_id and r.referrer_seq = e.seq and r.credited = 1
      where e.queue_id = ${queue.id} and e.status <> 'removed' group by e.seq, e.referrals having count(r.seq) <> e.referrals
    ) as wrong`.execute(trx);
  const findings: string[] = [];
  if (misranked.count > 0 && rerank_after === null)
    findings.push(`ranks: ${misranked.count} entries have another rank than their referrals give`);
  const count = miscounted.rows[0]?.count ?? 0;
  if (count > 0)
    findings.push(`referrals: ${count} entries have another count than there are referred entries`);
  return findings;
}

async function rebuild({ db }: Context, change: QueueChange, counted: Record<Status, number>): Promise<void> {
  const { trx, queue } = change;
  const { boost } = change.settings;
  await sql`update entry set referrals = (
      select count(*) from entry as r where r.queue_id = entry.queue_id and r.referrer_seq = entry.seq and r.credited = 1
    ) where queue_id = ${queue.id} and status <> 'removed'`.execute(trx);
  await sql`update entry set rank = seq - ${boost} * referrals where queue_id = ${queue.id}`.execute(trx);
  await trx.deleteFrom('rank_count').where('queue_id', '=', queue.id).execute();
  await db.insertRows(trx, {
    table: 'rank_count',
    columns: RANK_COUNT_COLUMNS,
    rows: (await countRanks(change)).map(({ level, bucket, waiting }) => [queue.id, level, bucket, waiting]),
  });
  await trx.updateTable('queue').set(counted).where('id', '=', queue.id).execute();
  change.lastSeq = await highestSeq(change);
}
