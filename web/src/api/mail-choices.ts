import { all } from './choices.ts';
import type { Schemas } from './client.ts';

export type MailState = Schemas['MailState'];
/** Those that can be turned off. */
export type OptionalKind = Schemas['MailSettings']['kinds'][number];
export type MailKind = Schemas['MailTemplate']['kind'];
export type MailLanguage = NonNullable<Schemas['MailSettings']['language']>;

export const MAIL_STATES = all<MailState>({ sent: 0, pending: 0, failed: 0, kept: 0 });
export const MAIL_KINDS = all<MailKind>({
  confirm: 0,
  welcome: 0,
  'moved-up': 0,
  invite: 0,
  'invite-reminder': 0,
  accepted: 0,
  declined: 0,
  'data-download': 0,
  'data-deletion': 0,
});
export const MAIL_LANGUAGES = all<MailLanguage>({ en: 0, de: 0, fr: 0, es: 0, pt: 0, ja: 0, zh: 0 });
