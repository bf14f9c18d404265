import { invalid } from '../lib/errors.ts';
import type { MailEvent } from '../waitlist/mail-events/record-mail-events.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { findTokens, mailOfToken } from './bounce-address.ts';
import { findStoredMail } from './mailbox.ts';
import { allOf, firstOf, readBounceMessage, readComplaintMessage, readHeader } from './report-message.ts';

/** What a message says about emails of one queue. */
interface MailReport {
  queue: Queue;
  events: MailEvent[];
}

/** Why there is nothing to record although the message is in order. */
export type NothingToRecord = 'no failure' | 'no complaint' | 'automatic reply' | 'email gone';

/** Where mail servers note the address that a message was sent to. */
const RECIPIENT_FIELDS = ['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to', 'to'];

interface Reading {
  /** The address that the message was sent to, if the mail server tells us. */
  recipient: string | undefined;
  /** Of messages without a token: whose emails they are about. */
  queue: Queue | undefined;
}

/**
 * Reads a bounce or a complaint. If it was sent to the bounce address of an email, or names it as the sender, it is
 * about that email, whomever else it names: anybody can write such a message, but only we can make a token.
 */
export async function readMailReport(
  context: Context,
  message: string,
  { recipient, queue }: Reading,
): Promise<MailReport | NothingToRecord> {
  const bounce = readBounceMessage(message);
  const complaint = bounce ? undefined : readComplaintMessage(message);
  const header = bounce?.report.header ?? complaint?.report.header ?? readHeader(message);
  if (!bounce && !complaint) {
    if (isAutomatic(firstOf(header, 'auto-submitted'))) return 'automatic reply';
    throw invalid(
      'message: is neither a delivery status notification (RFC 3464) nor a feedback report (RFC 5965)',
    );
  }
  if (complaint && !complaint.isComplaint) return 'no complaint';
  if (bounce?.failure === 'none') return 'no failure';
  const recipients = recipient === undefined ? allOf(header, RECIPIENT_FIELDS) : [recipient];
  const tokens = findTokens([...recipients, ...(complaint?.senders ?? [])]);
  if (tokens.length > 0) {
    const outcome: Omit<MailEvent, 'email'> = bounce
      ? { type: 'bounce', permanent: bounce.failure === 'permanent' }
      : { type: 'complaint' };
    return aboutMail(context, tokens, outcome);
  }
  if (!queue)
    throw invalid(
      'message: names no email by its bounce address. Give --recipient, the address that it was sent to, or --waitlist to trust the addresses in it',
    );
  return { queue, events: bounce?.events ?? complaint?.events ?? [] };
}

/** An out-of-office note, which mail programs also send to the bounce address. */
function isAutomatic(field: string | undefined): boolean {
  return field !== undefined && !/^\s*no\b/i.test(field);
}

async function aboutMail(
  context: Context,
  tokens: readonly string[],
  outcome: Omit<MailEvent, 'email'>,
): Promise<MailReport | NothingToRecord> {
  for (const token of tokens) {
    const mail = await mailOfToken(context, token);
    if (!mail) continue;
    const stored = await findStoredMail(context, mail.queue, mail.eventId);
    return stored ? { queue: mail.queue, events: [{ ...outcome, email: stored.to }] } : 'email gone';
  }
  throw invalid('message: its bounce address was not made by this installation');
}
