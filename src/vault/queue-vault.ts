import { randomBytes } from '../random-bytes.ts';
import { deriveKey, KEY_BYTES, keyedHash, open, seal, sealingKey } from './crypto.ts';

/**
 * Where sealed bytes are stored. They open only there, because the place and the row are authenticated with
 * them.
 */
const PLACES = [
  'entry.person',
  'invite.sealed',
  'invite.accept_answer',
  'cursor',
  'job.input',
  'event.body',
  'delivery.response',
  'endpoint.sealed',
] as const;
export type Place = (typeof PLACES)[number];

/** What a keyed hash is for. Equal values hash differently for different purposes. */
const PURPOSES = [
  'email',
  'phone',
  'referral',
  'invite',
  'idempotency',
  'metadata',
  'import',
  'link',
] as const;
export type Purpose = (typeof PURPOSES)[number];

/** Seals and hashes for one queue. */
export interface QueueVault {
  seal(place: Place, row: Uint8Array, value: unknown): Buffer;
  /** Throws `Unreadable`. */
  open<T>(place: Place, row: Uint8Array, sealed: Uint8Array): T;
  hash(purpose: Purpose, value: string): Buffer;
}

/** A queue's two keys in the order in which the master key wraps them: data key, then index key. */
export function newQueueKeys(): Buffer {
  return randomBytes(2 * KEY_BYTES);
}

export function queueVault(tag: string, keys: Buffer): QueueVault {
  const data = sealingKey(keys.subarray(0, KEY_BYTES));
  const index = keys.subarray(KEY_BYTES);
  const prefixes = new Map(PLACES.map((place) => [place, Buffer.from(`${tag}\0${place}\0`)]));
  const hashKeys = new Map(PURPOSES.map((purpose) => [purpose, deriveKey(index, `index ${purpose}`)]));
  const associated = (place: Place, row: Uint8Array) => Buffer.concat([prefixes.get(place) as Buffer, row]);

  return {
    seal: (place, row, value) => seal(data, associated(place, row), Buffer.from(JSON.stringify(value))),
    open: <T>(place: Place, row: Uint8Array, sealed: Uint8Array) =>
      JSON.parse(open(data, associated(place, row), sealed).toString()) as T,
    hash: (purpose, value) => keyedHash(hashKeys.get(purpose) as Buffer, Buffer.from(value)),
  };
}
