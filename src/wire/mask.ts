import type { Role } from '../db/tables.ts';
import type { PresentedEntry } from './entry.ts';

const GONE = '…';

/** How personal data looks to a role: viewers see enough to recognize a person they know, and no more. */
export interface Mask {
  readonly on: boolean;
  email<T extends string | null>(email: T): T;
  phone<T extends string | null>(phone: T): T;
  /** An email, or else a phone number. */
  identifier<T extends string | null>(identifier: T): T;
  entry<T extends Pick<PresentedEntry, 'email' | 'phone' | 'metadata' | 'referralCode' | 'referredBy'>>(
    entry: T,
  ): T;
  /** For what viewers do not see at all: codes, links, bodies. */
  secret<T>(value: T): T | null;
}

export function maskFor(role: Role): Mask {
  return role === 'viewer' ? MASKED : UNMASKED;
}

/** For commands, and for what only roles do that see everything. */
export const UNMASKED: Mask = {
  on: false,
  email: (email) => email,
  phone: (phone) => phone,
  identifier: (identifier) => identifier,
  entry: (entry) => entry,
  secret: (value) => value,
};

const MASKED: Mask = {
  on: true,
  email: (email) => masked(email, maskEmail),
  phone: (phone) => masked(phone, maskPhone),
  identifier: (identifier) => masked(identifier, maskIdentifier),
  entry: (entry) => ({
    ...entry,
    email: masked(entry.email, maskEmail),
    phone: masked(entry.phone, maskPhone),
    metadata: null,
    referralCode: null,
    referredBy: masked(entry.referredBy, maskIdentifier),
  }),
  secret: () => null,
};

function masked<T extends string | null>(text: T, mask: (text: string) => string): T {
  return (text === null ? null : mask(text)) as T;
}

function maskIdentifier(text: string): string {
  return text.includes('@') ? maskEmail(text) : maskPhone(text);
}

/** `a…@e….com` */
function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  const dot = domain.lastIndexOf('.');
  const ending = dot < 1 ? '' : domain.slice(dot);
  return `${firstOf(email.slice(0, at))}${GONE}@${firstOf(domain)}${GONE}${ending}`;
}

/** `+49…12` */
function maskPhone(phone: string): string {
  return phone.slice(0, 3) + GONE + phone.slice(-2);
}

/** A whole character, even outside the basic plane. */
function firstOf(text: string): string {
  return [...text][0] ?? '';
}
