import { DatabaseUnavailable, type Trx } from '../../db/database.ts';
import { DoorlistError } from '../../lib/errors.ts';
import { formatId } from '../../lib/ids.ts';
import type { Span } from '../../lib/tracer.ts';
import { readAndChangeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { findMembers, type Members } from '../referrals/members.ts';
import { addEntries } from './add-entries.ts';
import { type Candidate, prepareCandidate } from './candidate.ts';
import { GroupCommit } from './group-commit.ts';
import type { Signup } from './signup-input.ts';

export interface SignupResult {
  created: number;
  skipped: number;
  /** The entry of each signup, new or known, if the request asked for them. */
  seqs?: number[];
}

interface SignupOptions {
  withSeqs?: boolean;
}

export interface Signups {
  submit(queue: Queue, entries: Signup[], options?: SignupOptions): Promise<SignupResult>;
  /** How many entries are not written yet. */
  waiting(): number;
  /** With more of them, further signups are refused. */
  readonly mostWaiting: number;
}

interface SignupRequest extends SignupOptions {
  /** Of the request that waits for it, while tracing is on. */
  span?: Span | undefined;
  queue: Queue;
  candidates: Candidate[];
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
      return group.submit(queue.id, { queue, candidates, span: context.tracer?.current(), ...options });
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

async function commitSignups(
  context: Context,
  requests: SignupRequest[],
  locked?: () => void,
): Promise<SignupResult[]> {
  const [{ queue }] = requests as [SignupRequest];
  const all = requests.flatMap(({ candidates }) => candidates);
  const read = (trx: Trx) => findMembers(trx, queue, all);
  const results = await readAndChangeQueue(context, queue, read, async (change, members) => {
    if (context.db.locksAtServer) locked?.();
    if (change.settings.closed)
      throw new DoorlistError('waitlist_closed', 'this waitlist is closed to new signups');
    const added = addEntries(change, members, all);
    if (context.audit) await auditAdded(context, change, all, added);
    let first = 0;
    return requests.map(({ candidates, withSeqs }) => {
      const own = added.slice(first, first + candidates.length);
      first += candidates.length;
      const created = own.filter(Boolean).length;
      const result = { created, skipped: own.length - created };
      return withSeqs ? { ...result, seqs: seqsOf(members, candidates) } : result;
    });
  });
  const created = results.reduce((sum, result) => sum + result.created, 0);
  context.meter.signups({ created, skipped: all.length - created });
  return results;
}

/** Only for operators: signups with a key leave no record. */
async function auditAdded(
  { audit }: Context,
  { trx }: QueueChange,
  candidates: readonly Candidate[],
  added: readonly boolean[],
): Promise<void> {
  for (const [index, { id }] of candidates.entries())
    if (added[index])
      await audit?.(trx, { action: 'entry.added', object: { kind: 'entry', id: formatId('ent', id) } });
}

function seqsOf(members: Members, candidates: readonly Candidate[]): number[] {
  return candidates.flatMap((candidate) => members.holder(candidate)?.seq ?? []);
}
