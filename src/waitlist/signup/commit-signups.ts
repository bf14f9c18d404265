import type { Trx } from '../../db/database.ts';
import { DoorlistError } from '../../lib/errors.ts';
import { formatId } from '../../lib/ids.ts';
import type { Span } from '../../lib/telemetry.ts';
import { type CodeOutcome, findNamedCodes, NamedCodes } from '../codes/named-codes.ts';
import { readAndChangeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { findMembers, type Members } from '../referrals/members.ts';
import { addByRules } from './add-by-rules.ts';
import type { Candidate } from './candidate.ts';

export interface SignupOptions {
  withSeqs?: boolean;
}

export interface SignupRequest extends SignupOptions {
  /** Of the request that waits for it, while tracing is on. */
  span?: Span | undefined;
  queue: Queue;
  candidates: Candidate[];
}

export interface SignupResult {
  created: number;
  skipped: number;
  /** The entry of each signup, new or known, if the request asked for them. */
  seqs?: number[];
  /** Of those that name a code, if any does. */
  codes?: { index: number; outcome: CodeOutcome }[];
}

/** Writes the signups of a queue in one transaction. */
export async function commitSignups(
  context: Context,
  requests: SignupRequest[],
  locked?: () => void,
): Promise<SignupResult[]> {
  const [{ queue }] = requests as [SignupRequest];
  const all = requests.flatMap(({ candidates }) => candidates);
  const read = (trx: Trx) => Promise.all([findMembers(trx, queue, all), findNamedCodes(trx, queue, all)]);
  const results = await readAndChangeQueue(context, queue, read, async (change, [members, rows]) => {
    if (context.db.locksAtServer) locked?.();
    if (change.settings.closed)
      throw new DoorlistError('waitlist_closed', 'this waitlist is closed to new signups');
    const codes = rows && new NamedCodes(context, change, rows);
    const added = await addByRules(context, change, members, all, codes);
    await codes?.recall(all.flatMap((candidate, index) => (added[index] ? [] : namedBy(members, candidate))));
    if (context.audit) await auditAdded(context, change, all, added);
    let first = 0;
    return requests.map(({ candidates, withSeqs }) => {
      const own = added.slice(first, first + candidates.length);
      first += candidates.length;
      const created = own.filter(Boolean).length;
      return {
        created,
        skipped: own.length - created,
        ...(withSeqs && { seqs: seqsOf(members, candidates) }),
        ...(codes && { codes: outcomesOf(codes, candidates) }),
      };
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

function namedBy(members: Members, candidate: Candidate) {
  const { code } = candidate;
  const seq = members.holder(candidate)?.seq;
  return code && seq !== undefined ? [{ code, seq }] : [];
}

function outcomesOf(codes: NamedCodes, candidates: readonly Candidate[]) {
  return candidates.flatMap(({ code }, index) => (code ? [{ index, outcome: codes.outcomeOf(code) }] : []));
}

function seqsOf(members: Members, candidates: readonly Candidate[]): number[] {
  return candidates.flatMap((candidate) => members.holder(candidate)?.seq ?? []);
}
