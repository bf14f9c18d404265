import type { MailEvent } from '../waitlist/mail-events/record-mail-events.ts';
import { addressIn, type Fields, firstOf, type Report, readFields, readReport } from './report-message.ts';

/** More than a mail server puts into one report. */
const RECIPIENTS_MAX = 1_000;

/** A delivery status notification (RFC 3464), the report that mail servers send back. */
export interface BounceMessage {
  report: Report;
  /** Whether the email has not reached somebody, for now or for good. */
  failure: 'none' | 'temporary' | 'permanent';
  /** The recipients whom it has not reached, as far as the report names them. */
  events: MailEvent[];
}

/** Returns undefined if the message is not one. */
export function readBounceMessage(message: string): BounceMessage | undefined {
  const report = readReport(message, /^message\/(global-)?delivery-status\b/i);
  if (!report) return undefined;
  // The first group is about the message, the others are about one recipient each.
  const failed = report.text
    .split(/\n(?:[ \t]*\n)+/, RECIPIENTS_MAX)
    .map(readFields)
    .filter((fields) => fields.has('final-recipient') && actionOf(fields) !== undefined);
  const failure = failed.length === 0 ? 'none' : failed.some(isPermanent) ? 'permanent' : 'temporary';
  return { report, failure, events: failed.flatMap(readRecipient) };
}

function actionOf(fields: Fields): 'failed' | 'delayed' | undefined {
  const action = (firstOf(fields, 'action') ?? '').trim().toLowerCase();
  return action === 'failed' || action === 'delayed' ? action : undefined;
}

function readRecipient(fields: Fields): MailEvent[] {
  // The address that we sent to, if the mail server knows it: the final one may be behind a forward.
  const email =
    typedAddress(firstOf(fields, 'original-recipient')) ?? typedAddress(firstOf(fields, 'final-recipient'));
  return email === undefined ? [] : [{ type: 'bounce', email, permanent: isPermanent(fields) }];
}

function typedAddress(field: string | undefined): string | undefined {
  return field?.includes(';') ? addressIn(field) : undefined;
}

/**
 * RFC 3463. 5.7.x is about the sender or the content, 5.2.2 about a full mailbox and 5.2.3 and 5.3.4 about the size
 * of the email: another email may arrive.
 */
function isPermanent(fields: Fields): boolean {
  if (actionOf(fields) !== 'failed') return false;
  const [, subject, detail] = /^\s*5\.(\d{1,3})\.(\d{1,3})/.exec(firstOf(fields, 'status') ?? '') ?? [];
  return subject !== undefined && subject !== '7' && !['2.2', '2.3', '3.4'].includes(`${subject}.${detail}`);
}
