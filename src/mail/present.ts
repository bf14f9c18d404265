import { formatId } from '../lib/ids.ts';
import { isoTime, isoTimeOrNull } from '../lib/time.ts';
import type { SuppressedPerson } from '../waitlist/links/suppressed-people.ts';
import type { MailSummary } from './mail-log.ts';
import type { MailDetails } from './mailbox.ts';
import type { ShownMail } from './render.ts';
import type { TemplateVersion } from './templates.ts';

export function presentMail(mail: MailSummary) {
  return {
    id: mail.id,
    kind: mail.kind,
    to: mail.to,
    state: mail.state,
    attempts: mail.attempts,
    error: mail.error,
    createdAt: isoTime(mail.createdAt),
    nextAttemptAt: isoTimeOrNull(mail.nextAttemptAt),
  };
}

export function presentMailLog({ log }: Pick<MailDetails, 'log'>) {
  return log.map(({ attempt, at, status, error, response }) => ({
    attempt,
    at: isoTime(at),
    status,
    error,
    response,
  }));
}

/** For the command line. */
export function presentMailDetails(details: MailDetails) {
  return { ...presentMail(details), mail: details.mail, log: presentMailLog(details) };
}

/** A line for the command line, if the email has the default template because an own one failed. */
export function failureNote({ templateFailure }: Pick<ShownMail, 'templateFailure'>): string {
  if (templateFailure === null) return '';
  return `Your template ${templateFailure} for this person: this is the default template.\n`;
}

export function presentTemplateVersion({ version, isDefault, createdAt, subject, body }: TemplateVersion) {
  return { version, isDefault, createdAt: isoTime(createdAt), subject, body };
}

export function presentSuppression({ emailHash, email, entryId, reason, since }: SuppressedPerson) {
  return {
    hash: Buffer.from(emailHash).toString('hex').slice(0, 16),
    email,
    entryId: entryId && formatId('ent', entryId),
    reason,
    since: isoTime(since),
  };
}
