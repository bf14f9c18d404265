import { isIP } from 'node:net';
import type { Trx } from '../db/database.ts';
import { sharedNow } from '../db/shared-clock.ts';
import { DoorlistError } from '../lib/errors.ts';
import { randomBytes } from '../lib/ids.ts';
import type { OperatorContext } from './context.ts';

/** Long enough to find a device and to touch it. */
export const CHALLENGE_MS = 5 * 60_000;
const NONCE_BYTES = 32;

/** What a passkey must sign, and what the browser keeps until then. */
export interface Challenge {
  challenge: string;
  /** For a cookie. The challenge is good only in the browser that has it. */
  kept: string;
}

/**
 * The challenge is a keyed hash of what the browser keeps, so nothing is stored for those who only ask.
 * `purpose` says what it is good for, and for whom.
 */
export async function newChallenge(context: OperatorContext, purpose: string): Promise<Challenge> {
  const expiresAt = (await sharedNow(context)) + CHALLENGE_MS;
  const kept = `${randomBytes(NONCE_BYTES).toString('base64url')}.${expiresAt}`;
  return { challenge: challengeOf(context, purpose, kept), kept };
}

/** Returns undefined if it has expired. */
export async function expectedChallenge(
  context: OperatorContext,
  purpose: string,
  kept: string | undefined,
): Promise<string | undefined> {
  if (kept === undefined || !(expiryOf(kept) > (await sharedNow(context)))) return undefined;
  return challengeOf(context, purpose, kept);
}

/** Returns false if it was used before. The caller holds the lock of the audit trail. */
export async function useChallenge(trx: Trx, kept: string, challenge: string, now: number): Promise<boolean> {
  await trx.deleteFrom('used_challenge').where('expires_at', '<=', now).execute();
  const challenge_hash = Buffer.from(challenge, 'base64url');
  const used = await trx
    .selectFrom('used_challenge')
    .select('expires_at')
    .where('challenge_hash', '=', challenge_hash)
    .executeTakeFirst();
  if (used || !(expiryOf(kept) > now)) return false;
  await trx
    .insertInto('used_challenge')
    .values({ challenge_hash, expires_at: expiryOf(kept) })
    .execute();
  return true;
}

function challengeOf({ vault }: OperatorContext, purpose: string, kept: string): string {
  return vault.hash('challenge', `${purpose} ${kept}`).toString('base64url');
}

function expiryOf(kept: string): number {
  const [, time = ''] = kept.split('.');
  return /^[0-9]{1,15}$/.test(time) ? Number(time) : Number.NaN;
}

/** Where a passkey works. */
export interface Site {
  /** The relying party id: the host name. */
  id: string;
  origin: string;
}

/** Browsers offer passkeys only on a name, and only over HTTPS or on localhost. */
export function siteOf(publicUrl: string): Site {
  const { protocol, hostname, origin } = new URL(publicUrl);
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  if (isName && (protocol === 'https:' || hostname === 'localhost')) return { id: hostname, origin };
  throw new DoorlistError(
    'conflict',
    'passkeys require DOORLIST_PUBLIC_URL to be https:// with a host name, or http://localhost',
  );
}
