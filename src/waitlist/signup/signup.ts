import { DatabaseUnavailable, type Trx } from '../../db/database.ts';
import { DoorlistError } from '../../errors.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/directory.ts';
import { readAndChangeQueue } from '../queue/queue-change.ts';
import { addEntries } from './add-entries.ts';
import { type Candidate, prepareCandidate } from './candidate.ts';
import { Lanes } from './lanes.ts';
import { findMembers } from './register.ts';
import type { Signup } from './signup-input.ts';

export interface SignupResult {
  created: number;
  skipped: number;
}

export interface SignupDesk {
  submit(queue: Queue, entries: Signup[]): Promise<SignupResult>;
}

interface Job {
  queue: Queue;
  candidates: Candidate[];
}

/** Callers give up on an answer sooner or later; better that they hear it, and try again. */
const LONGEST_WAIT_MS = 10_000;

/** Where signups come in; requests that arrive together are written together. */
export function openSignupDesk(
  context: Context,
  mostWaiting: number,
  longestWaitMs = LONGEST_WAIT_MS,
): SignupDesk {
  const lanes = new Lanes<Job, SignupResult>({
    commit: (_, jobs) => commitSignups(context, jobs),
    isolate: (error) => !(error instanceof DoorlistError || error instanceof DatabaseUnavailable),
    weigh: (job) => job.candidates.length,
    mostWaiting,
    longestWaitMs,
    groupWeight: context.db.groupSize,
  });
  return {
    submit: (queue, entries) => {
      const now = context.clock();
      const candidates = entries.map((entry) => prepareCandidate(queue, entry, now));
      return lanes.submit(queue.id, { queue, candidates });
    },
  };
}

function commitSignups(context: Context, jobs: Job[]): Promise<SignupResult[]> {
  const [{ queue }] = jobs as [Job];
  const all = jobs.flatMap(({ candidates }) => candidates);
  const read = (trx: Trx) => findMembers(context, trx, queue, all);
  return readAndChangeQueue(context, queue, read, (change, register) => {
    if (change.settings.closed)
      throw new DoorlistError('waitlist_closed', 'this waitlist takes no new signups');
    const added = addEntries(context, change, register, all);
    let first = 0;
    return jobs.map(({ candidates }) => {
      const own = added.slice(first, first + candidates.length);
      first += candidates.length;
      const created = own.filter(Boolean).length;
      return { created, skipped: own.length - created };
    });
  });
}
