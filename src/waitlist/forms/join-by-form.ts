import type { Trx } from '../../db/database.ts';
import { knownSharedNow } from '../../db/shared-clock.ts';
import { statement } from '../../db/statement.ts';
import { DoorlistError } from '../../lib/errors.ts';
import { bytesKey } from '../../lib/ids.ts';
import { utcDay } from '../../lib/time.ts';
import type { CodeRow } from '../codes/codes.ts';
import { type CodeOutcome, findNamedCodes, NamedCodes, nameCode } from '../codes/named-codes.ts';
import { readAndChangeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { sharedMailbox } from '../referrals/mailboxes.ts';
import { findMembers, type Member, type Members } from '../referrals/members.ts';
import { openReview } from '../referrals/reviews.ts';
import { addByRules } from '../signup/add-by-rules.ts';
import { findReferrer, visitOf } from '../signup/add-entries.ts';
import { type Candidate, prepareCandidate } from '../signup/candidate.ts';
import type { Signup } from '../signup/signup-input.ts';
import { type TimeToken, TOKEN_MS_MAX } from './challenge.ts';
import { countMails, isSuspicious, MAILS_PER_DAY_MAX, noteMail, noteSource } from './limits.ts';
import type { RefusalReason } from './refusals.ts';
import { findShownPlace, placeFor, type ShownPlace, sealVisit, visitorHash } from './visits.ts';

/** What looks like a bot. The reason is for operators. */
export class Refused extends Error {
  override name = 'Refused';
  readonly reason: RefusalReason;
  constructor(reason: RefusalReason) {
    super(`refused: ${reason}`);
    this.reason = reason;
  }
}

export interface FormPost {
  signup: Signup;
  token: TimeToken;
  /** Whether the proof of work was solved. Without it, the email must be confirmed. */
  proven: boolean;
  /** The client's network, such as `192.0.2.0/24`. */
  network: string;
}

export interface FormJoin {
  state: 'joined' | 'confirm';
  /** For the status page. null until the email is confirmed. */
  visit: string | null;
  /** What the code is worth that was named, for whoever joins with it. As little as `state`, it tells whether the address was known. */
  code?: CodeOutcome;
}

interface Remembered {
  spentBy: Uint8Array | undefined;
  mails: number;
  shown: ShownPlace | undefined;
}

const findSpent = statement<{ queueId: number; token: Uint8Array }, { email_hash: Uint8Array }>(
  (db, parameter) =>
    db.query
      .selectFrom('form_spent')
      .select('email_hash')
      .where('queue_id', '=', parameter('queueId'))
      .where('token_hash', '=', parameter('token')),
);

function spentHash({ vault }: Queue, { text }: TimeToken): Buffer {
  return vault.hash('form', `spent ${text}`);
}

/**
 * Whether the token was used before: by the same person, or by another. Bots that send one token many times
 * are turned away here, before they take a lock.
 */
export async function whoSpent(
  { db }: Context,
  queue: Queue,
  { signup, token }: Pick<FormPost, 'signup' | 'token'>,
): Promise<'same' | 'other' | undefined> {
  const [row] = await db.run(findSpent, { queueId: queue.id, token: spentHash(queue, token) });
  if (!row) return undefined;
  return queue.vault.hash('email', signup.email?.key ?? '').equals(row.email_hash) ? 'same' : 'other';
}

/**
 * Adds a person who used the form. The result does not show whether the address was known: either way it
 * takes the lock, spends the token and commits once.
 */
export async function joinByForm(context: Context, queue: Queue, post: FormPost): Promise<FormJoin> {
  const now = knownSharedNow(context);
  const { code } = post.signup;
  const candidate: Candidate = {
    ...prepareCandidate(queue, post.signup, now),
    ...(code !== undefined && { code: await nameCode(context, code) }),
  };
  const email = candidate.emailHash as Buffer;
  const mailbox = candidate.mailboxHash ?? email;
  const token = spentHash(queue, post.token);
  const network = queue.vault.hash('network', post.network);
  const visitor = visitorHash(queue, email, post.network);
  const day = utcDay(now);
  const read = async (trx: Trx): Promise<[Members, Remembered, CodeRow[] | undefined]> => {
    const [[spent], [mails], [shown], members, rows] = await Promise.all([
      trx.run(findSpent, { queueId: queue.id, token }),
      trx.run(countMails, { queueId: queue.id, day, mailbox }),
      trx.run(findShownPlace, { queueId: queue.id, visitor }),
      findMembers(trx, queue, [candidate]),
      findNamedCodes(trx, queue, [candidate]),
    ]);
    return [members, { spentBy: spent?.email_hash, mails: mails?.mails ?? 0, shown }, rows];
  };
  return readAndChangeQueue(context, queue, read, async (change, [members, remembered, rows]) => {
    const { settings, trx } = change;
    if (settings.closed) throw new DoorlistError('waitlist_closed', 'this waitlist is closed to new signups');
    // The same person may send the same form again, after a lost response or a second click.
    if (remembered.spentBy && !email.equals(remembered.spentBy)) throw new Refused('spent');
    const referrer = findReferrer(members, candidate);
    // Also of somebody who was removed: the answer must not tell.
    const referrerSeq = referrer?.seq ?? visitOf(change, candidate)?.seq;
    const suspicious = referrerSeq !== undefined && (await isSuspicious(change, referrerSeq, network));
    const confirm = settings.confirmEmails || !post.proven || suspicious;
    const mayMail = remembered.mails < MAILS_PER_DAY_MAX;
    // Not part of `confirm`: the answer must not tell that the mailbox is known.
    const shared = referrer ? sharedMailbox(members, referrer, bytesKey(mailbox)) : null;
    const codes = rows && new NamedCodes(context, change, rows);
    const offer = candidate.code && codes?.offerOf(candidate.code);
    const known = members.find({ email });
    const member =
      known ?? (await add(context, change, members, { ...candidate, form: { confirm, mayMail } }, codes));
    const mailed = known ? mayMail && confirm && remind(change, known) : mayMail;
    if (!known && referrerSeq !== undefined) noteSource(change, referrerSeq, network);
    if (!known && referrer && (suspicious || shared)) openReview(change, member.seq, referrer.seq);
    const expires_at = post.token.at + TOKEN_MS_MAX;
    trx.insert('form_spent', [{ queue_id: queue.id, token_hash: token, email_hash: email, expires_at }], {
      onConflict: 'ignore',
    });
    if (mailed) noteMail(change, day, mailbox);
    if (confirm) return { state: 'confirm', visit: null, ...(offer && { code: offer }) };
    const newSeq = known ? undefined : member.seq;
    const worth = offer?.used ? offer.places : 0;
    const shown = await placeFor(change, visitor, remembered.shown, { newSeq, advanced: worth });
    return {
      state: 'joined',
      visit: sealVisit(queue, { seq: member.seq, ...shown, known: known !== undefined }),
      ...(offer && { code: toldOf(offer, shown.advanced) }),
    };
  });
}

/** As it was told before, to who sends the form again. */
function toldOf(offer: CodeOutcome, advanced: number): CodeOutcome {
  if (advanced > 0) return { used: true, places: advanced };
  return offer.used ? { used: false, reason: 'on_waitlist' } : offer;
}

async function add(
  context: Context,
  change: QueueChange,
  members: Members,
  candidate: Candidate,
  codes: NamedCodes | undefined,
): Promise<Member> {
  await addByRules(context, change, members, [candidate], codes);
  return members.find({ email: candidate.emailHash as Buffer }) as Member;
}

/** Somebody who is told to check their inbox finds something there, unless they were removed or declined: at most one mail a day. */
function remind(change: QueueChange, { seq, status }: Member): boolean {
  if (status === 'removed' || status === 'declined') return false;
  change.record({ kind: status === 'pending' ? 'confirmation.requested' : 'status.requested', entry: seq });
  return true;
}
