import type { Expression, ExpressionBuilder, Nullable, SqlBool } from 'kysely';
import type { DeliveryAttemptTable, DeliveryTable } from '../db/tables.ts';
import { requireEmail } from '../lib/email.ts';
import { invalid, notFound } from '../lib/errors.ts';
import { formatId, parseId } from '../lib/ids.ts';
import { readDeliveriesAbout, readDelivery, selectDeliveries } from '../outbox/read-deliveries.ts';
import { Unreadable } from '../vault/crypto.ts';
import { hashOf } from '../waitlist/links/suppression.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { MAIL_TARGET, mailTarget } from '../waitlist/sending/state.ts';
import {
  type MailAttempt,
  type MailRow,
  type MailSummary,
  parseCursor,
  readMailAttempts,
  readMailPage,
  summarizeMail,
} from './mail-log.ts';
import { readParts } from './parts.ts';
import { messageId, renderShown, type Sending, type ShownMail } from './render.ts';
import { readMail, type StoredMail } from './stored-mail.ts';
import type { MailKind, MailState } from './templates/kinds.ts';

const PAGE_MAX = 200;

export interface MailDetails extends MailSummary {
  mail: (ShownMail & { messageId: string }) | null;
  log: MailAttempt[];
}

interface MailQuery {
  limit: number;
  cursor?: string | undefined;
  state?: MailState | undefined;
  kind?: MailKind | undefined;
}

interface MailList {
  mails: MailSummary[];
  nextCursor: string | null;
}

/** Mails, newest first. */
export async function listMails(
  context: Context,
  queue: Queue,
  { limit, cursor, state, kind }: MailQuery,
): Promise<MailList> {
  checkLimit(limit);
  const { rows, nextCursor } = await readMailPage(context.db, mailTarget(queue.id), {
    ...{ limit, cursor, state },
    kind: kind && `email.${kind}`,
  });
  return { mails: await summarizeAll(context, queue, rows), nextCursor };
}

/** Mails to or about one entry, newest first. */
export async function listMailsAbout(
  context: Context,
  queue: Queue,
  entryId: Uint8Array,
  { limit, cursor }: Pick<MailQuery, 'limit' | 'cursor'>,
): Promise<MailList> {
  const entry = await context.db.query
    .selectFrom('entry')
    .select('email_hash')
    .where('queue_id', '=', queue.id)
    .where('id', '=', entryId)
    .executeTakeFirst();
  if (!entry) throw notFound('there is no such entry on this waitlist');
  // An invite by email may have been sent before the person signed up.
  const subjects = entry.email_hash ? [entryId, entry.email_hash] : [entryId];
  return listAbout(context, queue, subjects, { limit, cursor });
}

/** The last mail to or about one entry, and what the mail server said. */
export async function showLastMail(
  context: Context,
  queue: Queue,
  entryId: Uint8Array,
): Promise<(MailSummary & { response: string | null }) | null> {
  const [last] = (await listMailsAbout(context, queue, entryId, { limit: 1 })).mails;
  const id = last && parseId('evt', last.id);
  if (!last || !id) return null;
  const log = await readMailAttempts(context.db, queue.vault, mailTarget(queue.id), id);
  return { ...last, response: log.at(-1)?.response ?? null };
}

/** Mails to exactly this address, newest first. Addresses are sealed, so it is found by its hash. */
export async function listMailsTo(
  context: Context,
  queue: Queue,
  email: string,
  page: Pick<MailQuery, 'limit' | 'cursor'>,
): Promise<MailList> {
  const hash = hashOf(queue, requireEmail(email).shown);
  const entry = await context.db.query
    .selectFrom('entry')
    .select('id')
    .where('queue_id', '=', queue.id)
    .where('email_hash', '=', hash)
    .executeTakeFirst();
  // Mails to newcomers are only known by their entry.
  return listAbout(context, queue, entry ? [hash, entry.id] : [hash], page);
}

