import { isoTime, isoTimeOrNull } from '../lib/time.ts';
import type { MailSummary } from './mail-log.ts';
import type { MailDetails } from './mailbox.ts';
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

export function presentTemplateVersion({ version, isDefault, createdAt, subject, body }: TemplateVersion) {
  return { version, isDefault, createdAt: isoTime(createdAt), subject, body };
}
