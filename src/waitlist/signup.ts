import { DatabaseUnavailable } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { ENTRY_COLUMNS, type Status } from '../db/tables.ts';
import { DoorlistError } from '../errors.ts';
import type { Context } from './context.ts';
import type { Queue } from './directory.ts';
import type { Identifier } from './identity.ts';
import { newId, randomCode } from './ids.ts';
import { Lanes } from './lanes.ts';
import type { Person } from './person.ts';
import { changeQueue, type QueueChange } from './queue-change.ts';
import { rankOf } from './ranking.ts';
import type { Signup } from './signup-input.ts';

/** 40 bits: short enough to read aloud; a clash inside a queue is noticed and drawn again. */
const REFERRAL_CODE_CHARACTERS = 8;

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
  person: Person;
  sealed: Buffer;
  emailHash: Buffer | null;
  phoneHash: Buffer | null;
  codeHash: Buffer;
  referrer: { kind: Identifier['kind']; hash: Buffer } | null;
}

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

function prepare({ vault }: Queue, { email, phone, metadata, referrer }: Signup, now: number): Candidate {
  const id = newId(now);
  const code = randomCode(REFERRAL_CODE_CHARACTERS);
  const person: Person = { email: email?.shown ?? null, phone, metadata, code };
  return {
    id,
    person,
    sealed: vault.seal('entry.person', id, person),
    emailHash: email && vault.hash('email', email.key),
    phoneHash: phone === null ? null : vault.hash('phone', phone),
    codeHash: vault.hash('referral', code),
    referrer: referrer && { kind: referrer.kind, hash: vault.hash(referrer.kind, referrer.key) },
  };
}

function commitSignups(context: Context, jobs: Job[]): Promise<SignupResult[]> {
  const [{ queue }] = jobs as [Job];
  return changeQueue(context, queue, async (change) => {
    if (change.closed) throw new DoorlistError('waitlist_closed', 'this waitlist takes no new signups');
    const register = await findMembers(context, change, jobs);
    const added: { candidate: Candidate; member: Member; referrer: Member | undefined }[] = [];
    const results = jobs.map(({ entries }) => {
      const result: SignupResult = { created: 0, skipped: 0 };
      for (const candidate of entries) {
        if (register.holds(candidate)) {
          result.skipped += 1;
          continue;
        }
        while (register.find('referral', candidate.codeHash)) drawAnotherCode(queue, candidate);
        const referrer = candidate.referrer
          ? register.find(candidate.referrer.kind, candidate.referrer.hash)
          : undefined;
        if (referrer) referrer.gained += 1;
        const seq = ++change.lastSeq;
        const member: Member = { seq, status: 'waiting', rank: seq, referrals: 0, gained: 0 };
        register.add(candidate, member);
        added.push({ candidate, member, referrer });
        result.created += 1;
      }
      return result;
    });
    await insertEntries(context, change, added);
    await creditReferrers(context, change, register.known);
    return results;
  });
}

/** Who is in the queue under which hash: those found there, and those of this group as they are added. */
class Register {
  readonly known = new Map<number, Member>();
  readonly #byHash = new Map<string, Member>();

  find(kind: Identifier['kind'], hash: Uint8Array): Member | undefined {
    return this.#byHash.get(hashName(kind, hash));
  }

  holds({ emailHash, phoneHash }: Candidate): boolean {
    return (
      (emailHash !== null && this.find('email', emailHash) !== undefined) ||
      (phoneHash !== null && this.find('phone', phoneHash) !== undefined)
    );
  }

  add(
    { emailHash, phoneHash, codeHash }: Pick<Candidate, 'emailHash' | 'phoneHash' | 'codeHash'>,
    member: Member,
  ): void {
    if (emailHash) this.#byHash.set(hashName('email', emailHash), member);
    if (phoneHash) this.#byHash.set(hashName('phone', phoneHash), member);
    this.#byHash.set(hashName('referral', codeHash), member);
  }

