import type { Expression, ExpressionBuilder, Nullable, SqlBool } from 'kysely';
import type { DeliveryAttemptTable, DeliveryTable } from '../db/tables.ts';
import { invalid, notFound } from '../errors.ts';
import { formatId, parseId } from '../ids.ts';
import { responseRow } from '../outbox/attempt.ts';
import {
  type DeliveryFilter,
  type DeliveryRow,
  readDeliveriesAbout,
  readDelivery,
  readDeliveryPage,
  selectDeliveries,
} from '../outbox/read-deliveries.ts';
import type { Target } from '../outbox/target.ts';
import { Unreadable } from '../vault/crypto.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/directory.ts';
import type { MailKind, MailState } from './kinds.ts';
import { readParts } from './parts.ts';
import { type Mail, messageId, renderMail, type Sending } from './render.ts';
import { readMail, type StoredMail } from './stored-mail.ts';
import { MAIL_CHANNEL, MAIL_TARGET, mailTarget } from './target.ts';

const PAGE_MAX = 200;

export interface MailSummary {
  id: string;
  kind: string;
  /** null if the person was erased. */
  to: string | null;
  state: MailState;
  attempts: number;
  error: string | null;
  createdAt: number;
  nextAttemptAt: number | null;
}

export interface MailDetails extends MailSummary {
  mail: (Mail & { messageId: string }) | null;
  log: {
    attempt: number;
    at: number;
    status: number | null;
    error: string | null;
    response: string | null;
  }[];
}

export interface MailQuery {
  limit: number;
  cursor?: string | undefined;
  state?: MailState | undefined;
  kind?: MailKind | undefined;
}

export interface MailList {
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
  const before = cursor === undefined ? undefined : { eventId: parseCursor(cursor), inclusive: false };
  const { rows, next } = await readDeliveryPage(context.db, mailTarget(queue.id), {
    limit,
    before,
    kind: kind && `email.${kind}`,
    ...(state ? FILTERS[state] : {}),
  });
  return { mails: await summarizeAll(context, queue, rows), nextCursor: next && formatId('evt', next) };
}

/** The same as `stateOf`. */
const FILTERS: Record<MailState, DeliveryFilter> = {
  pending: { outcome: 'open' },
  failed: { outcome: 'failed' },
  sent: { outcome: 'done', answered: true },
  kept: { outcome: 'done', answered: false },
};

/** Mails to or about one entry, newest first. */
export async function listMailsAbout(
  context: Context,
  queue: Queue,
  entryId: Uint8Array,
  { limit, cursor }: Pick<MailQuery, 'limit' | 'cursor'>,
): Promise<MailList> {
  checkLimit(limit);
  const { db } = context;
  const entry = await db.query
    .selectFrom('entry')
    .select('email_hash')
    .where('queue_id', '=', queue.id)
    .where('id', '=', entryId)
    .executeTakeFirst();
  if (!entry) throw notFound('there is no such entry on this waitlist');
  // An invite by email may have been sent before the person signed up.
  const subjects = entry.email_hash ? [entryId, entry.email_hash] : [entryId];
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

function parseCursor(cursor: string): Buffer {
  const id = parseId('evt', cursor);
  if (!id) throw invalid('cursor: must be the nextCursor of the previous page');
  return id;
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
  const mail = stored && parts && renderMail(queue, stored, parts, sending);
  return {
    ...summarize(row, stored),
    mail: mail && { ...mail, messageId: messageId(id, mail.from) },
    log: await readLog(context, queue, id),
  };
}

export async function findMail(context: Context, queue: Queue, mailId: string): Promise<MailRow> {
  const id = requireMailId(mailId);
  const row = await readDelivery(context.db, mailTarget(queue.id), id);
  if (!row) throw notFound(`there is no email ${mailId} in this queue, or it has been deleted`);
  return row;
}

async function readLog(
  { db }: Context,
  { id, vault }: Queue,
  eventId: Uint8Array,
): Promise<MailDetails['log']> {
  const rows = await db.query
    .selectFrom('delivery_attempt')
    .selectAll()
    .where('queue_id', '=', id)
    .where('event_id', '=', eventId)
    .where('channel', '=', MAIL_CHANNEL)
    .orderBy('attempt')
    .execute();
  return rows.map(({ attempt, at, status, error, response }) => {
    const place = responseRow({ id: MAIL_TARGET }, { eventId, attempt });
    const said = response && vault.open<string>('delivery.response', place, response);
    return { attempt, at, status, error, response: said };
  });
}

export function selectMails(
  { db }: Pick<Context, 'db'>,
  queue: Pick<Queue, 'id'>,
  { channel, id: targetId }: Omit<Target, 'queueId'> = mailTarget(queue.id),
) {
  return selectDeliveries(db.query, queue.id, channel).where('d.target_id', '=', targetId);
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

export function stateOf({ due_at, failed_at, status }: MailRow): MailState {
  if (due_at !== null) return 'pending';
  if (failed_at !== null) return 'failed';
  return status === null ? 'kept' : 'sent';
}

export type MailRow = DeliveryRow;

function summarize(row: MailRow, stored: StoredMail | null): MailSummary {
  return {
    id: formatId('evt', row.event_id),
    kind: row.kind.replace(/^email\./, ''),
    to: stored?.to ?? null,
    state: stateOf(row),
    attempts: row.attempts,
    error: row.error,
    createdAt: row.created_at,
    nextAttemptAt: row.due_at,
  };
}

/** Returns null if it was erased or is unreadable. */
export async function openMail(
  context: Context,
  queue: Queue,
  { event_id, body }: MailRow,
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
