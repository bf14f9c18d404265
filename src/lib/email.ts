import { domainToASCII } from 'node:url';
import { invalid } from './errors.ts';
import { isTooLong, readText } from './text.ts';

export const EMAIL_MAX_CHARACTERS = 254;

/** An address as typed, and a normal form in which different spellings of it are equal. */
export interface Email {
  readonly shown: string;
  readonly key: string;
}

/** Control characters, invisible marks, unassigned code points, all kinds of space, and header delimiters. */
const FORBIDDEN_IN_EMAIL = /[\p{C}\p{Z}"<>,]/u;
/**
 * These delimit groups, comments and literals in address lists. A parser must not find another address in
 * ours.
 */
const FORBIDDEN_BEFORE_AT = /[;:()[\]\\]/;
const ASCII_DOMAIN = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/;
const NON_ASCII = /[^\0-\x7f]/;

/** The common case: nothing to trim, normalize or translate. */
const PLAIN_EMAIL = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){1,2}$/i;

/** Returns undefined if it is not an email address. */
export function parseEmail(input: string): Email | undefined {
  if (input.length <= EMAIL_MAX_CHARACTERS && PLAIN_EMAIL.test(input))
    return { shown: input, key: input.toLowerCase() };
  const shown = readText(input, EMAIL_MAX_CHARACTERS);
  if (shown === undefined) return undefined;
  const at = shown.indexOf('@');
  if (at < 1 || at !== shown.lastIndexOf('@') || FORBIDDEN_IN_EMAIL.test(shown)) return undefined;
  if (FORBIDDEN_BEFORE_AT.test(shown.slice(0, at))) return undefined;
  const domain = asciiDomain(shown.slice(at + 1).toLowerCase());
  if (domain === undefined) return undefined;
  const local = readText(shown.slice(0, at).toLowerCase(), 2 * EMAIL_MAX_CHARACTERS); // A letter can become two.
  return local === undefined ? undefined : { shown, key: `${local}@${domain}` };
}

/** Of a normal form. */
export function domainOf(key: string): string {
  return key.slice(key.lastIndexOf('@') + 1);
}

/** What is wrong with a text that `parseEmail` refuses. */
export function emailProblem(input: string): string {
  return isTooLong(input, EMAIL_MAX_CHARACTERS)
    ? `must have at most ${EMAIL_MAX_CHARACTERS} characters`
    : 'not an email address';
}

/** Throws if it is not an email address. */
export function requireEmail(text: string, field = 'email'): Email {
  const email = parseEmail(text);
  if (!email) throw invalid(`${field}: ${emailProblem(text)}`);
  return email;
}

function asciiDomain(domain: string): string | undefined {
  if (ASCII_DOMAIN.test(domain)) return domain;
  // domainToASCII reads a URL's host, so characters that would end the host (/ ? # : %) must not reach it.
  if (!NON_ASCII.test(domain) || /[^a-z0-9.\-\u0080-\u{10ffff}]/u.test(domain)) return undefined;
  const ascii = domainToASCII(domain);
  return ASCII_DOMAIN.test(ascii) ? ascii : undefined;
}

/** Sender addresses go into headers of servers that may support only ASCII. */
export function isAsciiAddress(text: string): boolean {
  return parseEmail(text) !== undefined && /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9.-]+$/i.test(text);
}

const LOCAL_PART_MAX = 64;
/** Of what makes the bounce address of one email: `+` and a token. */
export const BOUNCE_TOKEN_CHARACTERS = 48;
const BOUNCE_LOCAL_MAX = LOCAL_PART_MAX - BOUNCE_TOKEN_CHARACTERS - 1;

/** What is wrong with an address to which tokens are added after a `+`, or undefined. */
export function bounceAddressProblem(address: string): string | undefined {
  if (!isAsciiAddress(address)) return 'must be an email address in ASCII';
  const local = address.slice(0, address.indexOf('@'));
  if (local.includes('+')) return 'must not contain a +, which separates the part that names the email';
  return local.length > BOUNCE_LOCAL_MAX
    ? `must have at most ${BOUNCE_LOCAL_MAX} characters before the @`
    : undefined;
}
