import { createSecretKey, type KeyObject } from 'node:crypto';
import { randomBytes } from '../lib/random-bytes.ts';
import { decodeSecret } from './verify.ts';

export interface Secret {
  text: string;
  /** null for the current one. */
  endsAt: number | null;
}

export function newSecret(): Secret {
  return { text: `whsec_${randomBytes(32).toString('base64')}`, endsAt: null };
}

/** Puts the new secret first. The previous one also signs until the overlap ends. */
export function rotateSecrets(secrets: readonly Secret[], now: number, overlapMs: number): Secret[] {
  const kept = secrets
    .map(({ text, endsAt }) => ({
      text,
      endsAt: Math.min(endsAt ?? Number.POSITIVE_INFINITY, now + overlapMs),
    }))
    .filter(({ endsAt }) => endsAt > now);
  return [newSecret(), ...kept];
}

export function liveSecrets<S extends { endsAt: number | null }>(secrets: readonly S[], now: number): S[] {
  return secrets.filter(({ endsAt }) => endsAt === null || endsAt > now);
}

/** A secret in the form that signs fastest. */
export interface SigningKey {
  key: KeyObject;
  endsAt: number | null;
}

export function signingKeys(secrets: readonly Secret[]): SigningKey[] {
  return secrets.flatMap(({ text, endsAt }) => {
    const bytes = decodeSecret(text);
    return bytes ? [{ key: createSecretKey(bytes), endsAt }] : [];
  });
}
