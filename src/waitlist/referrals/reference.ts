import type { Identifier } from '../people/identity.ts';
import type { Queue } from '../queue/directory.ts';
import { referralCodesOf } from './referral-code.ts';

/**
 * How an entry is pointed at: by the hash of its email or phone, by its sequence, or by a referral code. A code means
 * the sequence that it has in it if it is one of ours, or else whom it led to in another system.
 */
export type Reference =
  | { readonly email: Buffer }
  | { readonly phone: Buffer }
  | { readonly seq: number }
  | CodeReference;

export interface CodeReference {
  readonly code: string;
  readonly ownSeq: number | undefined;
}

export function referenceTo(queue: Queue, { kind, key }: Identifier): Reference {
  if (kind === 'email') return { email: queue.vault.hash('email', key) };
  if (kind === 'phone') return { phone: queue.vault.hash('phone', key) };
  return { code: key, ownSeq: ownSeqOf(queue, key) };
}

/** The sequence that a code means if it is one of this queue, in whatever case it was typed. */
export function ownSeqOf(queue: Queue, code: string): number | undefined {
  return referralCodesOf(queue).seqOf(code.toLowerCase());
}
