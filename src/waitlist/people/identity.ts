import { domainToASCII } from 'node:url';

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
  const shown = input.trim().normalize('NFC');
  if (shown.length > EMAIL_MAX_CHARACTERS && [...shown].length > EMAIL_MAX_CHARACTERS) return undefined;
  const at = shown.indexOf('@');
  if (at < 1 || at !== shown.lastIndexOf('@') || FORBIDDEN_IN_EMAIL.test(shown)) return undefined;
  if (FORBIDDEN_BEFORE_AT.test(shown.slice(0, at))) return undefined;
  const domain = asciiDomain(shown.slice(at + 1).toLowerCase());
  if (domain === undefined) return undefined;
  return { shown, key: `${shown.slice(0, at).toLowerCase().normalize('NFC')}@${domain}` };
}

function asciiDomain(domain: string): string | undefined {
  if (ASCII_DOMAIN.test(domain)) return domain;
  // domainToASCII reads a URL's host, so characters that would end the host (/ ? # : %) must not reach it.
  if (!NON_ASCII.test(domain) || /[^a-z0-9.\-\u0080-\u{10ffff}]/u.test(domain)) return undefined;
  const ascii = domainToASCII(domain);
  return ASCII_DOMAIN.test(ascii) ? ascii : undefined;
}

/** Returns E.164, or undefined if it is not a phone number in international format. */
export function parsePhone(input: string): string | undefined {
  const phone = input.replace(/[ .\-()]/g, '');
  return /^\+[1-9][0-9]{6,14}$/.test(phone) ? phone : undefined;
}

/** One of our codes, or one from the previous system, which can look like anything. */
const REFERRAL_CODE = /^(?!\+)[!-~]{1,64}$/;

export type Identifier = { readonly kind: 'email' | 'phone' | 'referral'; readonly key: string };

/** Returns undefined if the text is no possible `referredBy`. */
export function parseReferrer(input: string): Identifier | undefined {
  if (input.includes('@')) {
    const email = parseEmail(input);
    return email && { kind: 'email', key: email.key };
  }
  const phone = parsePhone(input);
  if (phone) return { kind: 'phone', key: phone };
  const code = input.trim();
  return REFERRAL_CODE.test(code) ? { kind: 'referral', key: code } : undefined;
}
