import { EMAIL_MAX_CHARACTERS, parseEmail } from '../../lib/email.ts';
import { bytesKey } from '../../lib/ids.ts';
import { unitsFor } from '../../lib/text.ts';
import type { QueueVault } from '../../vault/vault.ts';

/** As typed, with spaces and marks between the digits. */
export const PHONE_CHARACTERS_MAX = 64;

/** Returns E.164, or undefined if it is not a phone number in international format. */
export function parsePhone(input: string): string | undefined {
  if (input.length > PHONE_CHARACTERS_MAX) return undefined;
  const phone = input.replace(/[ .\-()]/g, '');
  return /^\+[1-9][0-9]{6,14}$/.test(phone) ? phone : undefined;
}

export const PHONE_PROBLEM = 'not a phone number in international form, such as +14155550123';

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

const GMAIL = new Set(['gmail.com', 'googlemail.com']);

/**
 * The address, in normal form, of the mailbox that a normal address delivers to, as far as its spelling tells. Almost every
 * provider with tags separates them with a plus sign, and where it is part of the name, hardly two people differ only in
 * what follows it. Dots are different: only Gmail is known to ignore them.
 */
export function mailboxOf(key: string): string {
  const at = key.lastIndexOf('@');
  const domain = key.slice(at + 1);
  const isGmail = GMAIL.has(domain);
  const plus = key.indexOf('+');
  const name = key.slice(0, plus > 0 && plus < at ? plus : at);
  if (!isGmail) return name.length === at ? key : `${name}@${domain}`;
  return `${name.replaceAll('.', '') || name}@gmail.com`;
}

/** Hashed as an address, so that it can be compared with both. null if the address itself is that of the mailbox. */
export function mailboxHash(vault: QueueVault, key: string): Buffer | null {
  const mailbox = mailboxOf(key);
  return mailbox === key ? null : vault.hash('email', mailbox);
}

/** Names the mailbox of an entry as the key of a map. */
export function mailboxKey({
  email_hash,
  mailbox_hash,
}: {
  email_hash: Uint8Array | null;
  mailbox_hash: Uint8Array | null;
}): string | null {
  const hash = mailbox_hash ?? email_hash;
  return hash && bytesKey(hash);
}
