import { requireEmail } from '../../lib/email.ts';
import type { Id } from '../../lib/ids.ts';
import type { Queue } from '../queue/queue.ts';
import type { InviteRow } from './invites.ts';

/** What a request says about itself. */
export interface Claim {
  /** If given, it must be that of the invited email. */
  emailHash?: Buffer | undefined;
  /** Of the idempotency key. */
  keyHash: Buffer | null;
  /** For how long the key gets the first answer again. For good unless given. */
  repeatableMs?: number | undefined;
}

export interface Acceptance {
  email: string;
  waitlist: { id: string; name: string };
  acceptedAt: number;
  /** Of the invited person. null if they are not on the waitlist. */
  entryId: Id<'ent'> | null;
}

export function hashClaimedEmail({ vault }: Queue, email: string): Buffer {
  return vault.hash('email', requireEmail(email).key);
}

export function hashIdempotencyKey({ vault }: Queue, key: string | undefined): Buffer | null {
  return key === undefined ? null : vault.hash('idempotency', key);
}

export function wasRedeemedBy(
  { accept_key_hash, accepted_at }: InviteRow,
  { keyHash, repeatableMs = Number.POSITIVE_INFINITY }: Claim,
  now: number,
): boolean {
  if (keyHash === null || accept_key_hash === null || accepted_at === null) return false;
  return keyHash.equals(accept_key_hash) && now - accepted_at <= repeatableMs;
}

/** As it was then: the waitlist may have been renamed since. */
export function openAcceptance({ vault }: Queue, row: InviteRow): Acceptance | undefined {
  if (!row.accept_answer) return undefined;
  return vault.open<Acceptance>('invite.accept_answer', row.id, row.accept_answer);
}
