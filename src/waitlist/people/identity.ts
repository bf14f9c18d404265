import { EMAIL_MAX_CHARACTERS, parseEmail } from '../../lib/email.ts';
import { unitsFor } from '../../lib/text.ts';

/** As typed, with spaces and marks between the digits. */
export const PHONE_CHARACTERS_MAX = 64;

/** Returns E.164, or undefined if it is not a phone number in international format. */
export function parsePhone(input: string): string | undefined {
  if (input.length > PHONE_CHARACTERS_MAX) return undefined;
  const phone = input.replace(/[ .\-()]/g, '');
  return /^\+[1-9][0-9]{6,14}$/.test(phone) ? phone : undefined;
}

/** One of our codes, or one from the previous system, which can look like anything. */
const REFERRAL_CODE = /^(?!\+)[!-~]{1,64}$/;

/** Of an email, a phone number or a code, whichever can be longest. */
export const REFERRER_CHARACTERS_MAX = unitsFor(EMAIL_MAX_CHARACTERS);

export type Identifier = { readonly kind: 'email' | 'phone' | 'referral'; readonly key: string };

/** Returns undefined if the text is no possible `referredBy`. */
export function parseReferrer(input: string): Identifier | undefined {
  if (input.includes('@')) {
    const email = parseEmail(input);
    return email && { kind: 'email', key: email.key };
  }
  const phone = parsePhone(input);
  if (phone) return { kind: 'phone', key: phone };
  const code = input.length > REFERRER_CHARACTERS_MAX ? '' : input.trim();
  return REFERRAL_CODE.test(code) ? { kind: 'referral', key: code } : undefined;
}
