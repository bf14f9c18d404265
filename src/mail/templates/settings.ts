import { LANGUAGES, type Language, textsIn } from '../../languages/languages.ts';
import { EMAIL_MAX_CHARACTERS, isAsciiAddress } from '../../lib/email.ts';
import {
  type ColumnSetting,
  limits,
  setting,
  textOrNull,
  type ValuesOf,
  withDefaults,
} from '../../lib/setting.ts';
import { INVITE_REMINDER } from '../../waitlist/queue/waitlist-settings.ts';
import { isOptional, type MailKind, OPTIONAL_KINDS, type OptionalKind } from './kinds.ts';

export const DEFAULT_COLOUR = '#0f766e';
const URL_CHARACTERS_MAX = 1_000;
const NAME_CHARACTERS_MAX = 100;
const FOOTER_CHARACTERS_MAX = 1_000;

const kinds: ColumnSetting<OptionalKind[], 'mail_kinds', string> = {
  column: 'mail_kinds',
  default: ['confirm', 'invite'],
  schema: {
    type: 'array',
    items: { type: 'string', enum: OPTIONAL_KINDS, description: 'A kind of email.' },
    ...limits({ maxItems: OPTIONAL_KINDS.length }),
    description:
      'Kinds of emails that are sent. Those that people ask for to get or delete their data always are.',
  },
  check: (given, tell) => {
    const unknown = given.find((kind) => !isOptional(kind));
    if (unknown) tell(`unknown kind ${unknown}: must be one of ${OPTIONAL_KINDS.join(', ')}`);
  },
  write: (given) => [...new Set(given)].join(','),
  read: (stored) => stored.split(',').filter(isOptional),
};

/** Which emails a waitlist sends. Queues go by these, so they have columns. */
export const SENDING_SETTINGS = { kinds, inviteReminderMs: INVITE_REMINDER };

/** The look and the links of a waitlist's emails, in the order of the reference. null for the default. */
export const MAIL_SETTINGS = {
  from: address("Sender address. `null`: the installation's."),
  fromName: textOrNull(
    'Sender name. `null`: the name of the waitlist.',
    { maxLength: NAME_CHARACTERS_MAX },
    (name) =>
      (name.length > NAME_CHARACTERS_MAX || /\p{Cc}/u.test(name)) &&
      `must be one line of at most ${NAME_CHARACTERS_MAX} characters`,
  ),
  replyTo: address('Address for replies. `null`: the sender.'),
  joinUrl: linkWith('{code}', 'Your page for invites, with `{code}` in the URL. `null`: the built-in page.'),
  confirmUrl: linkWith(
    '{token}',
    'Your page to confirm an email, with `{token}` in the URL. `null`: the built-in page.',
  ),
  referralUrl: linkWith(
    '{referralCode}',
    'Link that people share, with `{referralCode}` in the URL. `null`: the hosted page, if the form is on.',
  ),
  colour: textOrNull(
    'Color of buttons and links, such as `#0f766e`. `null`: the default.',
    { maxLength: 7 },
    (colour) => !/^#[0-9a-f]{6}$/i.test(colour) && 'must look like #0f766e',
  ),
  /** Of an uploaded picture, its path is stored. */
  logoUrl: textOrNull(
    'Image for the header: an https URL, or the address of a logo that you uploaded. `null`: the name of the waitlist.',
    { maxLength: URL_CHARACTERS_MAX },
    (url) => !url.startsWith('/') && !(isUrl(url) && url.startsWith('https://')) && 'must be an https URL',
  ),
  footer: textOrNull(
    'Text below every email. `null`: none.',
    { maxLength: FOOTER_CHARACTERS_MAX },
    (footer) => footer.length > FOOTER_CHARACTERS_MAX && `is longer than ${FOOTER_CHARACTERS_MAX} characters`,
  ),
  language: setting<Language | null>({
    default: null,
    schema: {
      type: ['string', 'null'],
      enum: [...LANGUAGES, null],
      description: 'Language for people whose own is not known, and of your templates. `null`: English.',
    },
    check: (language, tell) => {
      if (language !== null && !LANGUAGES.includes(language)) tell(`must be one of ${LANGUAGES.join(', ')}`);
    },
  }),
};

export type MailSettings = ValuesOf<typeof MAIL_SETTINGS>;

export const NO_SETTINGS: MailSettings = withDefaults(MAIL_SETTINGS);

function address(description: string) {
  const bounds = { format: 'email', maxLength: EMAIL_MAX_CHARACTERS };
  return textOrNull(
    description,
    bounds,
    (value) => !isAsciiAddress(value) && 'must be an email address in ASCII',
  );
}

function linkWith(place: string, description: string) {
  return textOrNull(
    description,
    { maxLength: URL_CHARACTERS_MAX },
    (url) => !isPattern(url, place) && `must be an http or https URL with ${place} in it`,
  );
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
