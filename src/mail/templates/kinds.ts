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

/** For operators. */
export const KIND_TEXTS: Readonly<Record<MailKind, { name: string; description: string }>> = {
  confirm: {
    name: 'Confirm email',
    description: 'Sent after signup if the waitlist asks people to confirm their email.',
  },
  welcome: { name: 'Welcome', description: 'Sent when a person is on the waitlist.' },
  'moved-up': { name: 'Moved up', description: 'Sent when a person moves up because of a referral.' },
  invite: { name: 'Invite', description: 'Sent when a person is invited.' },
  'invite-reminder': { name: 'Invite reminder', description: 'Sent before an invite expires.' },
  accepted: { name: 'Invite accepted', description: 'Sent when a person has accepted their invite.' },
};

/** People cannot continue without these: sent even after unsubscribing, without a List-Unsubscribe header. */
const ESSENTIAL: readonly MailKind[] = ['confirm', 'invite'];

/** They answer what a person has just done, so they are sent first, and during a pause of other emails too. */
const AWAITED: readonly MailKind[] = ['confirm', 'welcome', 'accepted'];

export function isAwaited(kind: MailKind): boolean {
  return AWAITED.includes(kind);
}

export function isMailKind(text: string): text is MailKind {
  return (MAIL_KINDS as readonly string[]).includes(text);
}

export function isEssential(kind: MailKind): boolean {
  return ESSENTIAL.includes(kind);
}

/** `kept`: not sent, because there is no mail server or the environment is not production. */
export const MAIL_STATES = ['pending', 'sent', 'kept', 'failed'] as const;
export type MailState = (typeof MAIL_STATES)[number];
