import { ENTRY_COLUMNS, METADATA_PAIR_COLUMNS, type Status } from '../../db/tables.ts';
import type { Context } from '../queue/context.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { credit, writeCredits } from '../referrals/credits.ts';
import type { Member, Members } from '../referrals/members.ts';
import { rankOf } from '../referrals/rank.ts';
import type { Candidate } from './candidate.ts';

interface Added {
  candidate: Candidate;
  member: Member;
  referrer: Member | undefined;
  credited: boolean;
}

/** Adds those who are not in the queue yet, in order, and credits their referrers. Returns, for each, whether it was added. */
export function addEntries(
  context: Context,
  change: QueueChange,
  members: Members,
  candidates: readonly Candidate[],
): boolean[] {
  const added: Added[] = [];
  let waiting = change.waiting + (change.tally.statuses.get('waiting') ?? 0);
  const outcome = candidates.map((candidate) => {
    if (members.holds(candidate)) return false;
    const referrer = candidate.referrer ? members.find(candidate.referrer) : undefined;
    const status = firstStatus(change, candidate);
    const seq = ++change.lastSeq;
    const member: Member = { seq, status, rank: seq, referrals: 0, gained: 0 };
    members.add(candidate, member);
    if (status === 'waiting') waiting += 1;
    // Who joins is the last in line.
    const position = status === 'waiting' ? waiting : null;
    const joined = { id: candidate.id, hasEmail: candidate.emailHash !== null, position };
    change.record({ kind: 'signup.created', entry: seq, joined });
    const credited = credit(change, referrer, { id: candidate.id, status });
    added.push({ candidate, member, referrer, credited });
    return true;
  });
  insertEntries(context, change, added);
  writeCredits(context, change, members);
  return outcome;
}

/** With double opt-in, whoever has an email waits for its confirmation first. */
function firstStatus({ settings }: QueueChange, { emailHash, standing }: Candidate): Status {
  if (standing) return standing.status;
  return settings.confirmEmails && emailHash !== null ? 'pending' : 'waiting';
}

function insertEntries({ db }: Context, change: QueueChange, added: Added[]): void {
  const { trx, queue, now, settings, tally, send } = change;
  const rows = added.map(({ candidate, member, referrer, credited }) => {
    const rank = rankOf(member.seq, settings.boost, member.gained);
    tally.enter(member.status, rank);
    const accepted = candidate.standing?.status === 'joined' ? candidate.standing : undefined;
    return [
      queue.id,
      member.seq,
      candidate.id,
      member.status,
      rank,
      member.gained,
      referrer?.seq ?? null,
      credited ? 1 : 0,
      candidate.person,
      candidate.emailHash,
      candidate.phoneHash,
      candidate.joinedAt ?? now,
      accepted?.invitedAt ?? null,
      accepted?.acceptedAt ?? null,
      null,
    ];
  });
  const pairs = added.flatMap(({ candidate, member }) =>
    candidate.pairHashes.map((hash) => [queue.id, hash, member.seq]),
  );
  send(db.insertRows(trx, { table: 'entry', columns: ENTRY_COLUMNS, rows }));
  send(db.insertRows(trx, { table: 'metadata_pair', columns: METADATA_PAIR_COLUMNS, rows: pairs }));
}
