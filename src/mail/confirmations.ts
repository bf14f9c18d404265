import type { Database, Trx } from '../db/database.ts';
import { sharedNow } from '../db/shared-clock.ts';
import { conflict } from '../lib/errors.ts';
import { bytesKey, formatId } from '../lib/ids.ts';
import { endOfTurn } from '../lib/promises.ts';
import { DAY_MS } from '../lib/time.ts';
import { selectDeliveries } from '../outbox/read-deliveries.ts';
import { selectSegment } from '../waitlist/entries/segment.ts';
import {
  advanceJob,
  createJob,
  finishJob,
  type HeldJob,
  type JobKind,
  type JobLease,
  readProgress,
  workOnJob,
} from '../waitlist/jobs/jobs.ts';
import { serverGoesOn, startJob } from '../waitlist/jobs/start-job.ts';
import { changeQueue } from '../waitlist/queue/change-queue.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import type { QueueChange } from '../waitlist/queue/queue-change.ts';
import { mailTarget } from '../waitlist/sending/state.ts';
import { stateOf } from './mail-log.ts';
import { mailableFrom } from './mailable.ts';

const KIND = 'mail-confirm';
/** Entries per transaction, few enough that signups do not wait long. */
const CHUNK = 200;

/** Why a pending person gets no other link. `recent`: they got one within a day, or it is about to be sent. */
type Skipped = 'withoutEmail' | 'bounced' | 'recent';

/** Who of the pending people gets a link. */
export interface Confirmations extends Record<Skipped, number> {
  asked: number;
}

interface Progress extends Confirmations {
  /** How far it has walked. */
  after: number;
}

const NOBODY: Confirmations = { asked: 0, withoutEmail: 0, bounced: 0, recent: 0 };

/** Who would get a link now. */
export async function countConfirmations(context: Context, queue: Queue): Promise<Confirmations> {
  const { db } = context;
  const total = { ...NOBODY };
  for (let after = 0; ; ) {
    const { rows, skipped } = await sortPending(db, db.query, queue, after, await sharedNow(context));
    add(total, rows.length, skipped);
    if (rows.length < CHUNK) return total;
    after = rows.at(-1)?.seq ?? after;
    await endOfTurn();
  }
}

/** Starts to send all pending people another link. A server does it. */
export async function startConfirmations(
  context: Context,
  queue: Queue,
  hasServer: boolean,
): Promise<{ id: Buffer }> {
  return create(context, queue, { hasServer, held: false });
}

/** The same while the caller waits. If it dies, a server goes on. */
export async function sendConfirmations(
  context: Context,
  queue: Queue,
  hasServer: boolean,
): Promise<Confirmations> {
  const lease = await create(context, queue, { hasServer, held: true });
  return workOnJob(context, queue, lease, () => work(context, queue, lease));
}

export const confirmationsJob: JobKind = {
  kind: KIND,
  run: async (context, queue, { lease }: HeldJob<object, Progress>) => {
    await work(context, queue, lease);
  },
};

async function create(
  context: Context,
  queue: Queue,
  { hasServer, held }: { hasServer: boolean; held: boolean },
): Promise<JobLease> {
  const { reason, message } = await mailableFrom(context, queue, 'confirm', hasServer);
  if (reason === 'kind_off' || reason === 'no_mail_server') throw conflict(message ?? '');
  const { asked, ...skipped } = await countConfirmations(context, queue);
  const total = asked + Object.values(skipped).reduce((sum, count) => sum + count, 0);
  const start = async (change: QueueChange) => {
    const progress: Progress = { ...NOBODY, after: 0 };
    const lease = createJob(context, change, {
      kind: KIND,
      input: {},
      progress,
      total,
      runner: 'server',
      held,
    });
    await context.audit?.(change.trx, {
      action: 'confirmation.resent',
      object: { kind: 'waitlist', id: queue.waitlist.id },
      after: { job: formatId('job', lease.id) },
    });
    return { lease };
  };
  return (await startJob(context, queue, start, serverGoesOn)).lease;
}

