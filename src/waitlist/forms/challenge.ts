import { timingSafeEqual } from 'node:crypto';
import { type Challenge, createChallenge, type Payload, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { randomCode } from '../../lib/ids.ts';
import { HOUR_MS } from '../../lib/time.ts';
import type { Queue } from '../queue/queue.ts';
import type { LiveForm } from './form.ts';
import type { RefusalReason } from './refusals.ts';

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

/** A person needs longer to read a form and type an address. */
export const TOKEN_MS_MIN = 1_000;
export const TOKEN_MS_MAX = 2 * HOUR_MS;

const TIME_CHARACTERS = 9;
const RANDOM_CHARACTERS = 20;
const SIGNATURE_BYTES = 16;
const SHAPE = /^[0-9a-z]{29}[\w-]{22}$/;

export interface TimeToken {
  text: string;
  at: number;
}

/** Says when a form was shown: time, random characters, signature. Each works once, and only for its form. */
export function newTimeToken(form: LiveForm, now: number): string {
  const text = now.toString(36).padStart(TIME_CHARACTERS, '0') + randomCode(RANDOM_CHARACTERS);
  return text + signature(form, text);
}

function signature({ queue, key }: LiveForm, text: string): string {
  const hash = queue.vault.hash('form', `token ${key} ${text}`);
  return hash.subarray(0, SIGNATURE_BYTES).toString('base64url');
}

/** Returns why it is refused, if it is. */
export function readTimeToken(form: LiveForm, token: string, now: number): TimeToken | RefusalReason {
  const text = token.slice(0, TIME_CHARACTERS + RANDOM_CHARACTERS);
  if (!SHAPE.test(token)) return 'token';
  const given = Buffer.from(token.slice(text.length));
  const expected = Buffer.from(signature(form, text));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'token';
  const at = Number.parseInt(text.slice(0, TIME_CHARACTERS), 36);
  const age = now - at;
  if (age < TOKEN_MS_MIN) return 'too_fast';
  return age > TOKEN_MS_MAX ? 'expired' : { text: token, at };
}
