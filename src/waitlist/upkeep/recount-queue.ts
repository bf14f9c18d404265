import { sql } from 'kysely';
import type { Trx } from '../../db/database.ts';
import { STATUSES, type Status } from '../../db/tables.ts';
import { countMisadvanced, recountAdvanced } from '../codes/recount.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import { nextPlace } from '../queue/place.ts';
import { LEVEL_SHIFTS } from '../queue/positions.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { countWrongDepths, recountDepths } from '../referrals/depth.ts';
import { countMiscounted, countMisranked, recountReferrals } from '../referrals/rank.ts';
import { restartCounting } from '../statistics/metadata-keys.ts';
import { countWrongStatistics, countWrongValues, recountStatistics } from '../statistics/recount.ts';
import { comparePlaces, repairPlaces } from './check-numbers.ts';

interface QueueCheck {
  queue: string;
  entries: number;
  /** Where the counters differ from a fresh count. Empty if all is well. */
  findings: string[];
  repaired: boolean;
}

/** A queue at one moment: in a snapshot, or under its lock. */
interface Moment {
  readonly trx: Trx;
  readonly queue: Queue;
}

type Counted = Record<Status, number>;

/**
 * Counts a queue from scratch, compares the result with the stored counters, and repairs them if requested.
 * The check takes no lock: it reads counters and entries in one snapshot while signups continue.
 */
export async function recountQueue(context: Context, queue: Queue, repair: boolean): Promise<QueueCheck> {
  const unlimited = { ...context, db: context.db.unlimited };
  const found = await unlimited.db.snapshot((trx) => examine({ trx, queue }));
  if (!repair || found.findings.length === 0) return found;
  const misplaced = await unlimited.db.snapshot((trx) => comparePlaces(trx, queue));
  if (misplaced.length > 0) await repairPlaces(unlimited, queue);
  return changeQueue(unlimited, queue, async (change) => {
    const before = await examine(change); // Counted again, because nothing can change under the lock.
    const findings =
      misplaced.length > 0 ? [...new Set([...found.findings, ...before.findings])] : before.findings;
    if (before.findings.length > 0) await rebuild(change);
    const after = await examine(change);
    return { ...before, findings, repaired: findings.length > 0 && after.findings.length === 0 };
  });
}

async function examine(moment: Moment): Promise<QueueCheck> {
  const counted = await countStatuses(moment);
  const findings = [
    ...(await compareStatuses(moment, counted)),
    ...(await compareSequence(moment, counted)),
    ...(await comparePlaces(moment.trx, moment.queue)),
    ...(await compareRankCounts(moment)),
    ...(await compareCodes(moment)),
    ...(await compareReferrals(moment)),
    ...(await compareStatistics(moment)),
    ...(await compareInvites(moment)),
  ];
  const { waitlist, environment } = moment.queue;
  const entries = STATUSES.reduce((sum, status) => sum + counted[status], 0);
  return { queue: `${waitlist.id} in ${environment}`, entries, findings, repaired: false };
}

