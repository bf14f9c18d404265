import { formatId } from '../lib/ids.ts';
import { makeDue } from '../outbox/resend.ts';
import {
  advanceJob,
  createJob,
  finishJob,
  type HeldJob,
  type JobKind,
  type JobLease,
  readProgress,
} from '../waitlist/jobs/jobs.ts';
import { changeQueue } from '../waitlist/queue/change-queue.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import type { QueueChange } from '../waitlist/queue/queue-change.ts';
import { selectMails, whereState } from './mailbox.ts';
import {
  addSkipped,
  type ChosenMails,
  chooseMails,
  type MailSelection,
  type Resent,
  recordOf,
  requireProduction,
} from './resend.ts';
import { mailTarget } from './target.ts';

const KIND = 'mail-retry';
/** Counting more would keep the request waiting. The job then has no total. */
const COUNTED_MAX = 100_000;

type RetrySelection = Pick<MailSelection, 'kind' | 'since'>;

interface RetryProgress extends Resent {
  /** The last email that was looked at, in hexadecimal. */
  after: string | null;
}

/** Starts to send all emails again that have failed. A server does it. */
export async function startMailRetry(
  context: Context,
  queue: Queue,
  input: RetrySelection,
): Promise<{ id: Buffer }> {
  requireProduction(queue);
  const total = await countFailed(context, queue, input);
  return changeQueue(context, queue, async (change) => {
    const progress: RetryProgress = { resent: 0, skipped: {}, after: null };
    const lease = createJob(context, change, { kind: KIND, input, progress, total, runner: 'server' });
    const { id, after } = recordOf(queue, { ...input, states: ['failed'] });
    await context.audit?.(change.trx, {
      action: 'mail.resent',
      object: { kind: 'mail', id },
      after: { ...after, job: formatId('job', lease.id) },
    });
    return { id: lease.id };
  });
}

export const mailRetryJob: JobKind = {
  kind: KIND,
  run: async (context, queue, { lease, input, progress }: HeldJob<RetrySelection, RetryProgress>) => {
    let after = progress.after;
    for (;;) {
      const from = after === null ? undefined : Buffer.from(after, 'hex');
      const found = await chooseMails(context, queue, { ...input, states: ['failed'] }, from);
      await changeQueue(context, queue, (change) => retryStep(context, change, lease, found));
      context.wakeUps.send([mailTarget(queue.id)]);
      if (!found.more) return;
      after = hexOf(found.last);
    }
  },
};

async function retryStep(
  { db }: Context,
  change: QueueChange,
  lease: JobLease,
  { chosen, skipped, last, more }: ChosenMails,
): Promise<void> {
  const { trx, queue, now } = change;
  const before = await readProgress<RetryProgress>(trx, queue, lease);
  const due = await makeDue(db, trx, mailTarget(queue.id), chosen, { now, onlyEnded: true });
  const progress = { ...before, resent: before.resent + due, after: hexOf(last) ?? before.after };
  addSkipped(progress.skipped, skipped);
  const { resent } = progress;
  const done = resent + Object.values(progress.skipped).reduce((sum, count) => sum + count, 0);
  if (more) advanceJob(change, lease, progress, { done });
  else finishJob(change, lease, progress, { done, result: { resent, skipped: done - resent } });
}

function hexOf(id: Uint8Array | undefined): string | null {
  return id === undefined ? null : Buffer.from(id).toString('hex');
}

async function countFailed(
  context: Context,
  queue: Queue,
  { kind, since }: RetrySelection,
): Promise<number | null> {
  let failed = selectMails(context, queue).where((e) => whereState(e, 'failed'));
  if (kind) failed = failed.where('e.kind', '=', `email.${kind}`);
  if (since !== undefined) failed = failed.where('e.created_at', '>=', since);
  const { count } = await context.db.query
    .selectFrom(failed.limit(COUNTED_MAX + 1).as('failed'))
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count) > COUNTED_MAX ? null : Number(count);
}
