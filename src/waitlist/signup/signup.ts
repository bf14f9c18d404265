import { DatabaseUnavailable } from '../../db/database.ts';
import { DoorlistError } from '../../lib/errors.ts';
import { withCodes } from '../codes/named-codes.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { type Candidate, prepareCandidate } from './candidate.ts';
import {
  commitSignups,
  type SignupOptions,
  type SignupRequest,
  type SignupResult,
} from './commit-signups.ts';
import { GroupCommit } from './group-commit.ts';
import type { Signup } from './signup-input.ts';

export interface Signups {
  submit(queue: Queue, entries: Signup[], options?: SignupOptions): Promise<SignupResult>;
  /** How many entries are not written yet. */
  waiting(): number;
  /** With more of them, further signups are refused. */
  readonly mostWaiting: number;
}

/** Clients time out sooner or later. A 503 tells them to retry. */
const LONGEST_WAIT_MS = 10_000;

/**
 * Small batches cost more for each entry, and large ones keep others waiting: the queue is locked for some 15 ms to write
 * the most.
 */
const BATCH_ENTRIES = { least: 32, most: 256 };

/** Requests that arrive together are written together. */
export function openSignups(context: Context, mostWaiting: number, longestWaitMs = LONGEST_WAIT_MS): Signups {
  const group = new GroupCommit<SignupRequest, SignupResult>({
    commit: (_, requests, locked) => commitTraced(context, requests, locked),
    isolate: (error) => !(error instanceof DoorlistError || error instanceof DatabaseUnavailable),
    weigh: ({ candidates }) => candidates.length,
    mostWaiting,
    waiting: context.counts.sum('signups'),
    longestWaitMs,
    batchWeight: BATCH_ENTRIES,
  });
  return {
    mostWaiting,
    waiting: () => group.waitingWeight,
    submit: (queue, entries, options) => {
      const now = context.clock();
      const candidates = entries.map((entry) => prepareCandidate(queue, entry, now));
      const span = context.tracer?.current();
      const submit = (all: Candidate[]) =>
        group.submit(queue.id, { queue, candidates: all, span, ...options });
      if (entries.every(({ code }) => code === undefined)) return submit(candidates);
      return withCodes(context, entries, candidates).then(submit);
    },
  };
}

/** A batch is part of the trace of every request in it. */
function commitTraced(
  context: Context,
  requests: SignupRequest[],
  locked: () => void,
): Promise<SignupResult[]> {
  const { tracer } = context;
  if (!tracer) return commitSignups(context, requests, locked);
  const spans = requests.flatMap(({ span }) => span ?? []);
  return tracer.runFor(spans, () => commitSignups(context, requests, locked));
}

/** Adds a person by hand, in the name of an operator. Returns their entry, also if they were known already. */
export async function addPerson(
  context: Context,
  queue: Queue,
  signup: Signup,
): Promise<{ seq: number; created: boolean }> {
  const candidate = prepareCandidate(queue, signup, context.clock());
  const [result] = await commitSignups(context, [{ queue, candidates: [candidate], withSeqs: true }]);
  return { seq: result?.seqs?.[0] ?? 0, created: result?.created === 1 };
}
