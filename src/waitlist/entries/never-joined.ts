import { sql } from 'kysely';
import { bytesKey } from '../../lib/ids.ts';
import { eraseMessages } from '../../outbox/erase.ts';
import { ifReadable } from '../../vault/crypto.ts';
import { returnPlaces } from '../codes/places.ts';
import { type Metadata, metadataPairs, type Person } from '../people/person.ts';
import type { Context } from '../queue/context.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { openHole } from '../referrals/close-places.ts';
import { withdrawCredit, writeCredits } from '../referrals/credits.ts';
import { detachReferred } from '../referrals/depth.ts';
import { findMembersBySeq } from '../referrals/members.ts';
import { dropValues, forgetValues } from '../statistics/forget-values.ts';
import { restartCounting } from '../statistics/metadata-keys.ts';

/** Joining sequences, both included. */
interface SeqRange {
  readonly first_seq: number;
  readonly last_seq: number;
}

type Leaving = Awaited<ReturnType<typeof readLeaving>>[number];

interface Left {
  removed: number;
  ids: Uint8Array[];
  /** After the commit: resolves once nothing more about these people can be sent. */
  sendingOver(): Promise<void>;
}

/**
 * Deletes the entries of a range, except some, as if they had never joined: counters and statistics go back, and
 * referrers lose the credit for them, and those behind move up. Their joining sequences are not used again, because codes
 * contain them.
 */
export async function removeAsNeverJoined(
  context: Context,
  change: QueueChange,
  range: SeqRange,
  kept: ReadonlySet<number> = new Set(),
): Promise<Left> {
  const { trx, queue } = change;
  // First, because it changes the depths of those who leave, too.
  await detachReferred(change, await readReferred(change, range, kept));
  const leaving = (await readLeaving(change, range)).filter(({ seq }) => !kept.has(seq));
  if (leaving.length === 0) return { removed: 0, ids: [], sendingOver: async () => {} };
  const hashes = await addressesToForget(context, change, leaving);
  const sendingOver = await eraseMessages(context.db, trx, {
    queueId: queue.id,
    subjects: [...leaving.map(({ id }) => id), ...hashes],
    forget: hashes,
    now: change.now,
  });
  await withdrawCredits(change, leaving);
  await returnPlaces(change, range, kept);
  await forgetMetadata(context, change, range, leaving, kept);
  await forgetTraces(context, change, range, leaving, kept);
  countOut(change, leaving);
  await trx
    .updateTable('queue_state')
    .set({ undone: sql`undone + ${leaving.length}` })
    .where('queue_id', '=', queue.id)
    .execute();
  await openHole(change, Math.min(...leaving.map(({ seq }) => seq)));
  return { removed: leaving.length, ids: leaving.map(({ id }) => id), sendingOver };
}

/** Not of people with an invite from before: what was sent to them then is not part of the import. */
async function addressesToForget(
  { db }: Context,
  { trx, queue }: QueueChange,
  leaving: readonly Leaving[],
): Promise<Uint8Array[]> {
  const hashes = leaving.flatMap(({ email_hash }) => email_hash ?? []);
  const invited = await trx
    .selectFrom('invite')
    .select('email_hash')
    .where('queue_id', '=', queue.id)
    .where((e) => db.in(e.ref('email_hash'), hashes))
    .execute();
  const known = new Set(invited.map(({ email_hash }) => bytesKey(email_hash)));
  return hashes.filter((hash) => !known.has(bytesKey(hash)));
}

function readLeaving({ trx, queue }: QueueChange, { first_seq, last_seq }: SeqRange) {
  return trx
    .selectFrom('entry')
    .select(['seq', 'id', 'status', 'rank', 'person', 'email_hash', 'phone_hash', 'referrer_seq'])
    .select(['credited', 'created_at', 'confirmed_at', 'removed_at', 'declined_at', 'depth'])
    .where('queue_id', '=', queue.id)
    .where('seq', '>=', first_seq)
    .where('seq', '<=', last_seq)
    .execute();
}

async function withdrawCredits(change: QueueChange, leaving: readonly Leaving[]): Promise<void> {
  const seqs = new Set(leaving.map(({ seq }) => seq));
  const credited = leaving.flatMap(({ credited, referrer_seq }) =>
    credited === 1 && referrer_seq !== null && !seqs.has(referrer_seq) ? [referrer_seq] : [],
  );
  if (credited.length === 0) return;
  const members = await findMembersBySeq(change.trx, change.queue, credited);
  for (const seq of credited) {
    const referrer = members.find({ seq });
    if (referrer) withdrawCredit(referrer);
  }
  writeCredits(change, members);
}

