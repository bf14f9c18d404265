import { MAIL_LANGUAGES, type MailLanguage, type MailState } from '../../api/mail-choices.ts';

export const MAIL_STATE_NAMES: Readonly<Record<MailState, string>> = {
  sent: 'Sent',
  pending: 'Pending',
  failed: 'Failed',
  kept: 'Not sent',
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

export const LANGUAGE_OPTIONS: readonly { value: MailLanguage; label: string }[] = MAIL_LANGUAGES.map(
  (value) => ({ value, label: LANGUAGE_NAMES[value] }),
);

export function languageName(language: MailLanguage): string {
  return LANGUAGE_NAMES[language];
}

/** As operators know them. */
export function kindName(kind: string): string {
  return kind.slice(0, 1).toUpperCase() + kind.slice(1).replaceAll('-', ' ');
}
