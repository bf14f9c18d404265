import { invalid, notFound } from '../errors.ts';
import { formatId, parseId } from '../ids.ts';
import type { MailState } from '../mail/kinds.ts';
import { type MailRow, selectMails, stateOf, whereState } from '../mail/mailbox.ts';
import type { Mail, Sending } from '../mail/render.ts';
import type { OperatorContext } from '../operators/context.ts';
import { responseRow } from '../outbox/attempt.ts';
import { renderOperatorMail } from './render.ts';
import { KIND_PREFIX, type StoredOperatorMail } from './stored-mail.ts';
import { INSTALLATION_ID, OPERATOR_MAIL_TARGET } from './target.ts';

export interface OperatorMailSummary {
  id: string;
  kind: string;
  /** null if the operator was removed. */
  to: string | null;
  state: MailState;
  attempts: number;
  error: string | null;
  createdAt: number;
  nextAttemptAt: number | null;
}

export interface OperatorMailView extends OperatorMailSummary {
  /** null if the operator was removed. */
  mail: Mail | null;
  log: {
    attempt: number;
    at: number;
    status: number | null;
    error: string | null;
    response: string | null;
  }[];
}

/** Newest first. */
export async function listOperatorMails(
  context: OperatorContext,
  { limit, cursor, state }: { limit: number; cursor?: string | undefined; state?: MailState | undefined },
): Promise<{ mails: OperatorMailSummary[]; nextCursor: string | null }> {
  let query = select(context)
    .orderBy('d.event_id', 'desc')
    .limit(limit + 1);
  if (cursor !== undefined) {
    const before = parseId('evt', cursor);
    if (!before) throw invalid('cursor: is not valid');
    query = query.where('d.event_id', '<', before);
  }
  if (state !== undefined) query = query.where((e) => whereState(e, state));
  const rows = await query.execute();
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    mails: page.map((row) => summarize(row, open(context, row))),
    nextCursor: last ? formatId('evt', last.event_id) : null,
  };
}

/** One mail as it is sent, and each attempt with the server's response. */
export async function showOperatorMail(
  context: OperatorContext,
  mailId: string,
  sending: Sending,
): Promise<OperatorMailView> {
  const id = parseId('evt', mailId);
  const row = id && (await select(context).where('d.event_id', '=', id).executeTakeFirst());
  if (!row) throw notFound('there is no such email, or it has been deleted');
  const stored = open(context, row);
  return {
    ...summarize(row, stored),
    mail: stored && renderOperatorMail(stored, sending),
    log: await readLog(context, row.event_id),
  };
}

function select({ db }: OperatorContext) {
  return selectMails({ db }, { id: INSTALLATION_ID }, OPERATOR_MAIL_TARGET);
}

function open({ vault }: OperatorContext, { event_id, body }: MailRow): StoredOperatorMail | null {
  return body && vault.open<StoredOperatorMail>('event.body', event_id, body);
}

function summarize(row: MailRow, stored: StoredOperatorMail | null): OperatorMailSummary {
  return {
    id: formatId('evt', row.event_id),
    kind: row.kind.slice(KIND_PREFIX.length),
    to: stored?.to ?? null,
    state: stateOf(row),
    attempts: row.attempts,
    error: row.error,
    createdAt: row.created_at,
    nextAttemptAt: row.due_at,
  };
}

async function readLog(
  { db, vault }: OperatorContext,
  eventId: Uint8Array,
): Promise<OperatorMailView['log']> {
  const rows = await db.query
    .selectFrom('delivery_attempt')
    .selectAll()
    .where('queue_id', '=', INSTALLATION_ID)
    .where('event_id', '=', eventId)
    .orderBy('attempt')
    .execute();
  return rows.map(({ attempt, at, status, error, response }) => {
    const place = responseRow(OPERATOR_MAIL_TARGET, { eventId, attempt });
    const said = response && vault.open<string>('delivery.response', place, response);
    return { attempt, at, status, error, response: said };
  });
}
