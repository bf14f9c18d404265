import { sql } from 'kysely';
import type { Status } from '../../db/tables.ts';
import { bytesKey } from '../../lib/ids.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { giveCredit, withdrawCredit, writeCredits } from './credits.ts';
import { findMembersBySeq, type Member } from './members.ts';

/** When a referral counts: in the order in which people joined, or confirmed their email. */
interface Moment {
  readonly at: number;
  readonly seq: number;
}

/** A referral, and what decides whether its referrer has the credit. */
type Case = Awaited<ReturnType<typeof readCases>>[number];

/** Who may get a credit that somebody else no longer has: the next one with this referrer, or with this mailbox. */
type Heirs = { readonly referrer: number } | { readonly mailbox: Uint8Array };

type Open =
  | { readonly moment: Moment; readonly seq: number; readonly heirs?: Heirs }
  | { readonly moment: Moment; readonly seq: null; readonly heirs: Heirs };

/** More of them are left as they are, so that signups do not wait long. */
const STEPS_MAX = 2_000;

/** Credits that follow from a repair, as if what is stored now had been so from the start. */
export interface CreditDecisions {
  /** Whoever repairs it has changed what decides about these referrals. */
  reopen(seqs: readonly number[]): Promise<void>;
  /** Before a referral leaves its referrer: the next one may get the credit. */
  release(seq: number): Promise<void>;
  /** After a referral left its mailbox: the next one of it may get the credit. */
  vacate(seq: number, mailbox: Uint8Array): Promise<void>;
  /** Decides what is open, and all that follows from it. */
  settle(): Promise<void>;
}

/**
 * Goes through them in the order in which they count, so that each one is decided by those before it, which are final. A
 * cap that was lowered takes nothing away, and one that was raised gives nothing: what is here is only exchanged.
 */
export function decideAgain(change: QueueChange): CreditDecisions {
  const { trx, queue, settings } = change;
  const { referralCap: cap } = settings;
  const members = new Map<number, Member>();
  const open: Open[] = [];

  const memberOf = async (seq: number | null): Promise<Member | undefined> => {
    if (seq === null) return undefined;
    const known = members.get(seq) ?? (await findMembersBySeq(trx, queue, [seq])).find({ seq });
    if (known) members.set(seq, known);
    return known;
  };
  const write = ({ seq }: Case, credited: 0 | 1) =>
    trx.update('entry', { key: ['queue_id', 'seq'] }, [{ queue_id: queue.id, seq, credited }]);

  const leaveTo = (heirs: Heirs, moment: Moment) => open.push({ moment, seq: null, heirs });
  const withdraw = async (referral: Case, isReplaced: boolean) => {
    const referrer = await memberOf(referral.referrer_seq);
    if (referrer) withdrawCredit(referrer);
    write(referral, 0);
    if (referrer && !isReplaced && cap !== null) leaveTo({ referrer: referrer.seq }, referral);
    if (referral.mailbox) leaveTo({ mailbox: referral.mailbox }, referral);
  };

  const isAllowed = async (referral: Case, referrer: Member): Promise<boolean> => {
    if (referral.status === 'removed') return false;
    if (referral.decision === 'credit') return true;
    if (referral.status === 'pending') return false;
    if (!referral.mailbox) return true;
    if (bytesKey(referral.mailbox) === referrer.mailbox) return false;
    const others = await creditedOf(change, referral);
    return !others.some((other) => isBefore(other, referral));
  };

  /** Whether there is room for it, or somebody after it makes room. */
  const makeRoom = async (referral: Case, referrer: Member, isHeir: boolean): Promise<boolean> => {
    if (cap === null || referrer.referrals + referrer.gained < cap) return true;
    const last = isHeir ? undefined : await lastCredited(change, referrer.seq);
    if (!last || !isBefore(referral, last)) return false;
    await withdraw(last, true);
    return true;
  };

  const decide = async (referral: Case, isHeir: boolean): Promise<boolean> => {
    const referrer = await memberOf(referral.referrer_seq);
    if (!referrer) return false; // One who was removed keeps what counts when they are put back.
    const allowed = await isAllowed(referral, referrer);
    if (referral.credited === 1 && !allowed) await withdraw(referral, false);
    if (!allowed) return false;
    if (referral.credited === 0) {
      if (!(await makeRoom(referral, referrer, isHeir))) return false;
      giveCredit(change, referrer, referral);
      write(referral, 1);
    }
    for (const other of await creditedOf(change, referral))
      if (isBefore(referral, other)) open.push({ moment: other, seq: other.seq });
    return true;
  };

  const isTaken = async (heirs: Heirs, { at, seq }: Moment): Promise<boolean> => {
    if ('mailbox' in heirs) {
      const others = await creditedOf(change, { mailbox: heirs.mailbox, seq: 0 });
      return others.some((other) => !isBefore({ at, seq }, other));
    }
    const referrer = await memberOf(heirs.referrer);
    return !referrer || (cap !== null && referrer.referrals + referrer.gained >= cap);
  };

  const step = async (next: Open): Promise<void> => {
    const { heirs, moment } = next;
    if (next.seq === null) {
      const [heir] = (await isTaken(next.heirs, moment)) ? [] : await nextHeirs(change, next.heirs, moment);
      if (heir) open.push({ moment: heir, seq: heir.seq, heirs: next.heirs });
      return;
    }
    const [referral] = await readCases(change, [next.seq]);
    if (!referral) return;
    const decided = await decide(referral, heirs !== undefined && 'referrer' in heirs);
    if (heirs && !decided) leaveTo(heirs, referral);
  };

  return {
    reopen: async (seqs) => {
      for (const moment of await readCases(change, seqs)) open.push({ moment, seq: moment.seq });
    },
    release: async (seq) => {
      const [referral] = await readCases(change, [seq]);
      if (referral?.credited === 1) await withdraw(referral, false);
    },
    vacate: async (seq, mailbox) => {
      for (const moment of await readCases(change, [seq])) leaveTo({ mailbox }, moment);
    },
    settle: async () => {
      for (let steps = 0; open.length > 0 && steps < STEPS_MAX; steps += 1) await step(takeFirst(open));
      writeCredits(change, { known: members });
    },
  };
}

