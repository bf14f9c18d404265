import type { NamedCodes } from '../codes/named-codes.ts';
import { type DecidedRow, decideAll } from '../decisions/decide.ts';
import { matcherOf, type Rule, readRules } from '../decisions/rules.ts';
import type { Context } from '../queue/context.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import type { Member, Members } from '../referrals/members.ts';
import { rankOf } from '../referrals/rank.ts';
import { addEntries, findReferrer } from './add-entries.ts';
import type { Candidate } from './candidate.ts';

/** Adds them as `addEntries` does. The rules of the waitlist decide at once, in the same transaction. */
export async function addByRules(
  context: Context,
  change: QueueChange,
  members: Members,
  candidates: readonly Candidate[],
  codes?: NamedCodes,
): Promise<boolean[]> {
  if (change.rules === 0) return addEntries(change, members, candidates, codes);
  const { queue, trx } = change;
  const rules = (await readRules(trx, queue)).map((rule) => ({ rule, matches: matcherOf(queue, rule.when) }));
  const ruled = candidates.map((candidate): Candidate => {
    if (candidate.standing) return candidate; // Decided already.
    const referrerSeq = findReferrer(members, candidate)?.seq ?? null;
    const found = rules.find(({ matches }) => matches({ ...candidate, referrerSeq }))?.rule;
    return found && fits(found, candidate)
      ? { ...candidate, rule: { id: found.id, outcome: found.outcome } }
      : candidate;
  });
  const added = addEntries(change, members, ruled, codes);
  for (const { rule } of rules) {
    const newcomers = ruled.flatMap((candidate, index) => {
      const member = added[index] && candidate.rule?.id === rule.id && members.holder(candidate);
      return member ? [rowOf(change, candidate, member)] : [];
    });
    if (newcomers.length === 0) continue;
    if (rule.outcome === 'advance') await putFirst(change, newcomers);
    else
      await decideAll(context, change, newcomers, rule.outcome, {
        note: null,
        by: `rule:${rule.id}`,
        email: false,
      });
  }
  return added;
}

/** Nobody is invited without an email. */
function fits({ outcome }: Rule, { emailHash }: Candidate): boolean {
  return outcome !== 'approve' || emailHash !== null;
}

interface Newcomer extends DecidedRow {
  readonly member: Member;
}

function rowOf({ settings }: QueueChange, candidate: Candidate, member: Member): Newcomer {
  const { seq, status, gained } = member;
  const rank = rankOf({ ...member, referrals: gained }, settings.boost);
  const { id, person, emailHash: email_hash } = candidate;
  return { seq, id, rank, email_hash, person, status, declined_at: null, declined_from: null, member };
}

/** With the rank of who was first: of equal ranks, the one that joined later is ahead. */
async function putFirst({ trx, queue, tally }: QueueChange, newcomers: readonly Newcomer[]): Promise<void> {
  const first = await trx
    .selectFrom('entry')
    .select('rank')
    .where('queue_id', '=', queue.id)
    .where('status', '=', 'waiting')
    .orderBy('rank')
    .limit(1)
    .executeTakeFirst();
  const rows = newcomers.map(({ seq, status, rank: before, member }) => {
    const rank = Math.min(first?.rank ?? before, before);
    tally.leave(status, before);
    tally.enter(status, rank);
    return { queue_id: queue.id, seq, rank, moved: member.moved + rank - before };
  });
  trx.update('entry', { key: ['queue_id', 'seq'] }, rows);
}
