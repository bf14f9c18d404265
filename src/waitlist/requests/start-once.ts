import { sharedNow } from '../../db/shared-clock.ts';
import type { Id } from '../../lib/ids.ts';
import type { Context } from '../queue/context.ts';
import { onlyOnce } from './only-once.ts';
import { findAnswer, type KeyedRequest, keepAnswer } from './repeated-requests.ts';

/** What is kept of work that starts a job: which one, and what it answered once that was done. */
interface Started<T> {
  jobId: Id<'job'>;
  answer?: T;
}

/**
 * Does work that starts a job and waits for it. However often it is sent, there is one job: `known` answers for one that
 * the first started, or nothing if the work is to go on with it.
 */
export async function startOnce<T>(
  context: Context,
  request: KeyedRequest,
  work: (context: Context) => Promise<T>,
  known: (jobId: Id<'job'>) => Promise<T | undefined>,
): Promise<T> {
  const { db } = context;
  const earlier = await findAnswer<Started<T>>({ db, now: await sharedNow(context) }, request);
  const told = earlier && (earlier.answer.answer ?? (await known(earlier.answer.jobId)));
  if (told !== undefined) return told;
  let jobId: Id<'job'> | undefined;
  const answer = await work({
    ...context,
    startOnce: async (start) => {
      const started = await onlyOnce<Started<T>>(context, request, async (held) => ({
        jobId: await start(held),
      }));
      jobId = started.answer.jobId;
      return jobId;
    },
  });
  if (jobId !== undefined) {
    const kept: Started<T> = { jobId, answer };
    await db.transaction((trx) => keepAnswer(trx, request, kept));
  }
  return answer;
}