  addFound(kind: Identifier['kind'], hash: Uint8Array, found: Omit<Member, 'gained'>): void {
    let member = this.known.get(found.seq);
    if (!member) {
      member = { ...found, gained: 0 };
      this.known.set(found.seq, member);
    }
    this.#byHash.set(hashName(kind, hash), member);
  }
}

const hashName = (kind: Identifier['kind'], hash: Uint8Array) =>
  `${kind} ${Buffer.from(hash).toString('latin1')}`;

interface FoundRow {
  kind: Identifier['kind'];
  hash: Uint8Array;
  seq: number;
  status: Status;
  rank: number;
  referrals: number;
}

const findByHash = statement<{ queueId: number; emails: unknown; phones: unknown; codes: unknown }, FoundRow>(
  (db, parameter) => {
    const select = (
      kind: Identifier['kind'],
      column: 'email_hash' | 'phone_hash' | 'code_hash',
      list: 'emails' | 'phones' | 'codes',
    ) =>
      db.query
        .selectFrom('entry')
        .select((e) => [
          e.val(kind).as('kind'),
          e.ref(column).$notNull().as('hash'),
          'seq',
          'status',
          'rank',
          'referrals',
        ])
        .where('queue_id', '=', parameter('queueId'))
        .where(column, 'is not', null)
        .where((e) => db.inBytes(e.ref(column), parameter(list)));
    return select('email', 'email_hash', 'emails')
      .unionAll(select('phone', 'phone_hash', 'phones'))
      .unionAll(select('referral', 'code_hash', 'codes'));
  },
);

async function findMembers({ db }: Context, { trx, queue }: QueueChange, jobs: Job[]): Promise<Register> {
  const wanted: Record<Identifier['kind'], Buffer[]> = { email: [], phone: [], referral: [] };
  for (const { entries } of jobs) {
    for (const { emailHash, phoneHash, codeHash, referrer } of entries) {
      if (emailHash) wanted.email.push(emailHash);
      if (phoneHash) wanted.phone.push(phoneHash);
      wanted.referral.push(codeHash);
      if (referrer) wanted[referrer.kind].push(referrer.hash);
    }
  }
  const rows = await findByHash.within(db, trx, {
    queueId: queue.id,
    emails: db.bytesList(wanted.email),
    phones: db.bytesList(wanted.phone),
    codes: db.bytesList(wanted.referral),
  });
  const register = new Register();
  for (const { kind, hash, ...member } of rows) register.addFound(kind, hash, member);
  return register;
}

function drawAnotherCode({ vault }: Queue, candidate: Candidate): void {
  candidate.person = { ...candidate.person, code: randomCode(REFERRAL_CODE_CHARACTERS) };
  candidate.codeHash = vault.hash('referral', candidate.person.code);
  candidate.sealed = vault.seal('entry.person', candidate.id, candidate.person);
}

async function insertEntries(
  { db }: Context,
  { trx, queue, now, boost, tally }: QueueChange,
  added: { candidate: Candidate; member: Member; referrer: Member | undefined }[],
): Promise<void> {
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
      candidate.sealed,
      candidate.emailHash,
      candidate.phoneHash,
      candidate.codeHash,
      now,
      null,
      null,
      null,
    ];
  });
  await db.insertRows(trx, { table: 'entry', columns: ENTRY_COLUMNS, rows });
}

const CREDIT_COLUMNS = { queue_id: 'bigint', seq: 'bigint', referrals: 'bigint', rank: 'bigint' } as const;

async function creditReferrers(
  { db }: Context,
  { trx, queue, boost, tally }: QueueChange,
  known: Map<number, Member>,
): Promise<void> {
  const credited = [...known.values()].filter(({ gained }) => gained > 0);
  const rows = credited.map(({ seq, status, rank, referrals, gained }) => {
    const better = rankOf(seq, boost, referrals + gained);
    if (status === 'waiting') {
      tally.leave(status, rank);
      tally.enter(status, better);
    }
    return [queue.id, seq, referrals + gained, better];
  });
  await db.updateRows(trx, { table: 'entry', columns: CREDIT_COLUMNS, key: ['queue_id', 'seq'], rows });
}
