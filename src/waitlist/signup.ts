import { DatabaseUnavailable, type Trx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { ENTRY_COLUMNS, type EntryTable, type Status } from '../db/tables.ts';
import { DoorlistError } from '../errors.ts';
import type { QueueVault } from '../vault/queue-vault.ts';
import type { Context } from './context.ts';
import type { Queue } from './directory.ts';
import type { Identifier } from './identity.ts';
import { newId } from './ids.ts';
import { Lanes } from './lanes.ts';
import type { Person } from './person.ts';
import { type QueueChange, readAndChangeQueue } from './queue-change.ts';
import { rankOf } from './ranking.ts';
import type { ReferralCodes } from './referral-code.ts';
import type { Signup } from './signup-input.ts';

export interface SignupResult {
  created: number;
  skipped: number;
}

export interface SignupDesk {
  submit(queue: Queue, entries: Signup[]): Promise<SignupResult>;
}

interface Job {
  queue: Queue;
  entries: Candidate[];
}

/** A signup, sealed and hashed before the queue is locked. */
interface Candidate {
  id: Buffer;
  person: Buffer;
  emailHash: Buffer | null;
  phoneHash: Buffer | null;
  referrer: Reference | null;
}

/** How an entry is pointed at: by the hash of its email or phone, or by its sequence. */
type Reference = { email: Buffer } | { phone: Buffer } | { seq: number };

/** Someone in the queue, or about to be, as far as crediting referrals goes. */
interface Member {
  seq: number;
  status: Status;
  rank: number;
  referrals: number;
  gained: number;
}

/** Where signups come in; requests that arrive together are written together. */
export function openSignupDesk(context: Context, mostWaiting: number): SignupDesk {
  const lanes = new Lanes<Job, SignupResult>({
    commit: (_, jobs) => commitSignups(context, jobs),
    isolate: (error) => !(error instanceof DoorlistError || error instanceof DatabaseUnavailable),
    weigh: (job) => job.entries.length,
    mostWaiting,
    groupWeight: context.db.groupSize,
  });
  return {
    submit: (queue, entries) => {
      const now = context.clock();
      return lanes.submit(queue.id, { queue, entries: entries.map((entry) => prepare(queue, entry, now)) });
    },
  };
}

function prepare(
  { vault, referralCodes }: Queue,
  { email, phone, metadata, referrer }: Signup,
  now: number,
): Candidate {
  const id = newId(now);
  const person: Person = { email: email?.shown ?? null, phone, metadata };
  return {
    id,
    person: vault.seal('entry.person', id, person),
    emailHash: email && vault.hash('email', email.key),
    phoneHash: phone === null ? null : vault.hash('phone', phone),
    referrer: referrer && referenceTo(vault, referralCodes, referrer),
  };
}

function referenceTo(vault: QueueVault, codes: ReferralCodes, { kind, key }: Identifier): Reference | null {
  if (kind === 'email') return { email: vault.hash('email', key) };
  if (kind === 'phone') return { phone: vault.hash('phone', key) };
  const seq = codes.seqOf(key);
  return seq === undefined ? null : { seq };
}

function commitSignups(context: Context, jobs: Job[]): Promise<SignupResult[]> {
  const [{ queue }] = jobs as [Job];
  const read = (trx: Trx) => findMembers(context, trx, queue, jobs);
  return readAndChangeQueue(context, queue, read, (change, register) => {
    if (change.closed) throw new DoorlistError('waitlist_closed', 'this waitlist takes no new signups');
    const added: { candidate: Candidate; member: Member; referrer: Member | undefined }[] = [];
    const results = jobs.map(({ entries }) => {
      const result: SignupResult = { created: 0, skipped: 0 };
      for (const candidate of entries) {
        if (register.holds(candidate)) {
          result.skipped += 1;
          continue;
        }
        const referrer = candidate.referrer ? register.find(candidate.referrer) : undefined;
        if (referrer) referrer.gained += 1;
        const seq = ++change.lastSeq;
        const member: Member = { seq, status: 'waiting', rank: seq, referrals: 0, gained: 0 };
        register.add(candidate, member);
        added.push({ candidate, member, referrer });
        change.record({ kind: 'signup.created', entry: seq });
        if (referrer)
          change.record({ kind: 'referral.credited', entry: referrer.seq, referred: candidate.id });
        result.created += 1;
      }
      return result;
    });
    insertEntries(context, change, added);
    creditReferrers(context, change, register.known);
    return results;
  });
}

/** Who is in the queue: those that were found there, and those of this group as they are added. */
class Register {
  /** The ones that were there before. */
  readonly known = new Map<number, Member>();
  readonly #bySeq = new Map<number, Member>();
  readonly #byHash = new Map<string, Member>();

  find(reference: Reference): Member | undefined {
    return 'seq' in reference ? this.#bySeq.get(reference.seq) : this.#byHash.get(hashName(reference));
  }

  holds({ emailHash, phoneHash }: Candidate): boolean {
    return (
      (emailHash !== null && this.find({ email: emailHash }) !== undefined) ||
      (phoneHash !== null && this.find({ phone: phoneHash }) !== undefined)
    );
  }

  add({ emailHash, phoneHash }: Candidate, member: Member): void {
    this.#bySeq.set(member.seq, member);
    if (emailHash) this.#byHash.set(hashName({ email: emailHash }), member);
    if (phoneHash) this.#byHash.set(hashName({ phone: phoneHash }), member);
  }

  addFound({ email_hash, phone_hash, ...row }: FoundRow): void {
    let member = this.known.get(row.seq);
    if (!member) {
      member = { ...row, gained: 0 };
      this.known.set(row.seq, member);
      this.#bySeq.set(row.seq, member);
    }
    if (email_hash) this.#byHash.set(hashName({ email: Buffer.from(email_hash) }), member);
    if (phone_hash) this.#byHash.set(hashName({ phone: Buffer.from(phone_hash) }), member);
  }
}

function hashName(reference: { email: Buffer } | { phone: Buffer }): string {
  return 'email' in reference
    ? `e${reference.email.toString('latin1')}`
    : `p${reference.phone.toString('latin1')}`;
}

type FoundRow = Pick<EntryTable, 'seq' | 'status' | 'rank' | 'referrals' | 'email_hash' | 'phone_hash'>;

const findMembersBy = statement<
  { queueId: number; emails: unknown; phones: unknown; seqs: unknown },
  FoundRow
>((db, parameter) => {
  const ours = db.query
    .selectFrom('entry')
    .select(['seq', 'status', 'rank', 'referrals', 'email_hash', 'phone_hash'])
    .where('queue_id', '=', parameter('queueId'));
  return ours
    .where((e) => db.inBytes(e.ref('email_hash'), parameter('emails')))
    .unionAll(ours.where((e) => db.inBytes(e.ref('phone_hash'), parameter('phones'))))
    .unionAll(
      ours.where((e) => db.inNumbers(e.ref('seq'), parameter('seqs'))).where('status', '<>', 'removed'),
    );
});

async function findMembers({ db }: Context, trx: Trx, queue: Queue, jobs: Job[]): Promise<Register> {
  const emails: Buffer[] = [];
  const phones: Buffer[] = [];
  const seqs: number[] = [];
  for (const { entries } of jobs) {
    for (const { emailHash, phoneHash, referrer } of entries) {
      if (emailHash) emails.push(emailHash);
      if (phoneHash) phones.push(phoneHash);
      if (!referrer) continue;
      if ('email' in referrer) emails.push(referrer.email);
      else if ('phone' in referrer) phones.push(referrer.phone);
      else seqs.push(referrer.seq);
    }
  }
  const rows = await findMembersBy.within(db, trx, {
    queueId: queue.id,
    emails: db.bytesList(emails),
    phones: db.bytesList(phones),
    seqs: db.numbersList(seqs),
  });
  const register = new Register();
  for (const row of rows) register.addFound(row);
  return register;
}

function insertEntries(
  { db }: Context,
  { trx, queue, now, boost, tally, send }: QueueChange,
  added: { candidate: Candidate; member: Member; referrer: Member | undefined }[],
): void {
  const rows = added.map(({ candidate, member, referrer }) => {
    const rank = rankOf(member.seq, boost, member.gained);
    tally.enter('waiting', rank);
    return [
      queue.id,
      member.seq,
      candidate.id,
      member.status,
      rank,
      member.gained,
      referrer?.seq ?? null,
      candidate.person,
      candidate.emailHash,
      candidate.phoneHash,
      now,
      null,
      null,
      null,
    ];
  });
  send(db.insertRows(trx, { table: 'entry', columns: ENTRY_COLUMNS, rows }));
}

const CREDIT_COLUMNS = { queue_id: 'bigint', seq: 'bigint', referrals: 'bigint', rank: 'bigint' } as const;

function creditReferrers(
  { db }: Context,
  { trx, queue, boost, tally, send }: QueueChange,
  known: Map<number, Member>,
): void {
  const credited = [...known.values()].filter(({ gained }) => gained > 0);
  const rows = credited.map(({ seq, status, rank, referrals, gained }) => {
    const better = rankOf(seq, boost, referrals + gained);
    if (status === 'waiting') {
      tally.leave(status, rank);
      tally.enter(status, better);
    }
    return [queue.id, seq, referrals + gained, better];
  });
  send(db.updateRows(trx, { table: 'entry', columns: CREDIT_COLUMNS, key: ['queue_id', 'seq'], rows }));
}
