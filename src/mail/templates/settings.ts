import { LANGUAGES, type Language, textsIn } from '../../languages/languages.ts';
import { isAsciiAddress } from '../../lib/email.ts';
import { Problems } from '../../lib/errors.ts';
import type { MailKind } from './kinds.ts';

/** The look and the links of a waitlist's mails. null for the default. */
export interface MailSettings {
  from: string | null;
  /** null for the waitlist's name. */
  fromName: string | null;
  replyTo: string | null;
  /** Contains `{code}`. null for our own join page. */
  joinUrl: string | null;
  /** Contains `{token}`. null for our own confirm page. */
  confirmUrl: string | null;
  /** Contains `{referralCode}`. null for our own form, if it is on. */
  referralUrl: string | null;
  colour: string | null;
  /** An https URL, or the path of an uploaded picture. */
  logoUrl: string | null;
  /** Shown below every mail: the sender's name and postal address. */
  footer: string | null;
  /** Of mails to people whose language is not known, and of the operators' own templates. null for English. */
  language: Language | null;
}

export const NO_SETTINGS: MailSettings = {
  from: null,
  fromName: null,
  replyTo: null,
  joinUrl: null,
  confirmUrl: null,
  referralUrl: null,
  colour: null,
  logoUrl: null,
  footer: null,
  language: null,
};

export const DEFAULT_COLOUR = '#0f766e';
const NAME_CHARACTERS_MAX = 100;
const FOOTER_CHARACTERS_MAX = 1_000;
export const URL_CHARACTERS_MAX = 1_000;

export function checkMailSettings(settings: MailSettings): void {
  const problems = new Problems();
  const { from, fromName, replyTo, joinUrl, confirmUrl, referralUrl, colour, logoUrl, footer, language } =
    settings;
  if (from !== null && !isAsciiAddress(from)) problems.add('from', 'must be an email address in ASCII');
  if (replyTo !== null && !isAsciiAddress(replyTo))
    problems.add('replyTo', 'must be an email address in ASCII');
  if (fromName !== null && (fromName.length > NAME_CHARACTERS_MAX || /\p{Cc}/u.test(fromName)))
    problems.add('fromName', `must be one line of at most ${NAME_CHARACTERS_MAX} characters`);
  if (joinUrl !== null && !isPattern(joinUrl, '{code}'))
    problems.add('joinUrl', 'must be an http or https URL with {code} in it');
  if (confirmUrl !== null && !isPattern(confirmUrl, '{token}'))
    problems.add('confirmUrl', 'must be an http or https URL with {token} in it');
  if (referralUrl !== null && !isPattern(referralUrl, '{referralCode}'))
    problems.add('referralUrl', 'must be an http or https URL with {referralCode} in it');
  if (colour !== null && !/^#[0-9a-f]{6}$/i.test(colour)) problems.add('colour', 'must look like #0f766e');
  if (logoUrl !== null && !logoUrl.startsWith('/') && !(isUrl(logoUrl) && logoUrl.startsWith('https://')))
    problems.add('logoUrl', 'must be an https URL');
  if (footer !== null && footer.length > FOOTER_CHARACTERS_MAX)
    problems.add('footer', `is longer than ${FOOTER_CHARACTERS_MAX} characters`);
  if (language !== null && !LANGUAGES.includes(language))
    problems.add('language', `must be one of ${LANGUAGES.join(', ')}`);
  problems.throwIfAny();
}

function isUrl(text: string): boolean {
  return (
    text.length <= URL_CHARACTERS_MAX &&
    /^https?:\/\/[^\s"'<>\\]+$/.test(text) &&
    URL.canParse(text.replace(/[{}]/g, ''))
  );
}

/** The placeholder must come after the host: a code must not decide where it is sent. */
function isPattern(text: string, place: string): boolean {
  return isUrl(text) && /^https?:\/\/[^/?#{}]+[/?#]/.test(text) && text.includes(place);
}

export interface MailTemplate {
  subject: string;
  /** Markdown. A link on its own line becomes a button. */
  body: string;
}

/**
 * These contain nothing that a stranger typed into a form, so that signups cannot be used to send text to
 * others.
 */
export function defaultTemplate(kind: MailKind, language: Language): MailTemplate {
  return textsIn(language).mail.templates[kind];
}