/** Those who stay for now, but were referred by somebody who leaves. */
function readReferred(
  { trx, queue }: QueueChange,
  { first_seq, last_seq }: SeqRange,
  kept: ReadonlySet<number>,
) {
  const stay = [...kept];
  let rows = trx
    .selectFrom('entry')
    .select(['seq', 'depth', 'created_at'])
    .where('queue_id', '=', queue.id)
    .where('referrer_seq', '>=', first_seq)
    .where('referrer_seq', '<=', last_seq)
    .where((e) =>
      e.or([
        e('seq', '<', first_seq),
        e('seq', '>', last_seq),
        ...(stay.length > 0 ? [e('seq', 'in', stay)] : []),
      ]),
    );
  if (stay.length > 0) rows = rows.where('referrer_seq', 'not in', stay);
  return rows.execute();
}

async function forgetMetadata(
  context: Context,
  change: QueueChange,
  { first_seq, last_seq }: SeqRange,
  leaving: readonly Leaving[],
  kept: ReadonlySet<number>,
): Promise<void> {
  const { trx, queue } = change;
  const people = leaving.map(({ seq, created_at, id, person }) => ({
    seq,
    createdAt: created_at,
    metadata: metadataOf(change, id, person),
  }));
  const pairs = people.flatMap(({ metadata }) => (metadata ? metadataPairs(queue.vault, metadata) : []));
  const isUnreadable = people.some(({ metadata }) => metadata === undefined);
  // Nobody knows what they had, but it may have been counted.
  if (isUnreadable || leaving.some(({ person }) => person === null)) await restartCounting(trx, queue.id);
  if (pairs.length === 0 && !isUnreadable) return;
  let found = trx
    .deleteFrom('metadata_pair')
    .where('queue_id', '=', queue.id)
    .where('seq', '>=', first_seq)
    .where('seq', '<=', last_seq);
  if (kept.size > 0) found = found.where('seq', 'not in', [...kept]);
  // Without the hashes, all pairs of the queue are searched.
  await (isUnreadable ? found : found.where((e) => context.db.in(e.ref('pair_hash'), pairs))).execute();
  await dropValues(
    change,
    people.map((person) => ({ ...person, metadata: person.metadata ?? null })),
  );
  await forgetValues(context, change, isUnreadable ? undefined : pairs);
}

/** undefined if it cannot be read. */
function metadataOf(
  { queue }: QueueChange,
  id: Uint8Array,
  person: Uint8Array | null,
): Metadata | null | undefined {
  if (!person) return null;
  return ifReadable(() => queue.vault.open<Person>('entry.person', id, person))?.metadata;
}

/** The rows themselves, and what other tables say about them. */
async function forgetTraces(
  { db }: Context,
  { trx, queue }: QueueChange,
  { first_seq, last_seq }: SeqRange,
  leaving: readonly Leaving[],
  kept: ReadonlySet<number>,
): Promise<void> {
  const tables = [
    ...([
      'referral_alias',
      'operator_confirmation',
      'erasure_request',
      'entry_decision',
      'code_use',
    ] as const),
    ...(['import_code', 'import_link', 'entry'] as const),
  ];
  for (const table of tables) {
    let rows = trx
      .deleteFrom(table)
      .where('queue_id', '=', queue.id)
      .where('seq', '>=', first_seq)
      .where('seq', '<=', last_seq);
    if (kept.size > 0) rows = rows.where('seq', 'not in', [...kept]);
    await rows.execute();
  }
  // Another import may be looking for one of them.
  const hashes = leaving.flatMap(({ email_hash, phone_hash }) => [email_hash ?? [], phone_hash ?? []].flat());
  await trx
    .deleteFrom('import_link')
    .where('queue_id', '=', queue.id)
    .where((e) => db.in(e.ref('hash'), hashes))
    .execute();
}

function countOut({ tally }: QueueChange, leaving: readonly Leaving[]): void {
  const { slots } = tally;
  for (const { status, rank, created_at, depth, confirmed_at, removed_at, declined_at } of leaving) {
    tally.leave(status, rank);
    slots.add('signups', created_at, -1);
    slots.addDepth(created_at, depth, 0);
    if (confirmed_at !== null) slots.add('confirmed', confirmed_at, -1);
    if (removed_at !== null) slots.add('removed', removed_at, -1);
    if (declined_at !== null) slots.add('declined', declined_at, -1);
  }
}
