/** All mails that a person on a waitlist can get. */
export const MAIL_KINDS = [
  'confirm',
  'welcome',
  'moved-up',
  'invite',
  'invite-reminder',
  'accepted',
] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** People cannot continue without these: sent even after unsubscribing, without a List-Unsubscribe header. */
const ESSENTIAL: readonly MailKind[] = ['confirm', 'invite'];

export function isMailKind(text: string): text is MailKind {
  return (MAIL_KINDS as readonly string[]).includes(text);
}

export function isEssential(kind: MailKind): boolean {
  return ESSENTIAL.includes(kind);
}

/** `kept`: not sent, because there is no mail server or the environment is not production. */
export const MAIL_STATES = ['pending', 'sent', 'kept', 'failed'] as const;
export type MailState = (typeof MAIL_STATES)[number];
