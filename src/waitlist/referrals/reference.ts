import type { Identifier } from '../people/identity.ts';
import type { Queue } from '../queue/queue.ts';
import { referralCodesOf } from './referral-code.ts';
import { readVisitCode, type VisitLink } from './visit-code.ts';

/**
 * Refers to an entry by the hash of its email or phone, by its joining sequence, or by a referral code. Our
 * own codes contain the sequence; codes from another system are looked up.
 */
export type Reference =
  | { readonly email: Buffer }
  | { readonly phone: Buffer }
  | { readonly seq: number }
  | CodeReference;

export interface CodeReference {
  readonly code: string;
  readonly ownSeq: number | undefined;
  /** If the form showed it to somebody who typed an address. */
  readonly visit?: VisitLink | undefined;
}

export function referenceTo(queue: Queue, { kind, key }: Identifier): Reference {
  if (kind === 'email') return { email: queue.vault.hash('email', key) };
  if (kind === 'phone') return { phone: queue.vault.hash('phone', key) };
  return codeReference(queue, key);
}

function codeReference(queue: Queue, code: string): CodeReference {
  const lower = code.toLowerCase();
  const visit = readVisitCode(queue, lower);
  return { code, ownSeq: visit?.seq ?? referralCodesOf(queue).seqOf(lower), visit };
}

/** Returns the sequence if the code belongs to this queue, ignoring case. */
export function ownSeqOf(queue: Queue, code: string): number | undefined {
  return codeReference(queue, code).ownSeq;
}