function isBefore(a: Moment, b: Moment): boolean {
  return a.at < b.at || (a.at === b.at && a.seq < b.seq);
}

function takeFirst(open: Open[]): Open {
  const first = open.reduce((best, each) => (isBefore(each.moment, best.moment) ? each : best));
  open.splice(open.indexOf(first), 1);
  return first;
}

const countsAt = sql<number>`coalesce(e.confirmed_at, e.created_at)`;
const mailboxOf = sql<Uint8Array | null>`coalesce(e.mailbox_hash, e.email_hash)`;

/** Who was declined keeps what they had, so that nobody notices. */
const standing = sql<Status>`case when e.status = 'declined' then coalesce(e.declined_from, 'waiting') else e.status end`;

function selectCases({ trx, queue }: QueueChange) {
  return trx
    .selectFrom('entry as e')
    .leftJoin('referral_review as r', (join) =>
      join.onRef('r.queue_id', '=', 'e.queue_id').onRef('r.seq', '=', 'e.seq'),
    )
    .select(['e.seq', 'e.id', 'e.referrer_seq', 'e.credited', 'r.decision'])
    .select([standing.as('status'), countsAt.as('at'), mailboxOf.as('mailbox')])
    .where('e.queue_id', '=', queue.id);
}

function readCases(change: QueueChange, seqs: readonly number[]) {
  return selectCases(change)
    .where('e.seq', 'in', seqs.length > 0 ? seqs : [0])
    .execute();
}

/** The others of a mailbox that a referrer has the credit for. */
async function creditedOf(
  change: QueueChange,
  { mailbox, seq }: { mailbox: Uint8Array | null; seq: number },
): Promise<Case[]> {
  if (!mailbox) return [];
  const having = (column: 'e.email_hash' | 'e.mailbox_hash') =>
    selectCases(change)
      .where(column, '=', mailbox)
      .where('e.credited', '=', 1)
      .where('e.seq', '<>', seq)
      .execute();
  return (await Promise.all([having('e.email_hash'), having('e.mailbox_hash')])).flat();
}

async function lastCredited(change: QueueChange, referrerSeq: number): Promise<Case | undefined> {
  return selectCases(change)
    .where('e.referrer_seq', '=', referrerSeq)
    .where('e.credited', '=', 1)
    .orderBy(countsAt, 'desc')
    .orderBy('e.seq', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The first one after a moment that has no credit. */
function nextHeirs(change: QueueChange, heirs: Heirs, { at, seq }: Moment): Promise<Case[]> {
  const waiting = selectCases(change)
    .where('e.credited', '=', 0)
    .where('e.referrer_seq', 'is not', null)
    .where(standing, 'not in', ['pending', 'removed'])
    .where((e) => e.or([e(countsAt, '>', at), e.and([e(countsAt, '=', at), e('e.seq', '>', seq)])]))
    .orderBy(countsAt)
    .orderBy('e.seq')
    .limit(1);
  if ('referrer' in heirs) return waiting.where('e.referrer_seq', '=', heirs.referrer).execute();
  const { mailbox } = heirs;
  return waiting
    .where((e) => e.or([e('e.email_hash', '=', mailbox), e('e.mailbox_hash', '=', mailbox)]))
    .execute();
}