async function work(context: Context, queue: Queue, lease: JobLease): Promise<Confirmations> {
  for (;;) {
    const { done, counts } = await changeQueue(context, queue, (change) => step(context, change, lease));
    if (done) return counts;
  }
}

async function step(
  { db }: Context,
  change: QueueChange,
  lease: JobLease,
): Promise<{ done: boolean; counts: Confirmations }> {
  const { trx, queue, now } = change;
  const { after, ...counts } = await readProgress<Progress>(trx, queue, lease);
  const { rows, skipped } = await sortPending(db, trx, queue, after, now);
  for (const { seq } of rows)
    if (!skipped.has(seq)) change.record({ kind: 'confirmation.resent', entry: seq });
  add(counts, rows.length, skipped);
  const { asked, ...left } = counts;
  const looked = asked + Object.values(left).reduce((sum, count) => sum + count, 0);
  const progress: Progress = { ...counts, after: rows.at(-1)?.seq ?? after };
  const done = rows.length < CHUNK;
  const result = { resent: asked, skipped: looked - asked, ...left };
  if (done) finishJob(change, lease, progress, { done: looked, result });
  else advanceJob(change, lease, progress, { done: looked, result });
  return { done, counts };
}

function add(counts: Confirmations, looked: number, skipped: ReadonlyMap<number, Skipped>): void {
  counts.asked += looked - skipped.size;
  for (const reason of skipped.values()) counts[reason] += 1;
}

/** The next pending entries, and who of them gets nothing. */
async function sortPending(
  db: Database,
  executor: Database['query'] | Trx,
  queue: Queue,
  after: number,
  now: number,
): Promise<{ rows: { seq: number }[]; skipped: Map<number, Skipped> }> {
  const rows = await (await selectSegment(db, executor, queue, { status: 'pending' }, after))
    .select(['e.seq', 'e.id', 'e.email_hash'])
    .limit(CHUNK)
    .execute();
  const hashes = rows.flatMap(({ email_hash }) => email_hash ?? []);
  const bounced = await bouncedAmong(db, executor, queue, hashes);
  const ids = rows.map(({ id }) => id);
  const recent = await mailedSince(db, executor, queue, ids, now - DAY_MS);
  const skipped = new Map<number, Skipped>();
  for (const { seq, id, email_hash } of rows) {
    if (email_hash === null) skipped.set(seq, 'withoutEmail');
    else if (bounced.has(bytesKey(email_hash))) skipped.set(seq, 'bounced');
    else if (recent.has(bytesKey(id))) skipped.set(seq, 'recent');
  }
  return { rows, skipped };
}

async function bouncedAmong(
  db: Database,
  executor: Database['query'] | Trx,
  queue: Queue,
  hashes: readonly Uint8Array[],
): Promise<Set<string>> {
  if (hashes.length === 0) return new Set();
  const rows = await executor
    .selectFrom('mail_suppression')
    .select('email_hash')
    .where('queue_id', '=', queue.id)
    .where('reason', '=', 'bounced')
    .where((e) => db.in(e.ref('email_hash'), hashes))
    .execute();
  return new Set(rows.map(({ email_hash }) => bytesKey(email_hash)));
}

/** Those with a confirmation email since then that was sent or will be. One that was kept or failed does not count. */
async function mailedSince(
  db: Database,
  executor: Database['query'] | Trx,
  queue: Queue,
  entryIds: readonly Uint8Array[],
  since: number,
): Promise<Set<string>> {
  if (entryIds.length === 0) return new Set();
  const { queueId, channel } = mailTarget(queue.id);
  const rows = await selectDeliveries(executor, queueId, channel)
    .innerJoin('event_subject as s', (join) =>
      join.onRef('s.queue_id', '=', 'd.queue_id').onRef('s.event_id', '=', 'd.event_id'),
    )
    .select('s.subject')
    .where('s.queue_id', '=', queueId)
    .where((e) => db.in(e.ref('s.subject'), entryIds))
    .where('e.kind', '=', 'email.confirm')
    .where('e.created_at', '>', since)
    .execute();
  const counting = rows.filter((row) => ['pending', 'sent'].includes(stateOf(row)));
  return new Set(counting.map(({ subject }) => bytesKey(subject)));
}