async function countStatuses({ trx, queue }: Moment): Promise<Counted> {
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

async function compareStatuses({ trx, queue }: Moment, counted: Counted): Promise<string[]> {
  const kept = await trx
    .selectFrom('queue_state')
    .select(STATUSES)
    .where('queue_id', '=', queue.id)
    .executeTakeFirstOrThrow();
  return STATUSES.filter((status) => kept[status] !== counted[status]).map(
    (status) => `${status}: the counter says ${kept[status]}, there are ${counted[status]}`,
  );
}

async function compareSequence(moment: Moment, counted: Counted): Promise<string[]> {
  const { trx, queue } = moment;
  const { last_seq, undone } = await trx
    .selectFrom('queue_state')
    .select(['last_seq', 'undone'])
    .where('queue_id', '=', queue.id)
    .executeTakeFirstOrThrow();
  const entries = STATUSES.reduce((sum, status) => sum + counted[status], 0);
  const highest = await highestSeq(moment);
  const findings: string[] = [];
  // The last entries may be gone as if they had never joined.
  if (undone === 0 ? highest !== last_seq : highest > last_seq)
    findings.push(`joining sequence: it stands at ${last_seq}, the last entry has ${highest}`);
  const missing = (undone === 0 ? highest : last_seq) - undone - entries;
  if (missing !== 0) findings.push(`joining sequence: ${missing} entries are missing in it`);
  return findings;
}

async function highestSeq({ trx, queue }: Moment): Promise<number> {
  const { seq } = await trx
    .selectFrom('entry')
    .select((e) => e.fn.max<number | null>('seq').as('seq'))
    .where('queue_id', '=', queue.id)
    .executeTakeFirstOrThrow();
  return seq ?? 0;
}

type RankCount = { level: number; bucket: number; waiting: number };

async function countRanks({ trx, queue }: Moment): Promise<RankCount[]> {
  const counts: RankCount[] = [];
  for (const [level, shift] of LEVEL_SHIFTS.entries()) {
    const rows = await sql<{ bucket: number; waiting: number }>`
      select rank >> ${sql.lit(shift)} as bucket, count(*) as waiting from entry
      where queue_id = ${queue.id} and status = 'waiting' group by 1`.execute(trx);
    for (const { bucket, waiting } of rows.rows) counts.push({ level, bucket, waiting });
  }
  return counts;
}

async function compareRankCounts(moment: Moment): Promise<string[]> {
  const { trx, queue } = moment;
  const kept = await trx
    .selectFrom('rank_count')
    .select(['level', 'bucket', 'waiting'])
    .where('queue_id', '=', queue.id)
    .where('waiting', '<>', 0)
    .execute();
  const name = ({ level, bucket, waiting }: RankCount) => `${level}/${bucket}=${waiting}`;
  const right = new Set((await countRanks(moment)).map(name));
  const wrong = kept.filter((count) => !right.delete(name(count)));
  const off = Math.max(wrong.length, right.size);
  return off === 0 ? [] : [`positions: ${off} counters of rank ranges are off`];
}

async function compareCodes({ trx, queue }: Moment): Promise<string[]> {
  const misadvanced = await countMisadvanced(trx, queue);
  return misadvanced === 0
    ? []
    : [`codes: ${misadvanced} entries are advanced by more or less than their code says`];
}

async function compareReferrals({ trx, queue }: Moment): Promise<string[]> {
  const { rerank_after, boost, end } = await trx
    .selectFrom('queue_state as s')
    .innerJoin('queue as q', 'q.id', 's.queue_id')
    .innerJoin('waitlist as w', 'w.id', 'q.waitlist_id')
    .select(['s.rerank_after', 'w.boost', sql<number>`s.last_seq - s.closed + s.opened`.as('end')])
    .where('s.queue_id', '=', queue.id)
    .executeTakeFirstOrThrow();
  const misranked = await countMisranked(trx, queue, boost, end);
  const miscounted = await countMiscounted(trx, queue);
  const findings: string[] = [];
  if (misranked > 0 && rerank_after === null)
    findings.push(`ranks: ${misranked} entries have another rank than their referrals give`);
  if (miscounted > 0)
    findings.push(`referrals: ${miscounted} entries have another count than there are referred entries`);
  return findings;
}

async function compareStatistics({ trx, queue }: Moment): Promise<string[]> {
  const depths = await countWrongDepths(trx, queue);
  const counters = await countWrongStatistics(trx, queue);
  const values = await countWrongValues(trx, queue);
  const findings: string[] = [];
  if (depths > 0)
    findings.push(`referral depths: ${depths} entries have another depth than their referrers give`);
  if (counters > 0) findings.push(`statistics: ${counters} counters are off`);
  if (values > 0) findings.push(`metadata values: ${values} counts of a day are off`);
  return findings;
}

async function countInvites({ trx, queue }: Moment) {
  const open = sql`accepted_at is null and revoked_at is null and expired_at is null`;
  return trx
    .selectFrom('invite')
    .select([
      sql<number>`count(case when ${open} then 1 end)`.as('open_invites'),
      sql<number>`count(accepted_at)`.as('accepted_invites'),
    ])
    .where('queue_id', '=', queue.id)
    .executeTakeFirstOrThrow();
}

async function compareInvites(moment: Moment): Promise<string[]> {
  const counted = await countInvites(moment);
  const kept = await moment.trx
    .selectFrom('queue_state')
    .select(['open_invites', 'accepted_invites'])
    .where('queue_id', '=', moment.queue.id)
    .executeTakeFirstOrThrow();
  return (['open_invites', 'accepted_invites'] as const)
    .filter((name) => kept[name] !== counted[name])
    .map((name) => `${name.replace('_', ' ')}: the counter says ${kept[name]}, there are ${counted[name]}`);
}

async function rebuild(change: QueueChange): Promise<void> {
  const { trx, queue } = change;
  await recountAdvanced(trx, queue);
  await recountReferrals(trx, queue, change.settings.boost, nextPlace(change) - 1);
  await recountDepths(trx, queue);
  await recountStatistics(trx, queue);
  if ((await countWrongValues(trx, queue)) > 0) await restartCounting(trx, queue.id);
  await trx.deleteFrom('rank_count').where('queue_id', '=', queue.id).execute();
  const counts = await countRanks(change);
  trx.insert(
    'rank_count',
    counts.map(({ level, bucket, waiting }) => ({ queue_id: queue.id, level, bucket, waiting })),
  );
  const { undone } = await trx
    .selectFrom('queue_state')
    .select('undone')
    .where('queue_id', '=', queue.id)
    .executeTakeFirstOrThrow();
  const highest = await highestSeq(change);
  change.lastSeq = undone === 0 ? highest : Math.max(highest, change.lastSeq);
  await trx
    .updateTable('queue_state')
    .set({ ...(await countStatuses(change)), ...(await countInvites(change)), last_seq: change.lastSeq })
    .where('queue_id', '=', queue.id)
    .execute();
}
