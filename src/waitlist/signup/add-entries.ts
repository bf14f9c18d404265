import type { RuleOutcome, Status } from '../../db/tables.ts';
import type { NamedCodes } from '../codes/named-codes.ts';
import { mailboxKey } from '../people/identity.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { credit, writeCredits } from '../referrals/credits.ts';
import { depthBelow } from '../referrals/depth.ts';
import { sharedMailbox } from '../referrals/mailboxes.ts';
import type { Member, Members } from '../referrals/members.ts';
import { rankOf } from '../referrals/rank.ts';
import type { VisitLink } from '../referrals/referral-code.ts';
import type { Candidate } from './candidate.ts';

interface Added {
  candidate: Candidate;
  member: Member;
  referrer: Member | undefined;
  credited: boolean;
}

/** Somebody as they join. */
export interface Newcomer {
  readonly candidate: Candidate;
  readonly member: Member;
  readonly referrer: Member | undefined;
  /** Id of the code that they joined with. */
  readonly code: Uint8Array | undefined;
}

interface Joining {
  codes?: NamedCodes | undefined;
  /** What a rule decides about somebody. The caller carries it out. */
  decide?: (newcomer: Newcomer) => RuleOutcome | undefined;
}

/**
 * Adds those who are not in the queue yet, in order, and credits their referrers. Returns for each whether it
 * was added.
 */
export function addEntries(
  change: QueueChange,
  members: Members,
  candidates: readonly Candidate[],
  { codes, decide }: Joining = {},
): boolean[] {
  const added: Added[] = [];
  let waiting = change.waiting + (change.tally.statuses.get('waiting') ?? 0);
  const outcome = candidates.map((given) => {
    if (members.holder(given)) return false;
    const seq = ++change.lastSeq;
    const { candidate, advanced, code } = codes?.join(given, seq) ?? { candidate: given, advanced: 0 };
    const referrer = findReferrer(members, candidate);
    const status = firstStatus(change, candidate);
    const depth = depthBelow(referrer);
    const mailbox = mailboxKey({ email_hash: candidate.emailHash, mailbox_hash: candidate.mailboxHash });
    const joined = { seq, ...change.places, referrals: 0, advanced, moved: 0 };
    const rank = rankOf(joined, change.settings.boost);
    const member: Member = { ...joined, status, rank, depth, mailbox, gained: 0 };
    members.add(candidate, member);
    if (status === 'waiting') waiting += 1;
    // Nobody has a rank behind the next place: new entries join at the end of the queue, unless a code advances them.
    const outcome = decide?.({ candidate, member, referrer, code });
    const atEnd = advanced === 0 ? waiting : undefined;
    const position = status === 'waiting' ? (outcome === 'advance' ? 1 : atEnd) : null;
    // Who is declined is not told, and who is approved gets an invite.
    const hasEmail = candidate.emailHash !== null && outcome !== 'decline' && outcome !== 'approve';
    const hasJoined = status === 'joined';
    const shown = {
      id: candidate.id,
      hasEmail,
      hasJoined,
      position,
      ...(candidate.form && { form: candidate.form }),
    };
    change.record({ kind: 'signup.created', entry: seq, joined: shown });
    const credited = credit(change, members, referrer, { id: candidate.id, status, mailbox });
    added.push({ candidate, member, referrer, credited });
    noteVisitReferral(change, members, candidate, member);
    return true;
  });
  insertEntries(change, added, codes !== undefined);
  codes?.write();
  writeCredits(change, members);
  return outcome;
}

/** Whose link was followed, if the form showed it to somebody who typed an address. */
export function visitOf({ lastSeq }: QueueChange, { referrer }: Candidate): VisitLink | undefined {
  const visit = referrer && 'code' in referrer ? referrer.visit : undefined;
  return visit && visit.seq <= lastSeq ? visit : undefined;
}

/**
 * Whoever typed a known address sees who joined with their link, as they would for a new one. So it counts by the same
 * rules, whatever became of the known entry.
 */
function noteVisitReferral(
  change: QueueChange,
  members: Members,
  candidate: Candidate,
  { seq, mailbox }: Member,
): void {
  const visit = visitOf(change, candidate);
  if (!visit || sharedMailbox(members, members.find(visit) ?? { mailbox: null }, mailbox) === 'referrer')
    return;
  change.trx.insert('form_referral', [{ queue_id: change.queue.id, link: visit.link, seq }]);
}

/** Nobody who was removed. */
export function findReferrer(members: Members, { referrer }: Candidate): Member | undefined {
  const found = referrer ? members.find(referrer) : undefined;
  return found?.status === 'removed' ? undefined : found;
}

/** With double opt-in, an entry with an email is pending until the email is confirmed. */
function firstStatus({ settings }: QueueChange, { emailHash, standing, form }: Candidate): Status {
  if (standing) return standing.status;
  return (settings.confirmEmails || form?.confirm) && emailHash !== null ? 'pending' : 'waiting';
}

function insertEntries(
  { trx, queue, now, settings, tally }: QueueChange,
  added: Added[],
  withCodes: boolean,
): void {
  const rows = added.map(({ candidate, member, referrer, credited }) => {
    const rank = rankOf({ ...member, referrals: member.gained }, settings.boost);
    tally.enter(member.status, rank);
    const createdAt = candidate.joinedAt ?? now;
    tally.slots.add('signups', createdAt);
    tally.slots.addDepth(createdAt, 0, member.depth);
    if (member.status === 'declined') tally.slots.add('declined', createdAt);
    const accepted = candidate.standing?.status === 'joined' ? candidate.standing : undefined;
    return {
      queue_id: queue.id,
      seq: member.seq,
      closed: member.closed,
      opened: member.opened,
      id: candidate.id,
      status: member.status,
      rank,
      referrals: member.gained,
      referrer_seq: referrer?.seq ?? null,
      credited: credited ? 1 : 0,
      person: candidate.person,
      email_hash: candidate.emailHash,
      phone_hash: candidate.phoneHash,
      mailbox_hash: candidate.mailboxHash,
      created_at: createdAt,
      invited_at: accepted?.invitedAt ?? null,
      joined_at: accepted?.acceptedAt ?? null,
      removed_at: null,
      confirmed_at: null,
      depth: member.depth,
      declined_at: member.status === 'declined' ? createdAt : null,
      declined_from: member.status === 'declined' ? ('waiting' as const) : null,
    };
  });
  const pairs = added.flatMap(({ candidate, member }) =>
    candidate.pairHashes.map((hash) => ({ queue_id: queue.id, pair_hash: hash, seq: member.seq })),
  );
  // Signups without a code write no further column.
  if (withCodes)
    trx.insert(
      'entry',
      rows.map((row, index) => ({ ...row, advanced: added[index]?.member.advanced ?? 0 })),
    );
  else trx.insert('entry', rows);
  trx.insert('metadata_pair', pairs);
}
