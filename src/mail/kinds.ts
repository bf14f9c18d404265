/** Everything that a person on a waitlist can get by mail. */
export const MAIL_KINDS = [
  'confirm',
  'welcome',
  'moved-up',
  'invite',
  'invite-reminder',
  'accepted',
] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** Without these somebody could not go on: they carry no way to unsubscribe, and having unsubscribed does not stop them. */
const ESSENTIAL: readonly MailKind[] = ['confirm', 'invite'];

export function isMailKind(text: string): text is MailKind {
  return (MAIL_KINDS as readonly string[]).includes(text);
}

export function isEssential(kind: MailKind): boolean {
  return ESSENTIAL.includes(kind);
}

/** `kept`: not sent, because there is no mail server or the queue is not of production. */
export const MAIL_STATES = ['pending', 'sent', 'kept', 'failed'] as const;
export type MailState = (typeof MAIL_STATES)[number];
