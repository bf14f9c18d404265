import type { Trx } from '../../../db/database.ts';
import { parseEmail } from '../../../lib/email.ts';
import { DoorlistError, damaged, notFound } from '../../../lib/errors.ts';
import { findMessagesAbout } from '../../../outbox/message.ts';
import { ifReadable } from '../../../vault/crypto.ts';
import { readEntry } from '../../entries/browse-entries.ts';
import { findConfirmation, type OperatorConfirmation } from '../../entries/confirm-entry.ts';
import { findEntry } from '../../entries/entries.ts';
import type { Entry } from '../../entries/entry.ts';
import { type PastDecision, readDecisions } from '../../entries/history.ts';
import { shownInLine } from '../../forms/person-status.ts';
import { type Invite, listInvites } from '../../invites/browse-invites.ts';
import { changeQueue } from '../../queue/change-queue.ts';
import type { Context } from '../../queue/context.ts';
import type { Queue } from '../../queue/queue.ts';

const MOST_INVITES = 1_000;
const MOST_DECISIONS = 1_000;
const ERASED = 'this entry was erased: nothing is stored about the person';
const DAMAGED = 'this entry is damaged: what is stored about the person cannot be decrypted';

/** All data stored about one person. */
export interface PersonExport {
  queue: Queue;
  /** null if the person has invites or mails, but never signed up. */
  entry: Entry | null;
  /** null if no operator confirmed the email. */
  operatorConfirmation: OperatorConfirmation | null;
  /** What was decided about the entry, with the notes. */
  decisions: PastDecision[];
  invites: Invite[];
  /**
   * Every message that contains the person's data: what webhooks received, and what mails are made from. The body of one
   * that is damaged is null.
   */
  events: { id: Uint8Array; kind: string; at: number; body: unknown }[];
}

/** For operators, with a record of it. */
export async function exportEntry(context: Context, queue: Queue, entryId: string): Promise<PersonExport> {
  const person = await exportPersonOf(context, queue, entryId);
  await context.db.transaction((trx) => recordExport(context, trx, entryId));
  return person;
}

async function recordExport({ audit }: Context, trx: Trx, entryId: string): Promise<void> {
  await audit?.(trx, { action: 'entry.exported', object: { kind: 'entry', id: entryId } });
}

/** For somebody with a link to their own data. `context`: the person's own, so that the trail says so. */
export async function downloadOwnData(
  context: Context,
  queue: Queue,
  entryId: string,
): Promise<PersonExport> {
  const person = await exportPersonOf(context, queue, entryId);
  await changeQueue(context, queue, async ({ trx, tally, now }) => {
    tally.slots.add('downloads', now);
    await recordExport(context, trx, entryId);
  });
  const { entry } = person;
  if (entry?.status !== 'declined') return person;
  return { ...person, entry: { ...entry, ...(await shownInLine(context, queue, entry.seq)) } };
}

/** By the id of an entry. */
async function exportPersonOf(context: Context, queue: Queue, entryId: string): Promise<PersonExport> {
  const { email, phone, missing } = await readEntry(context, queue, entryId);
  const who = email ?? phone;
  if (missing === 'damaged') throw damaged(DAMAGED);
  if (who === null) throw notFound(ERASED);
  return exportPerson(context, queue, who);
}

export async function exportPerson(
  context: Context,
  queue: Queue,
  identifier: string,
): Promise<PersonExport> {
  const found = await findEntry(context, queue, identifier).catch(notOnList);
  const email = parseEmail(found instanceof DoorlistError ? identifier : (found.email ?? ''));
  const emailHash = email && queue.vault.hash('email', email.key);
  const invites = emailHash ? await listInvites(context, queue, { emailHash, limit: MOST_INVITES }) : [];
  const entry = found instanceof DoorlistError ? null : found;
  const ids = [entry?.id, ...invites.map(({ id }) => id)];
  const subjects = [...ids, emailHash].filter((id) => id !== undefined);
  const events = await eventsAbout(context, queue, subjects);
  if (found instanceof DoorlistError && invites.length + events.length === 0) throw found;
  return {
    queue,
    entry,
    operatorConfirmation: entry ? await findConfirmation(context, queue, entry.id) : null,
    decisions: entry ? await readDecisions(context, queue, entry.seq, MOST_DECISIONS) : [],
    invites,
    events,
  };
}

function notOnList(error: Error): DoorlistError {
  if (error instanceof DoorlistError && error.code === 'not_found') return error;
  throw error;
}

async function eventsAbout(
  { db }: Context,
  queue: Queue,
  subjects: Uint8Array[],
): Promise<PersonExport['events']> {
  const rows = await findMessagesAbout(db, queue.id, subjects);
  return rows.map(({ id, kind, body, created_at }) => {
    const text = body && ifReadable(() => queue.vault.open<string>('event.body', id, body));
    return { id, kind, at: created_at, body: text ? (JSON.parse(text) as unknown) : null };
  });
}
