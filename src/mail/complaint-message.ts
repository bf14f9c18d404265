import type { MailEvent } from '../waitlist/mail-events/record-mail-events.ts';
import { addressIn, allOf, firstOf, type Report, readFields, readReport } from './report-message.ts';

/** A feedback report (ARF, RFC 5965), which mailbox providers send when somebody presses "This is spam". */
export interface ComplaintMessage {
  report: Report;
  /** The people who complained, as far as the report names them. Empty if it is not a complaint. */
  events: MailEvent[];
  /** Whether the report is a complaint of its recipient: not about authentication, a virus or a mistake. */
  isComplaint: boolean;
  /** Where the token of the email can be. */
  senders: string[];
}

const COMPLAINTS = ['abuse', 'fraud', 'opt-out', 'opt-out-list'];

/** Returns undefined if the message is not one. */
export function readComplaintMessage(message: string): ComplaintMessage | undefined {
  const report = readReport(message, /^message\/feedback-report\b/i);
  if (!report) return undefined;
  const fields = readFields(report.text);
  const isComplaint = COMPLAINTS.includes((firstOf(fields, 'feedback-type') ?? '').trim().toLowerCase());
  const addresses = allOf(fields, ['original-rcpt-to']).flatMap((field) => addressIn(field) ?? []);
  return {
    report,
    isComplaint,
    events: isComplaint ? [...new Set(addresses)].map((email) => ({ type: 'complaint', email })) : [],
    senders: [...allOf(fields, ['original-mail-from']), ...allOf(report.original, ['return-path'])],
  };
}
