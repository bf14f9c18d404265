import type { Trx } from '../../db/database.ts';
import { DoorlistError } from '../../lib/errors.ts';
import { formatId } from '../../lib/ids.ts';
import type { Span } from '../../lib/telemetry.ts';
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
}

/** Writes the signups of a queue in one transaction. */
export async function commitSignups(
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
    const added = await addByRules(context, change, members, all);
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