async function listAbout(
  context: Context,
  queue: Queue,
  subjects: readonly Uint8Array[],
  { limit, cursor }: Pick<MailQuery, 'limit' | 'cursor'>,
): Promise<MailList> {
  checkLimit(limit);
  const { db } = context;
  const after = cursor === undefined ? undefined : { eventId: parseCursor(cursor), targetId: MAIL_TARGET };
  const rows = await readDeliveriesAbout(db, mailTarget(queue.id), subjects, { limit: limit + 1, after });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    mails: await summarizeAll(context, queue, page),
    nextCursor: last ? formatId('evt', last.event_id) : null,
  };
}

function summarizeAll(context: Context, queue: Queue, rows: readonly MailRow[]): Promise<MailSummary[]> {
  return Promise.all(rows.map(async (row) => summarize(row, await openMail(context, queue, row))));
}

function checkLimit(limit: number): void {
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= PAGE_MAX))
    throw invalid(`limit: must be a whole number from 1 to ${PAGE_MAX}`);
}

/** One mail as it is sent, and each attempt with the server's response. */
export async function showMail(
  context: Context,
  queue: Queue,
  mailId: string,
  sending: Sending,
): Promise<MailDetails> {
  const row = await findMail(context, queue, mailId);
  const id = row.event_id;
  const stored = await openMail(context, queue, row);
  const parts = stored && (await readParts(context, queue.waitlist.internalId, stored.version));
  const mail = stored && parts && (await renderShown(queue, stored, parts, sending));
  return {
    ...summarize(row, stored),
    mail: mail && { ...mail, messageId: messageId(id, mail.from) },
    log: await readMailAttempts(context.db, queue.vault, mailTarget(queue.id), id),
  };
}

export async function findMail(context: Context, queue: Queue, mailId: string): Promise<MailRow> {
  const id = requireMailId(mailId);
  const row = await readDelivery(context.db, mailTarget(queue.id), id);
  if (!row) throw notFound(`there is no email ${mailId} in this queue, or it has been deleted`);
  return row;
}

/** What a mail was made from. Returns null if it was deleted, erased or is unreadable. */
export async function findStoredMail(
  context: Context,
  queue: Queue,
  eventId: Uint8Array,
): Promise<StoredMail | null> {
  const row = await readDelivery(context.db, mailTarget(queue.id), eventId);
  return row ? openMail(context, queue, row) : null;
}

export function selectMails({ db }: Pick<Context, 'db'>, { id }: Pick<Queue, 'id'>) {
  const { queueId, channel, id: targetId } = mailTarget(id);
  return selectDeliveries(db.query, queueId, channel).where('d.target_id', '=', targetId);
}

/** The same as `stateOf`, as a database condition. */
export function whereState(
  e: ExpressionBuilder<{ d: DeliveryTable; a: Nullable<DeliveryAttemptTable> }, 'd' | 'a'>,
  state: MailState,
): Expression<SqlBool> {
  if (state === 'pending') return e('d.due_at', 'is not', null);
  const ended = e('d.due_at', 'is', null);
  if (state === 'failed') return e.and([ended, e('d.failed_at', 'is not', null)]);
  const status = e('a.status', state === 'kept' ? 'is' : 'is not', null);
  return e.and([ended, e('d.failed_at', 'is', null), status]);
}

function summarize(row: MailRow, stored: StoredMail | null): MailSummary {
  return summarizeMail(row, row.kind.replace(/^email\./, ''), stored?.to ?? null);
}

/** Returns null if it was erased or is unreadable. */
export async function openMail(
  context: Context,
  queue: Queue,
  { event_id, body }: Pick<MailRow, 'event_id' | 'body'>,
): Promise<StoredMail | null> {
  if (body === null) return null;
  try {
    const text = queue.vault.open<string>('event.body', event_id, body);
    return (await readMail(context, queue, text)) ?? null;
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

function requireMailId(text: string): Buffer {
  const id = parseId('evt', text);
  if (!id) throw invalid('mail id: must look like evt_…, as `mail list` prints it');
  return id;
}
