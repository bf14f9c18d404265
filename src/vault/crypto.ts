import sodium from 'sodium-native';
import { randomBytes } from '../lib/ids.ts';

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

/** Returns undefined if it is unreadable: where there are many, one that is damaged must not hide the others. */
export function ifReadable<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/** The same for what takes a while to open. */
export async function whenReadable<T>(opening: Promise<T>): Promise<T | undefined> {
  return opening.catch((error: Error) => {
    if (error instanceof Unreadable) return undefined;
    throw error;
  });
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

export function open(sealingKey: SealingKey, associated: Uint8Array, sealed: Uint8Array): Buffer {
  requireSealedBy(sealingKey, sealed);
  return decrypt(sealingKey, associated, viewsOf(Buffer.from(sealed)));
}

/** The same for text. Small values, of which a page has hundreds, are opened in buffers that are used again. */
export function openText(sealingKey: SealingKey, associated: Uint8Array, sealed: Uint8Array): string {
  requireSealedBy(sealingKey, sealed);
  const views = scratchFor(sealed.length);
  views.sealed.set(sealed);
  return decrypt(sealingKey, associated, views).toString();
}

function requireSealedBy({ id }: SealingKey, sealed: Uint8Array): void {
  const isOurs =
    sealed.length >= CIPHERTEXT_AT + TAG_BYTES &&
    sealed[0] === FORMAT &&
    id.compare(sealed, 1, NONCE_AT) === 0;
  if (!isOurs) throw new Unreadable('not sealed by this key');
}

/** The parts of a sealed value, and room for what is in it. */
interface Views {
  readonly sealed: Buffer;
  readonly nonce: Buffer;
  readonly ciphertext: Buffer;
  readonly message: Buffer;
}

function viewsOf(sealed: Buffer): Views {
  return {
    sealed,
    nonce: sealed.subarray(NONCE_AT, CIPHERTEXT_AT),
    ciphertext: sealed.subarray(CIPHERTEXT_AT),
    message: Buffer.allocUnsafeSlow(sealed.length - CIPHERTEXT_AT - TAG_BYTES),
  };
}

const SCRATCH_BYTES_MAX = 1_024;
/** By length, because the cipher takes none but the exact one. */
const scratch: Views[] = [];

function scratchFor(length: number): Views {
  const known = scratch[length];
  if (known) return known;
  const views = viewsOf(Buffer.allocUnsafeSlow(length));
  if (length <= SCRATCH_BYTES_MAX) scratch[length] = views;
  return views;
}

function decrypt({ key }: SealingKey, associated: Uint8Array, { message, ciphertext, nonce }: Views): Buffer {
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
