import type { Expression, ExpressionBuilder, Nullable, SqlBool } from 'kysely';
import type { DeliveryAttemptTable, DeliveryTable } from '../db/tables.ts';
import { invalid, notFound } from '../errors.ts';
import { formatId, parseId } from '../ids.ts';
import { responseRow } from '../outbox/attempt.ts';
import type { Target } from '../outbox/target.ts';
import { isoTime, isoTimeOrNull } from '../time.ts';
import { Unreadable } from '../vault/crypto.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/directory.ts';
import type { MailState } from './kinds.ts';
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
  createdAt: string;
  nextAttemptAt: string | null;
}

export interface MailView extends MailSummary {
  mail: (Mail & { messageId: string }) | null;
  log: {
    attempt: number;
    at: string;
    status: number | null;
    error: string | null;
    response: string | null;
  }[];
}

/** Mails, newest first. */
export async function listMails(
  context: Context,
  queue: Queue,
  { limit, cursor, state }: { limit: number; cursor?: string | undefined; state?: MailState | undefined },
): Promise<{ mails: MailSummary[]; nextCursor: string | null }> {
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= PAGE_MAX))
    throw invalid(`limit: must be a whole number from 1 to ${PAGE_MAX}`);
  let query = selectMails(context, queue)
    .orderBy('d.event_id', 'desc')
    .limit(limit + 1);
  if (cursor !== undefined) query = query.where('d.event_id', '<', requireMailId(cursor));
  if (state !== undefined) query = query.where((e) => whereState(e, state));
  const rows = await query.execute();
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    mails: await Promise.all(page.map(async (row) => summarize(row, await openMail(context, queue, row)))),
    nextCursor: last ? formatId('evt', last.event_id) : null,
  };
}

/** One mail as it is sent, and each attempt with the server's response. */
export async function showMail(
  context: Context,
  queue: Queue,
  mailId: string,
  sending: Sending,
): Promise<MailView> {
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
  const row = await selectMails(context, queue).where('d.event_id', '=', id).executeTakeFirst();
  if (!row) throw notFound(`there is no email ${mailId} in this queue, or it has been deleted`);
  return row;
}

async function readLog({ db }: Context, { id, vault }: Queue, eventId: Uint8Array): Promise<MailView['log']> {
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
    return { attempt, at: isoTime(at), status, error, response: said };
  });
}

export function selectMails(
  { db }: Pick<Context, 'db'>,
  queue: Pick<Queue, 'id'>,
  { channel, id: targetId }: Omit<Target, 'queueId'> = mailTarget(queue.id),
) {
  return db.query
    .selectFrom('delivery as d')
    .innerJoin('event as e', (join) =>
      join.onRef('e.queue_id', '=', 'd.queue_id').onRef('e.id', '=', 'd.event_id'),
    )
    .leftJoin('delivery_attempt as a', (join) =>
      join
        .onRef('a.queue_id', '=', 'd.queue_id')
        .onRef('a.event_id', '=', 'd.event_id')
        .onRef('a.channel', '=', 'd.channel')
        .onRef('a.target_id', '=', 'd.target_id')
        .onRef('a.attempt', '=', 'd.attempts'),
    )
    .select(['d.event_id', 'd.due_at', 'd.attempts', 'd.failed_at', 'e.kind', 'e.body', 'e.created_at'])
    .select(['a.status', 'a.error'])
    .where('d.queue_id', '=', queue.id)
    .where('d.channel', '=', channel)
    .where('d.target_id', '=', targetId);
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

export interface MailRow {
  event_id: Uint8Array;
  due_at: number | null;
  attempts: number;
  failed_at: number | null;
  kind: string;
  body: Uint8Array | null;
  created_at: number;
  status: number | null;
  error: string | null;
}

function summarize(row: MailRow, stored: StoredMail | null): MailSummary {
  return {
    id: formatId('evt', row.event_id),
    kind: row.kind.replace(/^email\./, ''),
    to: stored?.to ?? null,
    state: stateOf(row),
    attempts: row.attempts,
    error: row.error,
    createdAt: isoTime(row.created_at),
    nextAttemptAt: isoTimeOrNull(row.due_at),
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
