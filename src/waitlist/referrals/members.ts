import type { Trx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Status } from '../../db/tables.ts';
import { mailboxKey } from '../people/identity.ts';
import type { Queue } from '../queue/queue.ts';
import { findCreditedMailboxes } from './mailboxes.ts';
import type { Ranked } from './rank.ts';
import { type FoundRow, findAliases, MEMBER_COLUMNS } from './referral-alias.ts';
import { type CodeReference, type Reference, spellingsOf } from './referral-code.ts';

/** A current or new member of the queue, with what duplicates and referrals need. */
export interface Member extends Ranked {
  readonly status: Status;
  readonly rank: number;
  /** The length of the chain of referrals that led here. */
  readonly depth: number;
  /** Names the mailbox of the email. */
  readonly mailbox: string | null;
  /** Credits gained in this change, on top of `referrals`. */
  gained: number;
}

interface Identity {
  readonly emailHash: Buffer | null;
  readonly phoneHash: Buffer | null;
  /** Of the mailbox, if its own address is not the email. */
  readonly mailboxHash?: Buffer | null;
}

/** The relevant members of the queue, and those that this change adds. */
export class Members {
  /** Those who were in the queue before this change. */
  readonly known = new Map<number, Member>();
  /** Of those who may give a credit in this change: the mailboxes that somebody was credited for. */
  creditedMailboxes = new Set<string>();
  readonly #bySeq = new Map<number, Member>();
  readonly #byHash = new Map<string, Member>();
  readonly #byAlias = new Map<string, Member>();

  find(reference: Reference): Member | undefined {
    if ('seq' in reference) return this.#bySeq.get(reference.seq);
    if ('code' in reference) return this.#findByCode(reference);
    return this.#byHash.get(hashName(reference));
  }

  #findByCode(reference: CodeReference): Member | undefined {
    const { ownSeq } = reference;
    const aliases = spellingsOf(reference).map((code) => this.#byAlias.get(code));
    return (ownSeq === undefined ? undefined : this.#bySeq.get(ownSeq)) ?? aliases.find(Boolean);
  }

  /** Whoever has this email or, if nobody has, this phone. */
  holder({ emailHash, phoneHash }: Identity): Member | undefined {
    return (
      (emailHash === null ? undefined : this.find({ email: emailHash })) ??
      (phoneHash === null ? undefined : this.find({ phone: phoneHash }))
    );
  }

  add({ emailHash, phoneHash }: Identity, member: Member): void {
    this.#bySeq.set(member.seq, member);
    if (emailHash) this.#byHash.set(hashName({ email: emailHash }), member);
    if (phoneHash) this.#byHash.set(hashName({ phone: phoneHash }), member);
  }

  addFound({ email_hash, phone_hash, mailbox_hash, ...row }: FoundRow): void {
    let member = this.known.get(row.seq);
    if (!member) {
      member = { ...row, mailbox: mailboxKey({ email_hash, mailbox_hash }), gained: 0 };
      this.known.set(row.seq, member);
      this.#bySeq.set(row.seq, member);
    }
    if (email_hash) this.#byHash.set(hashName({ email: Buffer.from(email_hash) }), member);
    if (phone_hash) this.#byHash.set(hashName({ phone: Buffer.from(phone_hash) }), member);
  }

  addAlias(code: string, row: FoundRow): void {
    this.addFound(row);
    const member = this.known.get(row.seq);
    if (member) this.#byAlias.set(code, member);
  }
}

function hashName(reference: { email: Buffer } | { phone: Buffer }): string {
  return 'email' in reference
    ? `e${reference.email.toString('latin1')}`
    : `p${reference.phone.toString('latin1')}`;
}

const findMembersBy = statement<
  { queueId: number; emails: readonly Buffer[]; phones: readonly Buffer[]; seqs: readonly number[] },
  FoundRow
>((db, parameter) => {
  const ours = db.query
    .selectFrom('entry')
    .select(MEMBER_COLUMNS)
    .where('queue_id', '=', parameter('queueId'));
  return ours
    .where((e) => db.in(e.ref('email_hash'), parameter('emails')))
    .unionAll(ours.where((e) => db.in(e.ref('phone_hash'), parameter('phones'))))
    .unionAll(ours.where((e) => db.in(e.ref('seq'), parameter('seqs'))).where('status', '<>', 'removed'));
});

/** Finds everyone in the queue who matches a candidate or a candidate's referrer. */
export async function findMembers(
  trx: Trx,
  queue: Queue,
  candidates: Iterable<Identity & { readonly referrer: Reference | null }>,
): Promise<Members> {
  const emails: Buffer[] = [];
  const phones: Buffer[] = [];
  const seqs: number[] = [];
  const codes: CodeReference[] = [];
  const mailboxes: Buffer[] = [];
  for (const { emailHash, phoneHash, mailboxHash, referrer } of candidates) {
    if (emailHash) emails.push(emailHash);
    if (phoneHash) phones.push(phoneHash);
    if (!referrer) continue;
    const mailbox = mailboxHash ?? emailHash;
    if (mailbox) mailboxes.push(mailbox);
    if ('email' in referrer) emails.push(referrer.email);
    else if ('phone' in referrer) phones.push(referrer.phone);
    else if ('seq' in referrer) seqs.push(referrer.seq);
    else {
      codes.push(referrer);
      if (referrer.ownSeq !== undefined) seqs.push(referrer.ownSeq);
    }
  }
  const [creditedMailboxes, rows] = await Promise.all([
    findCreditedMailboxes(trx, queue, mailboxes),
    trx.run(findMembersBy, { queueId: queue.id, emails, phones, seqs }),
  ]);
  const members = new Members();
  members.creditedMailboxes = creditedMailboxes;
  for (const row of rows) members.addFound(row);
  const foreign = codes.filter((reference) => !members.find(reference)).flatMap(spellingsOf);
  if (foreign.length > 0) {
    for (const [code, row] of await findAliases(trx, queue, foreign)) members.addAlias(code, row);
  }
  return members;
}

export function findMembersBySeq(trx: Trx, queue: Queue, seqs: readonly number[]): Promise<Members> {
  const candidates = seqs.map((seq) => ({ emailHash: null, phoneHash: null, referrer: { seq } }));
  return findMembers(trx, queue, candidates);
}
