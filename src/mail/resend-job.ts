import { formatId } from '../lib/ids.ts';
import { giveUp, makeDue } from '../outbox/resend.ts';
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
import { countKept } from './mail-log.ts';
import { selectMails, whereState } from './mailbox.ts';
import {
  addSkipped,
  type ChosenMails,
  chooseMails,
  type MailSelection,
  type Resent,
  recordOf,
  requireProduction,
  SKIP_REASONS,
} from './resend.ts';

/** Counting more would keep the request waiting. The job then has no total. */
const COUNTED_MAX = 100_000;

type Which = Pick<MailSelection, 'kind' | 'since'>;

interface Progress extends Resent {
  /** The last email that was looked at, in hexadecimal. */
  after: string | null;
}

interface ResendJob extends JobKind {
  /** A server does it. */
  start(context: Context, queue: Queue, which: Which): Promise<{ id: Buffer }>;
  /** The caller does it. If it dies, a server goes on. */
  work(context: Context, queue: Queue, which: Which): Promise<Resent>;
}

/** Sends all emails again that have failed. */
export const mailRetryJob = resendJob('mail-retry', 'failed');

/**
 * Sends all emails that were kept for want of a mail server. Those that no longer make sense are given up, each with
 * the reason.
 */
export const sendKeptJob = resendJob('mail-send-kept', 'kept');

function resendJob(kind: string, state: 'failed' | 'kept'): ResendJob {
  const create = async (
    context: Context,
    queue: Queue,
    input: Which,
    { held }: { held: boolean },
  ): Promise<JobLease> => {
    requireProduction(queue);
    const total = await count(context, queue, { ...input, states: [state] });
    const start = async (change: QueueChange) => {
      const progress: Progress = { resent: 0, skipped: {}, after: null };
      const lease = createJob(context, change, { kind, input, progress, total, runner: 'server', held });
      const { id, after } = recordOf(queue, { ...input, states: [state] });
      await context.audit?.(change.trx, {
        action: 'mail.resent',
        object: { kind: 'mail', id },
        after: { ...after, job: formatId('job', lease.id) },
      });
      return { lease };
    };
    return (await startJob(context, queue, start, serverGoesOn)).lease;
  };
  const run = async (context: Context, queue: Queue, lease: JobLease, input: Which, from: string | null) => {
    let after = from;
    for (;;) {
      const last = after === null ? undefined : Buffer.from(after, 'hex');
      const found = await chooseMails(context, queue, { ...input, states: [state] }, last);
      const { resent, skipped } = await changeQueue(context, queue, (change) =>
        step(context, change, lease, found, { givesUp: state === 'kept' }),
      );
      context.wakeUps.send([mailTarget(queue.id)]);
      if (!found.more) return { resent, skipped };
      after = hexOf(found.last);
    }
  };
  return {
    kind,
    start: (context, queue, which) => create(context, queue, which, { held: false }),
    work: async (context, queue, which) => {
      const lease = await create(context, queue, which, { held: true });
      return workOnJob(context, queue, lease, () => run(context, queue, lease, which, null));
    },
    run: async (context, queue, { lease, input, progress }: HeldJob<Which, Progress>) => {
      await run(context, queue, lease, input, progress.after);
    },
  };
}

async function step(
  { db }: Context,
  change: QueueChange,
  lease: JobLease,
  { chosen, skipped, left, last, more }: ChosenMails,
  { givesUp }: { givesUp: boolean },
): Promise<Progress> {
  const { trx, queue, now } = change;
  const target = mailTarget(queue.id);
  const before = await readProgress<Progress>(trx, queue, lease);
  const due = await makeDue(db, trx, target, chosen, { now, onlyEnded: true });
  const given = left.map(({ id, reason }) => ({ id, error: `not sent: ${SKIP_REASONS[reason]}` }));
  if (givesUp) await giveUp(db, trx, target, given, now);
  const progress = { ...before, resent: before.resent + due, after: hexOf(last) ?? before.after };
  addSkipped(progress.skipped, skipped);
  const { resent } = progress;
  const done = resent + Object.values(progress.skipped).reduce((sum, count) => sum + count, 0);
  const result = { resent, skipped: done - resent };
  if (more) advanceJob(change, lease, progress, { done, result });
  else finishJob(change, lease, progress, { done, result });
  return progress;
}

function hexOf(id: Uint8Array | undefined): string | null {
  return id === undefined ? null : Buffer.from(id).toString('hex');
}

async function count(context: Context, queue: Queue, which: MailSelection): Promise<number | null> {
  const { kind, since, states } = which;
  if (states.includes('kept') && kind === undefined && since === undefined) {
    const { count, more } = await countKept(context.db, mailTarget(queue.id));
    return more ? null : count;
  }
  let found = selectMails(context, queue).where((e) => e.or(states.map((state) => whereState(e, state))));
  if (kind) found = found.where('e.kind', '=', `email.${kind}`);
  if (since !== undefined) found = found.where('e.created_at', '>=', since);
  const { count } = await context.db.query
    .selectFrom(found.limit(COUNTED_MAX + 1).as('found'))
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count) > COUNTED_MAX ? null : Number(count);
}
