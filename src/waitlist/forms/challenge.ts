import { type Challenge, createChallenge, type Payload, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { Queue } from '../queue/queue.ts';
import type { LiveForm } from './form.ts';
import { newTimeToken } from './time-token.ts';

/** With two hex digits to match, a browser tries 256 keys on average: about half a second on a phone. */
const COST = 2_000;
const KEY_PREFIX = '00';
const PROOF_CHARACTERS_MAX = 4_000;

/** Proof of work that contains a time token, so that solving one challenge helps with one signup only. */
export function newChallenge(form: LiveForm, now: number): Promise<Challenge> {
  return createChallenge({
    algorithm: 'PBKDF2/SHA-256',
    cost: COST,
    keyPrefix: KEY_PREFIX,
    deriveKey,
    hmacSignatureSecret: secretOf(form.queue),
    data: { token: newTimeToken(form, now) },
  });
}

function secretOf({ vault }: Queue): string {
  return vault.hash('form', 'challenge').toString('hex');
}

/** Returns the time token that the proof is for, before the proof is checked. */
export function tokenOfProof(proof: string): string | undefined {
  const { challenge } = readProof(proof) ?? {};
  const token = challenge?.parameters?.data?.token;
  return typeof token === 'string' ? token : undefined;
}

/** Expiry is the time token's. */
export async function isSolved({ queue }: LiveForm, proof: string): Promise<boolean> {
  const payload = readProof(proof);
  if (!payload) return false;
  try {
    const { challenge, solution } = payload;
    const result = await verifySolution({
      challenge,
      solution,
      deriveKey,
      hmacSignatureSecret: secretOf(queue),
    });
    return result.verified;
  } catch {
    return false; // Not shaped like a proof.
  }
}

/** The format of ALTCHA: base64 of JSON. */
function readProof(proof: string): Payload | undefined {
  if (proof.length > PROOF_CHARACTERS_MAX) return undefined;
  try {
    const payload = JSON.parse(Buffer.from(proof, 'base64').toString()) as Payload | null;
    return typeof payload?.challenge?.parameters === 'object' && payload.solution ? payload : undefined;
  } catch {
    return undefined;
  }
}
