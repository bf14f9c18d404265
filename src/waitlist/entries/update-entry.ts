import { sql } from 'kysely';
import { emailProblem, parseEmail } from '../../lib/email.ts';
import { conflict, invalid, notFound, Problems } from '../../lib/errors.ts';
import { formatId, parseId } from '../../lib/ids.ts';
import { ifReadable, Unreadable } from '../../vault/crypto.ts';
import { type Identifier, PHONE_PROBLEM, parsePhone, parseReferrer } from '../people/identity.ts';
import { type Metadata, metadataPairs, type Person, parseMetadata } from '../people/person.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import { positionOf } from '../queue/positions.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { forgetValues, moveValues } from '../statistics/forget-values.ts';
import { changeIdentity, type NewIdentity } from './change-identity.ts';
import { changeReferrer } from './change-referrer.ts';
import { askAgain, confirmAll, confirmAnew } from './confirm-entry.ts';
import { moveInQueue } from './move-in-queue.ts';

interface EntryChanges {
  /** null removes all of it. */
  metadata?: unknown;
  position?: number;
  /** `waiting` confirms a pending entry; `pending` asks for a confirmation of the email. */
  status?: 'waiting' | 'pending';
  email?: string;
  /** null removes it. */
  phone?: string | null;
  /** null removes it. */
  referredBy?: string | null;
}

type Row = Awaited<ReturnType<typeof findRow>>;

/** Changes an entry in place of its owner, all of it or nothing. */
export async function updateEntry(
  context: Context,
  queue: Queue,
  entryId: string,
  changes: EntryChanges,
): Promise<void> {
  const { position, status, referredBy } = changes;
  if (position !== undefined) requireAlone(changes);
  const person = parseChanges(changes);
  const referrer = referredBy === undefined || referredBy === null ? referredBy : requireReferrer(referredBy);
  const object = { kind: 'entry', id: entryId } as const;
  await changeQueue(context, queue, async (change) => {
    const entry = await findRow(change, entryId);
    const former = person === undefined ? null : await changePerson(context, change, entry, person);
    const referrers = referrer === undefined ? null : await changeReferrer(change, entry, referrer);
    const fields = FIELDS.filter((field) => changes[field] !== undefined);
    if (fields.length > 0) {
      const formerEmail = person?.email && former?.email;
      const formerEmails = formerEmail && { formerEmails: { [entryId]: formerEmail } };
      change.record({ kind: 'entry.updated', entry: entry.seq, ...formerEmails });
      await context.audit?.(change.trx, {
        action: 'entry.updated',
        object,
        ...(referrers && { before: { referredBy: referrers.before } }),
        after: { fields, ...(referrers && { referredBy: referrers.after }) },
      });
    }
    if (status !== undefined) await changeStatus(context, change, entry, status, person?.email !== undefined);
    else if (entry.status === 'pending' && person?.email) askAgain(change, entry.seq);
    if (position !== undefined) await changePosition(context, change, entry, position);
  });
}

const FIELDS = ['email', 'phone', 'metadata', 'referredBy'] as const;

/** What a move counts on must not change with it. */
function requireAlone({ position, ...others }: EntryChanges): void {
  const other = (['status', 'email', 'referredBy'] as const).find((field) => others[field] !== undefined);
  if (other === 'status')
    throw invalid('position: cannot be set together with status; confirm the entry first');
  if (other !== undefined)
    throw invalid(`position: cannot be set together with ${other}, which can change the order`);
  if (!Number.isSafeInteger(position) || Number(position) < 1)
    throw invalid('position: must be a whole number from 1');
}

interface PersonChanges extends NewIdentity {
  /** null removes all of it. */
  metadata?: Metadata | null;
}

/** undefined if nothing of it changes. */
function parseChanges({ email, phone, metadata }: EntryChanges): PersonChanges | undefined {
  if (email === undefined && phone === undefined && metadata === undefined) return undefined;
  const problems = new Problems();
  const parsed = metadata == null ? null : parseMetadata(metadata, 'metadata', problems);
  const address = email === undefined ? undefined : parseEmail(email);
  if (email !== undefined && !address) problems.add('email', emailProblem(email));
  const number = phone == null ? phone : parsePhone(phone);
  if (phone != null && !number) problems.add('phone', PHONE_PROBLEM);
  problems.throwIfAny();
  return { email: address, phone: number, ...(metadata !== undefined && { metadata: parsed }) };
}

function requireReferrer(text: string): Identifier {
  const referrer = parseReferrer(text);
  if (!referrer) throw invalid('referredBy: not an email, a phone number or a referral code');
  return referrer;
}

/** Returns what was stored before. */
async function changePerson(
  context: Context,
  change: QueueChange,
  entry: Row,
  { email, phone, metadata }: PersonChanges,
): Promise<Person> {
  const { trx, queue } = change;
  if (!entry.person) throw new Error('an entry that was not erased has a person');
  const former = queue.vault.open<Person>('entry.person', entry.id, entry.person);
  await changeIdentity(change, entry, { email, phone });
  const next: Person = {
    ...former,
    ...(email && { email: email.shown }),
    ...(phone !== undefined && { phone }),
    ...(metadata !== undefined && { metadata }),
  };
  const id = Buffer.from(entry.id);
  const person = queue.vault.seal('entry.person', id, next);
  trx.update('entry', { key: ['queue_id', 'seq'] }, [{ queue_id: queue.id, seq: entry.seq, person }]);
  if (metadata !== undefined) await changeMetadata(context, change, entry, former.metadata, metadata);
  return former;
}

