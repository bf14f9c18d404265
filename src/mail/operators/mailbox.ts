import { notFound } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import type { OperatorContext } from '../../operators/context.ts';
import { readDelivery } from '../../outbox/read-deliveries.ts';
import { ifReadable } from '../../vault/crypto.ts';
import {
  type MailAttempt,
  type MailPageQuery,
  type MailRow,
  type MailSummary,
  readMailAttempts,
  readMailPage,
  summarizeMail,
} from '../mail-log.ts';
import type { Sending } from '../render.ts';
import type { Mail } from '../smtp/mail.ts';
import { KIND_PREFIX, OPERATOR_MAIL_TARGET, type StoredOperatorMail } from './notices.ts';
import { renderOperatorMail } from './render.ts';

export type OperatorMailSummary = MailSummary;

export interface OperatorMailView extends OperatorMailSummary {
  /** null if the operator was removed, or if it is damaged. */
  mail: Mail | null;
  log: MailAttempt[];
}

/** Newest first. */
export async function listOperatorMails(
  context: OperatorContext,
  query: Omit<MailPageQuery, 'kind'>,
): Promise<{ mails: OperatorMailSummary[]; nextCursor: string | null }> {
  const { rows, nextCursor } = await readMailPage(context.db, OPERATOR_MAIL_TARGET, query);
  return { mails: rows.map((row) => summarize(row, open(context, row))), nextCursor };
}

/** One mail as it is sent, and each attempt with the server's response. */
export async function showOperatorMail(
  context: OperatorContext,
  mailId: string,
  sending: Sending,
): Promise<OperatorMailView> {
  const { db, vault } = context;
  const id = parseId('evt', mailId);
  const row = id && (await readDelivery(db, OPERATOR_MAIL_TARGET, id));
  if (!row) throw notFound('there is no such email, or it has been deleted');
  const stored = open(context, row);
  return {
    ...summarize(row, stored),
    mail: stored && renderOperatorMail(stored, sending),
    log: await readMailAttempts(db, vault, OPERATOR_MAIL_TARGET, row.event_id),
  };
}

function open({ vault }: OperatorContext, { event_id, body }: MailRow): StoredOperatorMail | null {
  return (body && ifReadable(() => vault.open<StoredOperatorMail>('event.body', event_id, body))) ?? null;
}

function summarize(row: MailRow, stored: StoredOperatorMail | null): OperatorMailSummary {
  return summarizeMail(row, row.kind.slice(KIND_PREFIX.length), stored?.to ?? null);
}
