/** The mails to people that a waitlist turns on and off. */
export const OPTIONAL_KINDS = [
  'confirm',
  'welcome',
  'moved-up',
  'invite',
  'invite-reminder',
  'accepted',
  'declined',
] as const;
export type OptionalKind = (typeof OPTIONAL_KINDS)[number];

/** People have a right to these, so they are always on. */
const ALWAYS_ON = ['data-download', 'data-deletion'] as const;

/** All mails that a person on a waitlist can get. */
export const MAIL_KINDS = [...OPTIONAL_KINDS, ...ALWAYS_ON] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

export function isOptional(kind: string): kind is OptionalKind {
  return (OPTIONAL_KINDS as readonly string[]).includes(kind);
}

/** `turnedOn`: those that the waitlist has on. */
export function isOn(kind: MailKind, turnedOn: readonly string[]): boolean {
  return !isOptional(kind) || turnedOn.includes(kind);
}

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
  declined: {
    name: 'Declined',
    description: 'Sent when a person is declined, if whoever declines them asks for it.',
  },
  'data-download': {
    name: 'Download my data',
    description: 'Sent when a person asks for their data on their status page.',
  },
  'data-deletion': {
    name: 'Delete my data',
    description: 'Sent when a person asks on their status page to be deleted.',
  },
};

/** People cannot continue without these: sent even after unsubscribing, without a List-Unsubscribe header. */
const ESSENTIAL: readonly MailKind[] = ['confirm', 'invite', ...ALWAYS_ON];

/** They answer what a person has just done, so they are sent first, and during a pause of other emails too. */
const AWAITED: readonly MailKind[] = ['confirm', 'welcome', 'accepted', ...ALWAYS_ON];

export function isAwaited(kind: MailKind): boolean {
  return AWAITED.includes(kind);
}

export function isMailKind(text: string): text is MailKind {
  return (MAIL_KINDS as readonly string[]).includes(text);
}

export function isEssential(kind: MailKind): boolean {
  return ESSENTIAL.includes(kind);
}

/** Whoever types an address causes it: nothing in it but what its owner asked for, and the link. */
export function isByAnyone(kind: MailKind): boolean {
  return kind === 'confirm' || !isOptional(kind);
}

/** `kept`: not sent, because there is no mail server or the environment is not production. */
export const MAIL_STATES = ['pending', 'sent', 'kept', 'failed'] as const;
export type MailState = (typeof MAIL_STATES)[number];