/** Adds to the metadata of an entry, unless there is no room in it, or it cannot be read. */
export async function addMetadata(
  context: Context,
  change: QueueChange,
  entryId: string,
  more: Metadata,
): Promise<void> {
  const entry = await findRow(change, entryId);
  const { id, person } = entry;
  const former = ifReadable(() => person && change.queue.vault.open<Person>('entry.person', id, person));
  const problems = new Problems();
  const metadata = parseMetadata({ ...former?.metadata, ...more }, 'metadata', problems);
  if (former && !problems.any)
    await changePerson(context, change, entry, { email: undefined, phone: undefined, metadata });
}

async function changeStatus(
  context: Context,
  change: QueueChange,
  entry: Row,
  status: 'waiting' | 'pending',
  hasNewEmail: boolean,
): Promise<void> {
  if (status === 'pending') {
    if (!hasNewEmail) throw invalid('status: pending is only for a new email, which is then confirmed');
    await confirmAnew(change, entry.seq);
    return;
  }
  if (entry.status === 'waiting') return;
  if (entry.status !== 'pending')
    throw conflict(`status: only a pending entry can be confirmed; this one is ${entry.status}`);
  const { seq } = entry;
  const { rank } = await change.trx // Other changes may have moved it.
    .selectFrom('entry')
    .select('rank')
    .where('queue_id', '=', change.queue.id)
    .where('seq', '=', seq)
    .executeTakeFirstOrThrow();
  await confirmAll(change, [{ seq, status: 'pending', rank }], context.actor);
  const object = { kind: 'entry', id: formatId('ent', entry.id) } as const;
  await context.audit?.(change.trx, { action: 'entry.confirmed', object });
}

async function changePosition(
  context: Context,
  change: QueueChange,
  entry: Row,
  position: number,
): Promise<void> {
  if (entry.status !== 'waiting' || entry.position === null)
    throw conflict(`position: only waiting entries have one; this one is ${entry.status}`);
  const from = entry.position;
  const to = await moveInQueue(change, { ...entry, position: from }, position);
  await context.audit?.(change.trx, {
    action: 'entry.moved',
    object: { kind: 'entry', id: formatId('ent', entry.id) },
    before: { position: from },
    after: { position: to },
  });
}

async function findRow({ trx, queue }: QueueChange, entryId: string) {
  const id = parseId('ent', entryId);
  const row =
    id &&
    (await trx
      .selectFrom('entry as e')
      .select(['e.seq', 'e.closed', 'e.opened', 'e.id', 'e.status', 'e.rank', 'e.referrals', 'e.person'])
      .select(['e.advanced', 'e.email_hash', 'e.phone_hash', 'e.mailbox_hash', 'e.credited'])
      .select(positionOf('e', sql.val(queue.id)).as('position'))
      .where('e.queue_id', '=', queue.id)
      .where('e.id', '=', id)
      .executeTakeFirst());
  if (!row || row.status === 'removed') throw notFound(`there is no entry ${entryId}`);
  return row;
}

interface SealedEntry {
  readonly seq: number;
  readonly id: Uint8Array;
  readonly person: Uint8Array | null;
}

/** What segments find an entry by, and what is counted. `entry` has the former metadata. */
export async function changeMetadata(
  context: Context,
  change: QueueChange,
  entry: SealedEntry,
  former: Metadata | null,
  metadata: Metadata | null,
): Promise<void> {
  const { trx, queue } = change;
  const before = await forgetPairs(context, change, entry);
  const hashes = metadata === null ? [] : metadataPairs(queue.vault, metadata);
  trx.insert(
    'metadata_pair',
    hashes.map((hash) => ({ queue_id: queue.id, pair_hash: hash, seq: entry.seq })),
  );
  await moveValues(change, entry.seq, former, metadata);
  await forgetValues(context, change, before);
}

/** Returns the hashes of the deleted pairs, or undefined if they are unknown. */
export async function forgetPairs(
  { db }: Context,
  { trx, queue }: QueueChange,
  entry: SealedEntry,
): Promise<Buffer[] | undefined> {
  const pairs = trx.deleteFrom('metadata_pair').where('queue_id', '=', queue.id).where('seq', '=', entry.seq);
  try {
    const person = entry.person && queue.vault.open<Person>('entry.person', entry.id, entry.person);
    const hashes = person?.metadata ? metadataPairs(queue.vault, person.metadata) : [];
    if (hashes.length > 0) await pairs.where((e) => db.in(e.ref('pair_hash'), hashes)).execute();
    return hashes;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    await pairs.execute(); // The entry's pairs are unknown by now, so search all pairs of the queue.
    return undefined;
  }
}
