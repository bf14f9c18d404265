import { type Selectable, sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { Tables } from '../../../db/tables.ts';
import type { Context } from '../../queue/context.ts';
import type { Queue } from '../../queue/queue.ts';
import type { QueueChange } from '../../queue/queue-change.ts';
import type { ImportJob } from './import-candidate.ts';

type ImportRange = Pick<Selectable<Tables['import_range']>, 'first_seq' | 'last_seq'>;

/** Remembers whom an import added, so that it can be undone. Others may join between two chunks. */
export function noteRange(
  { trx, queue }: QueueChange,
  { id }: ImportJob,
  { firstSeq, created }: { firstSeq: number; created: number },
): void {
  if (created === 0) return;
  const last_seq = firstSeq + created - 1;
  trx.insert('import_range', [{ queue_id: queue.id, job_id: id, first_seq: firstSeq, last_seq }]);
}

/** The people of an import who joined last, or undefined if none are left. */
export function readLastRange(
  executor: Database['query'],
  queue: Queue,
  importId: Uint8Array,
): Promise<ImportRange | undefined> {
  return executor
    .selectFrom('import_range')
    .select(['first_seq', 'last_seq'])
    .where('queue_id', '=', queue.id)
    .where('job_id', '=', importId)
    .orderBy('first_seq', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Leaves out everyone from `from` on. */
export async function cutRange(
  { trx, queue }: QueueChange,
  importId: Uint8Array,
  { first_seq }: ImportRange,
  from: number,
): Promise<void> {
  if (from > first_seq) {
    const key = { queue_id: queue.id, job_id: importId, first_seq };
    trx.update('import_range', { key: ['queue_id', 'job_id', 'first_seq'] }, [
      { ...key, last_seq: from - 1 },
    ]);
    return;
  }
  await trx
    .deleteFrom('import_range')
    .where('queue_id', '=', queue.id)
    .where('job_id', '=', importId)
    .where('first_seq', '=', first_seq)
    .execute();
}

/** Why an import cannot be undone as a whole. */
interface Obstacles {
  /** People of it who were invited since. */
  invited: number;
  /** People of it who referred somebody who is not part of it. */
  referrers: number;
}

/** Not under the lock: each step of the undo looks at its own people again. */
export async function findObstacles(
  { db }: Context,
  queue: Queue,
  importId: Uint8Array,
  since: number,
): Promise<Obstacles> {
  const isOurs = (seq: string) => sql`exists (select 1 from import_range as r
    where r.queue_id = ${queue.id} and r.job_id = ${importId}
      and ${sql.ref(seq)} between r.first_seq and r.last_seq)`;
  const invited = await sql<{ count: number }>`select count(distinct e.seq) as count
    from invite as i inner join entry as e on e.queue_id = i.queue_id and e.email_hash = i.email_hash
    where i.queue_id = ${queue.id} and (i.created_at >= ${since} or i.accepted_at >= ${since})
      and ${isOurs('e.seq')}`.execute(db.query);
  const referrers = await sql<{ count: number }>`select count(distinct e.referrer_seq) as count
    from import_range as o inner join entry as e on e.queue_id = o.queue_id
      and e.referrer_seq between o.first_seq and o.last_seq
    where o.queue_id = ${queue.id} and o.job_id = ${importId} and not ${isOurs('e.seq')}`.execute(db.query);
  return { invited: invited.rows[0]?.count ?? 0, referrers: referrers.rows[0]?.count ?? 0 };
}

/** Whom of these a step must keep: they were invited or referred others since the undo began. */
export async function findKept(
  { trx, queue }: QueueChange,
  importId: Uint8Array,
  { first_seq, last_seq }: ImportRange,
  since: number,
): Promise<Set<number>> {
  const { rows } = await sql<{ seq: number }>`select e.seq as seq
    from entry as e inner join invite as i on i.queue_id = e.queue_id and i.email_hash = e.email_hash
    where e.queue_id = ${queue.id} and e.seq between ${first_seq} and ${last_seq}
      and (i.created_at >= ${since} or i.accepted_at >= ${since})
    union select e.referrer_seq from entry as e
    where e.queue_id = ${queue.id} and e.referrer_seq between ${first_seq} and ${last_seq}
      and not exists (select 1 from import_range as r where r.queue_id = e.queue_id
        and r.job_id = ${importId} and e.seq between r.first_seq and r.last_seq)`.execute(trx);
  return new Set(rows.map(({ seq }) => seq));
}
