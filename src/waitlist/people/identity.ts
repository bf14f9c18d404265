import { domainToASCII } from 'node:url';

export const EMAIL_MAX_CHARACTERS = 254;

/** What a person typed, and the form in which two spellings of the same address are equal. */
export interface Email {
  readonly shown: string;
  readonly key: string;
}

/** Controls, invisible marks, unassigned code points, every kind of space, and what delimits addresses in headers. */
const FORBIDDEN_IN_EMAIL = /[\p{C}\p{Z}"<>,]/u;
/** Delimits groups, comments and literals in a list of addresses: what parses one must not find another address in ours. */
const FORBIDDEN_BEFORE_AT = /[;:()[\]\\]/;
const ASCII_DOMAIN = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/;
const NON_ASCII = /[^\0-\x7f]/;

/** What nearly everybody has: nothing to trim, to normalize or to translate, so nothing to look for. */
const PLAIN_EMAIL = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){1,2}$/i;

/** undefined when it is not an email address. */
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
  // domainToASCII reads a URL's host: what would end one (/ ? # : %) must not get there.
  if (!NON_ASCII.test(domain) || /[^a-z0-9.\-\u0080-\u{10ffff}]/u.test(domain)) return undefined;
  const ascii = domainToASCII(domain);
  return ASCII_DOMAIN.test(ascii) ? ascii : undefined;
}

/** E.164, or undefined when it is not a phone number in international form. */
export function parsePhone(input: string): string | undefined {
  const phone = input.replace(/[ .\-()]/g, '');
  return /^\+[1-9][0-9]{6,14}$/.test(phone) ? phone : undefined;
}

/** A code of ours, or one of the system that people came from: those are of any kind. */
const REFERRAL_CODE = /^(?!\+)[!-~]{1,64}$/;

export type Identifier = { readonly kind: 'email' | 'phone' | 'referral'; readonly key: string };

/** What a `referredBy` can be; undefined when it cannot be any of them. */
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
