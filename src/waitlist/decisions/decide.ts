import { statement } from '../../db/statement.ts';
import type { Decision, Status } from '../../db/tables.ts';
import { conflict, invalid, notFound } from '../../lib/errors.ts';
import { newNumberedId, parseId } from '../../lib/ids.ts';
import { readText } from '../../lib/text.ts';
import { standingOf } from '../entries/move-entry.ts';
import { inviteAll } from '../invites/create-invites.ts';
import { endInvitesOf } from '../invites/end-invites.ts';
import { type PickedRow, toInvitee } from '../invites/invite-run.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';

export const NOTE_CHARACTERS_MAX = 1_000;

export const VERBS = ['approve', 'decline', 'reconsider'] as const;
export type Verb = (typeof VERBS)[number];

/** What each is called once it is done, and whom it is for. */
export const DECIDING: Record<Verb, { done: Decision; from: readonly Status[] }> = {
  approve: { done: 'approved', from: ['waiting', 'pending', 'declined'] },
  decline: { done: 'declined', from: ['waiting', 'pending', 'invited'] },
  reconsider: { done: 'reconsidered', from: ['declined'] },
};

export interface How {
  note: string | null;
  /** Who decided: kind and id, as in the audit trail. */
  by: string | null;
  /** Whether those who are declined get an email about it. */
  email: boolean;
}

export interface DecidedRow extends PickedRow {
  status: Status;
  declined_at: number | null;
  declined_from: Status | null;
}

export const DECIDED_COLUMNS = [
  ...(['e.seq', 'e.id', 'e.rank', 'e.email_hash', 'e.person'] as const),
  ...(['e.status', 'e.declined_at', 'e.declined_from'] as const),
] as const;

export function readNote(note: string | undefined): string | null {
  const said = note === undefined ? '' : readText(note, NOTE_CHARACTERS_MAX);
  if (said === undefined) throw invalid(`note: must be at most ${NOTE_CHARACTERS_MAX} characters`);
  return said === '' ? null : said;
}

/** Decides about one person. */
export async function decideEntry(
  context: Context,
  queue: Queue,
  entryId: string,
  verb: Verb,
  { note, email = false }: { note?: string | undefined; email?: boolean | undefined } = {},
): Promise<void> {
  const how = { note: readNote(note), by: context.actor ?? null, email };
  await changeQueue(context, queue, async (change) => {
    if (email) requireEmailOn(change);
    const row = await findRow(change, entryId);
    const { done, from } = DECIDING[verb];
    if (!from.includes(row.status))
      throw conflict(`somebody who is ${row.status} cannot be ${done}: only who is ${from.join(' or ')}`);
    if (verb === 'approve' && row.email_hash === null)
      throw conflict('this person has no email address to invite');
    const decided = await decideAll(context, change, [row], verb, how);
    if (decided === 0) throw conflict('what is stored about this person cannot be decrypted');
    const object = { kind: 'entry', id: entryId } as const;
    await context.audit?.(change.trx, {
      action: `entry.${done}`,
      object,
      ...(email && { after: { email } }),
    });
  });
}

/** Otherwise, somebody would think that people are told. */
export function requireEmailOn({ settings: { mailKinds } }: QueueChange): void {
  if (!mailKinds.includes('declined'))
    throw conflict('email: emails about declines are turned off for this waitlist');
}

async function findRow({ trx, queue }: QueueChange, entryId: string): Promise<DecidedRow> {
  const id = parseId('ent', entryId);
  const row =
    id &&
    (await trx
      .selectFrom('entry as e')
      .select(DECIDED_COLUMNS)
      .where('e.queue_id', '=', queue.id)
      .where('e.id', '=', id)
      .executeTakeFirst());
  if (!row || row.status === 'removed') throw notFound(`there is no entry ${entryId}`);
  return row;
}

/**
 * Decides about people for whom the verb is, as `DECIDING` says. Returns how many that were: nobody is invited whose data
 * cannot be decrypted.
 */
export async function decideAll(
  context: Context,
  change: QueueChange,
  rows: readonly DecidedRow[],
  verb: Verb,
  how: How,
): Promise<number> {
  if (rows.length === 0) return 0;
  const decided =
    verb === 'approve'
      ? await approve(context, change, rows)
      : verb === 'decline'
        ? await decline(context, change, rows, how)
        : rows;
  if (verb === 'reconsider') {
    takeBack(change, rows);
    for (const { seq } of rows) change.record({ kind: 'entry.restored', entry: seq });
  }
  note(change, decided, DECIDING[verb].done, how);
  return decided.length;
}

/** Invites them, from where they were if they had been declined. */
async function approve(context: Context, change: QueueChange, rows: readonly DecidedRow[]) {
  const readable = rows.flatMap((row) => {
    const invitee = toInvitee(context, change.queue, row);
    return invitee ? [{ row, invitee }] : [];
  });
  takeBack(
    change,
    readable.flatMap(({ row }) => (row.status === 'declined' ? [row] : [])),
  );
  for (const { row } of readable) change.record({ kind: 'entry.approved', entry: row.seq });
  const invitees = readable.map(({ row, invitee }) => {
    const { seq, rank } = row;
    return { ...invitee, entry: { seq, rank, status: standingOf(row) } };
  });
  await inviteAll(change, invitees, undefined);
  return readable.map(({ row }) => row);
}

/** Their invites end. Credits stay: who referred them must not notice. */
async function decline(context: Context, change: QueueChange, rows: readonly DecidedRow[], { email }: How) {
  const { trx, queue, now, tally } = change;
  await endInvitesOf(
    context,
    change,
    rows.flatMap(({ email_hash }) => email_hash ?? []),
  );
  // Some may be back in the queue by now.
  const current = await trx.run(findCurrent, { queueId: queue.id, seqs: rows.map(({ seq }) => seq) });
  const declined = current.map(({ seq, status, rank }) => {
    tally.leave(status, rank);
    tally.enter('declined', rank);
    change.record({ kind: 'entry.declined', entry: seq, email });
    return { queue_id: queue.id, seq, status: 'declined' as const, declined_at: now, declined_from: status };
  });
  tally.slots.add('declined', now, declined.length);
  trx.update('entry', { key: ['queue_id', 'seq'] }, declined);
  return current;
}

const findCurrent = statement<
  { queueId: number; seqs: readonly number[] },
  { seq: number; status: Status; rank: number }
>((db, parameter) =>
  db.query
    .selectFrom('entry')
    .select(['seq', 'status', 'rank'])
    .where('queue_id', '=', parameter('queueId'))
    .where((e) => db.in(e.ref('seq'), parameter('seqs'))),
);

function takeBack({ trx, queue, tally }: QueueChange, rows: readonly DecidedRow[]): void {
  const back = rows.map((row) => {
    const status = standingOf(row);
    tally.leave('declined', row.rank);
    tally.enter(status, row.rank);
    if (row.declined_at !== null) tally.slots.add('declined', row.declined_at, -1);
    return { queue_id: queue.id, seq: row.seq, status, declined_at: null, declined_from: null };
  });
  trx.update('entry', { key: ['queue_id', 'seq'] }, back);
}

function note(
  { trx, queue, now }: QueueChange,
  rows: readonly { readonly seq: number }[],
  decision: Decision,
  { note: said, by }: How,
): void {
  const decisions = rows.map(({ seq }, index) => {
    const id = newNumberedId(now, index);
    const sealed = said === null ? null : queue.vault.seal('decision.note', id, said);
    return { queue_id: queue.id, seq, id, decision, note: sealed, decided_by: by, decided_at: now };
  });
  trx.insert('entry_decision', decisions);
}
