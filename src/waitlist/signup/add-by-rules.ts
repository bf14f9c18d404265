import type { NamedCodes } from '../codes/named-codes.ts';
import { type DecidedRow, decideAll } from '../decisions/decide.ts';
import { matcherOf, type Rule, readRules } from '../decisions/rules.ts';
import type { Context } from '../queue/context.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import type { Member, Members } from '../referrals/members.ts';
import { rankOf } from '../referrals/rank.ts';
import { addEntries, type Newcomer } from './add-entries.ts';
import type { Candidate } from './candidate.ts';

/** Adds them as `addEntries` does. The rules of the waitlist decide at once, in the same transaction. */
export async function addByRules(
  context: Context,
  change: QueueChange,
  members: Members,
  candidates: readonly Candidate[],
  codes?: NamedCodes,
): Promise<boolean[]> {
  if (change.rules === 0) return addEntries(change, members, candidates, { codes });
  const { queue, trx } = change;
  const rules = (await readRules(trx, queue)).map((rule) => ({
    rule,
    matches: matcherOf(queue, rule.when),
    newcomers: [] as Newcomer[],
  }));
  const decide = (newcomer: Newcomer) => {
    const { candidate, referrer, code } = newcomer;
    if (candidate.standing) return undefined; // Decided already.
    const subject = { ...candidate, referrerSeq: referrer?.seq ?? null, code };
    const found = rules.find(({ matches }) => matches(subject));
    if (!found || !fits(found.rule, candidate)) return undefined;
    found.newcomers.push(newcomer);
    return found.rule.outcome;
  };
  const added = addEntries(change, members, candidates, { codes, decide });
  for (const { rule, newcomers } of rules) {
    if (newcomers.length === 0) continue;
    const rows = newcomers.map((newcomer) => rowOf(change, newcomer));
    if (rule.outcome === 'advance') await putFirst(change, rows);
    else
      await decideAll(context, change, rows, rule.outcome, {
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

interface NewRow extends DecidedRow {
  readonly member: Member;
}

function rowOf({ settings }: QueueChange, { candidate, member }: Newcomer): NewRow {
  const { seq, status, gained } = member;
  const rank = rankOf({ ...member, referrals: gained }, settings.boost);
  const { id, person, emailHash: email_hash } = candidate;
  return { seq, id, rank, email_hash, person, status, declined_at: null, declined_from: null, member };
}

/** With the rank of who was first: of equal ranks, the one that joined later is ahead. */
async function putFirst({ trx, queue, tally }: QueueChange, newcomers: readonly NewRow[]): Promise<void> {
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
