import sodium from 'sodium-native';
import { randomBytes } from '../lib/random-bytes.ts';

export const KEY_BYTES = 32;
const NONCE_BYTES = 24;
const TAG_BYTES = 16;
const FORMAT = 1;
const KEY_ID_BYTES = 8;
const NONCE_AT = 1 + KEY_ID_BYTES;
const CIPHERTEXT_AT = NONCE_AT + NONCE_BYTES;

/** A key, and the id that its sealed values carry. */
export interface SealingKey {
  readonly id: Buffer;
  readonly key: Buffer;
}

/** The sealed bytes are damaged, belong elsewhere, or were sealed with another key. */
export class Unreadable extends Error {
  override name = 'Unreadable';
}

export function sealingKey(key: Buffer): SealingKey {
  return { key, id: deriveKey(key, 'key id').subarray(0, KEY_ID_BYTES) };
}

/** Layout: format, key id, nonce, ciphertext with its tag. */
export function seal({ id, key }: SealingKey, associated: Uint8Array, message: Uint8Array): Buffer {
  const sealed = Buffer.allocUnsafeSlow(CIPHERTEXT_AT + message.length + TAG_BYTES);
  sealed[0] = FORMAT;
  sealed.set(id, 1);
  const nonce = randomBytes(NONCE_BYTES);
  sealed.set(nonce, NONCE_AT);
  const ciphertext = sealed.subarray(CIPHERTEXT_AT);
  sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(ciphertext, message, associated, null, nonce, key);
  return sealed;
}

export function open({ id, key }: SealingKey, associated: Uint8Array, sealed: Uint8Array): Buffer {
  if (
    sealed.length < CIPHERTEXT_AT + TAG_BYTES ||
    sealed[0] !== FORMAT ||
    id.compare(sealed, 1, NONCE_AT) !== 0
  ) {
    throw new Unreadable('not sealed by this key');
  }
  const message = Buffer.allocUnsafe(sealed.length - CIPHERTEXT_AT - TAG_BYTES);
  const nonce = sealed.subarray(NONCE_AT, CIPHERTEXT_AT);
  const ciphertext = sealed.subarray(CIPHERTEXT_AT);
  try {
    sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(message, null, ciphertext, associated, nonce, key);
  } catch (cause) {
    throw new Unreadable('damaged or moved from elsewhere', { cause });
  }
  return message;
}

/** The id of the key that sealed these bytes. */
export function sealedBy(sealed: Uint8Array): Buffer {
  return Buffer.from(sealed.subarray(1, 1 + KEY_ID_BYTES));
}

export function keyedHash(key: Uint8Array, input: Uint8Array): Buffer {
  const hash = Buffer.allocUnsafeSlow(KEY_BYTES);
  sodium.crypto_generichash(hash, input, key);
  return hash;
}

/** Only for secrets of at least 128 random bits, which cannot be guessed. */
export function plainHash(input: string): Buffer {
  const hash = Buffer.allocUnsafeSlow(KEY_BYTES);
  sodium.crypto_generichash(hash, Buffer.from(input));
  return hash;
}

export function deriveKey(key: Uint8Array, purpose: string): Buffer {
  return keyedHash(key, Buffer.from(`doorlist ${purpose}`));
}
