import type { Schemas } from './client.ts';

export type MailState = Schemas['MailState'];
export type MailKind = Schemas['MailTemplate']['kind'];
export type MailLanguage = NonNullable<Schemas['MailSettings']['language']>;

/** The compiler notices here when the API gets another one. */
export const MAIL_STATE_NAMES: Readonly<Record<MailState, string>> = {
  sent: 'Sent',
  pending: 'Pending',
  failed: 'Failed',
  kept: 'Not sent',
};
const KIND_NAMES: Readonly<Record<MailKind, string>> = {
  confirm: 'Confirm',
  welcome: 'Welcome',
  'moved-up': 'Moved up',
  invite: 'Invite',
  'invite-reminder': 'Invite reminder',
  accepted: 'Accepted',
};
const LANGUAGE_NAMES: Readonly<Record<MailLanguage, string>> = {
  en: 'English',
  de: 'German',
  fr: 'French',
  es: 'Spanish',
  pt: 'Portuguese',
  ja: 'Japanese',
  zh: 'Chinese',
};

export const MAIL_STATES: readonly MailState[] = keysOf(MAIL_STATE_NAMES);
export const MAIL_KINDS: readonly MailKind[] = keysOf(KIND_NAMES);
export const MAIL_LANGUAGES: readonly MailLanguage[] = keysOf(LANGUAGE_NAMES);
export const LANGUAGE_OPTIONS: readonly { value: MailLanguage; label: string }[] = MAIL_LANGUAGES.map(
  (value) => ({ value, label: LANGUAGE_NAMES[value] }),
);

/** As operators know them. Other kinds, such as tests, speak for themselves. */
export function kindName(kind: string): string {
  if (Object.hasOwn(KIND_NAMES, kind)) return KIND_NAMES[kind as MailKind];
  return kind.slice(0, 1).toUpperCase() + kind.slice(1).replaceAll('-', ' ');
}

function keysOf<Key extends string>(names: Readonly<Record<Key, string>>): Key[] {
  return Object.keys(names) as Key[];
}
