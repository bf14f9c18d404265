import { Problems } from '../../lib/errors.ts';
import { isLine } from '../../lib/text.ts';
import { CAPTCHA_PROVIDERS, FIELD_TYPES, type FormField, type FormSettings } from './form.ts';

export const ORIGINS_MAX = 50;
export const FIELDS_MAX = 20;
export const OPTIONS_MAX = 100;
export const LABEL_CHARACTERS_MAX = 200;
export const LINE_CHARACTERS_MAX = 200;
export const BUTTON_CHARACTERS_MAX = 60;
export const TEXT_CHARACTERS_MAX = 2_000;
export const VERSION_CHARACTERS_MAX = 40;
export const URL_CHARACTERS_MAX = 1_000;
/** A host has at most 253 characters. */
export const ORIGIN_CHARACTERS_MAX = 300;
export const CAPTCHA_KEY_CHARACTERS_MAX = 200;

const FIELD_NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;
/** A name as browsers write it in ASCII, or an address. They would also parse `*.example.com`, but never send it. */
const HOST = /^([a-z0-9_-]+(\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])$/;
const URL_RULE = 'must be an http or https URL without a user name or password';
/** What the form itself sends or stores. */
const RESERVED = [
  'email',
  'phone',
  'ref',
  'token',
  'proof',
  'captcha',
  'consent',
  'website',
  'include',
  'lang',
  'suggestedFor',
  'correctedEmail',
];

export function checkFormSettings(settings: FormSettings): void {
  const problems = new Problems();
  const { allowedOrigins, fields, consent, headline, text, buttonText, captcha } = settings;
  const { redirectUrl, acceptedUrl, shareImageUrl } = settings;
  if (allowedOrigins.length > ORIGINS_MAX)
    problems.add('allowedOrigins', `must have at most ${ORIGINS_MAX} elements`);
  for (const [index, origin] of allowedOrigins.entries()) {
    if (!isOrigin(origin))
      problems.add(
        `allowedOrigins[${index}]`,
        'must be an origin such as https://example.com, without wildcards',
      );
  }
  checkFields(fields, problems);
  if (consent && (consent.text.trim() === '' || consent.text.length > TEXT_CHARACTERS_MAX))
    problems.add('consent.text', `must be 1 to ${TEXT_CHARACTERS_MAX} characters`);
  if (consent && (!isLine(consent.version, VERSION_CHARACTERS_MAX) || consent.version.trim() === ''))
    problems.add('consent.version', `must be 1 to ${VERSION_CHARACTERS_MAX} characters`);
  if (redirectUrl !== null && !isUrl(redirectUrl)) problems.add('redirectUrl', URL_RULE);
  if (acceptedUrl !== null && !isUrl(acceptedUrl)) problems.add('acceptedUrl', URL_RULE);
  if (shareImageUrl !== null && !(isUrl(shareImageUrl) && shareImageUrl.startsWith('https:')))
    problems.add('shareImageUrl', 'must be an https URL without a user name or password');
  if (headline !== null && !isLine(headline, LINE_CHARACTERS_MAX))
    problems.add('headline', `must be one line of at most ${LINE_CHARACTERS_MAX} characters`);
  if (buttonText !== null && !isLine(buttonText, BUTTON_CHARACTERS_MAX))
    problems.add('buttonText', `must be one line of at most ${BUTTON_CHARACTERS_MAX} characters`);
  if (text !== null && text.length > TEXT_CHARACTERS_MAX)
    problems.add('text', `must have at most ${TEXT_CHARACTERS_MAX} characters`);
  if (captcha && !CAPTCHA_PROVIDERS.includes(captcha.provider))
    problems.add('captcha.provider', `must be one of ${CAPTCHA_PROVIDERS.join(', ')}`);
  if (captcha && !/^[\w.-]{1,200}$/.test(captcha.siteKey))
    problems.add('captcha.siteKey', 'must be the site key that the provider shows');
  problems.throwIfAny();
}

function checkFields(fields: readonly FormField[], problems: Problems): void {
  if (fields.length > FIELDS_MAX) problems.add('fields', `must have at most ${FIELDS_MAX} elements`);
  const names = new Set<string>();
  for (const [index, { name, label, type, options }] of fields.entries()) {
    const path = `fields[${index}]`;
    if (!FIELD_NAME.test(name) || RESERVED.includes(name) || name.startsWith('utm_'))
      problems.add(
        `${path}.name`,
        'must start with a letter, have only letters, digits, _ and -, and not be a name that the form uses itself',
      );
    if (names.has(name)) problems.add(`${path}.name`, `${name} is used twice`);
    names.add(name);
    if (label.trim() === '' || !isLine(label, LABEL_CHARACTERS_MAX))
      problems.add(`${path}.label`, `must be one line of 1 to ${LABEL_CHARACTERS_MAX} characters`);
    if (!FIELD_TYPES.includes(type)) problems.add(`${path}.type`, `must be one of ${FIELD_TYPES.join(', ')}`);
    if (type !== 'choice') {
      if (options !== undefined) problems.add(`${path}.options`, 'only a choice has options');
      continue;
    }
    const list = options ?? [];
    if (list.length === 0 || list.length > OPTIONS_MAX)
      problems.add(`${path}.options`, `must have 1 to ${OPTIONS_MAX} elements`);
    if (
      new Set(list).size !== list.length ||
      list.some((each) => each.trim() === '' || !isLine(each, LABEL_CHARACTERS_MAX))
    )
      problems.add(`${path}.options`, `must be different lines of 1 to ${LABEL_CHARACTERS_MAX} characters`);
  }
}

function isUrl(text: string): boolean {
  if (text.length > URL_CHARACTERS_MAX || !/^https?:\/\/[^\s\p{Cc}]+$/u.test(text) || !URL.canParse(text))
    return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** As a browser sends it. Plain http only for development on the same machine. */
export function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  if (!HOST.test(hostname)) return false;
  const local = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
  return origin === text && (protocol === 'https:' || (protocol === 'http:' && local));
}
