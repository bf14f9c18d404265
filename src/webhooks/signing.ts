import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { isJsonObject } from '../json/object.ts';
import { randomBytes } from '../lib/ids.ts';

/** In both directions, inclusive: clocks differ, and old deliveries must not be replayed. */
export const TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = 'whsec_';

export const FAILURE_REASONS = [
  'invalid_secret',
  'invalid_timestamp',
  'timestamp_too_old',
  'timestamp_too_new',
  'invalid_signature',
  'signature_mismatch',
] as const;
type FailureReason = (typeof FAILURE_REASONS)[number];

interface Delivery {
  payload: string;
  headers: { id: string; timestamp: string; signature: string };
  secret: string;
}

export type Verification = { verified: true; isObject: boolean } | { verified: false; reason: FailureReason };

/** Verifies a delivery according to Standard Webhooks v1. Never throws, whatever the input. */
export function verifyDelivery({ payload, headers, secret }: Delivery, now: number): Verification {
  const key = decodeSecret(secret);
  if (!key) return failed('invalid_secret');
  const problem = checkTimestamp(headers.timestamp, now);
  if (problem) return failed(problem);
  const signatures = usableSignatures(headers.signature);
  if (signatures.length === 0) return failed('invalid_signature');
  const expected = sign(key, headers.id, headers.timestamp, payload);
  if (!signatures.some((signature) => timingSafeEqual(signature, expected)))
    return failed('signature_mismatch');
  return { verified: true, isObject: isJsonObject(payload) };
}

/** HMAC-SHA-256 over `id.timestamp.payload`. */
export function sign(key: Buffer | KeyObject, id: string, timestamp: string, payload: string): Buffer {
  return createHmac('sha256', key).update(`${id}.${timestamp}.${payload}`).digest();
}

function failed(reason: FailureReason): Verification {
  return { verified: false, reason };
}

/** Returns the bytes of a signing secret, or undefined if it is not one. */
function decodeSecret(secret: string): Buffer | undefined {
  if (!secret.startsWith(SECRET_PREFIX)) return undefined;
  const text = secret.slice(SECRET_PREFIX.length);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const key = Buffer.from(text, 'base64');
  return key.length > 0 ? key : undefined;
}

function checkTimestamp(timestamp: string, now: number): FailureReason | undefined {
  if (!/^[0-9]{1,15}$/.test(timestamp)) return 'invalid_timestamp';
  const age = Math.floor(now / 1000) - Number(timestamp);
  if (age > TOLERANCE_SECONDS) return 'timestamp_too_old';
  if (age < -TOLERANCE_SECONDS) return 'timestamp_too_new';
}

const SIGNATURE_BYTES = 32;
/** Far more than rotating secrets can produce. */
const MOST_SIGNATURES = 1_000;

function usableSignatures(header: string): Buffer[] {
  return header
    .split(' ', MOST_SIGNATURES)
    .filter((entry) => entry.startsWith('v1,'))
    .map((entry) => Buffer.from(entry.slice(3), 'base64'))
    .filter((signature) => signature.length === SIGNATURE_BYTES);
}

export interface Secret {
  text: string;
  /** null for the current one. */
  endsAt: number | null;
}

export function newSigningSecret(): Secret {
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
  return [newSigningSecret(), ...kept];
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
