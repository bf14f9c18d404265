import { randomBytes } from '../lib/random-bytes.ts';
import { deriveKey, KEY_BYTES, keyedHash, openText, seal, sealingKey } from './crypto.ts';

/** Seals values for a place and a row, and hashes them for a purpose. */
export interface Vault<Place extends string, Purpose extends string> {
  seal(place: Place, row: Uint8Array, value: unknown): Buffer;
  /** Throws `Unreadable`. */
  open<T>(place: Place, row: Uint8Array, sealed: Uint8Array): T;
  hash(purpose: Purpose, value: string): Buffer;
}

/** The two keys of a vault in the order in which the master key wraps them: data key, then index key. */
export function newVaultKeys(): Buffer {
  return randomBytes(2 * KEY_BYTES);
}

export function createVault<Place extends string, Purpose extends string>(
  tag: string,
  keys: Buffer,
  places: readonly Place[],
  purposes: readonly Purpose[],
): Vault<Place, Purpose> {
  const data = sealingKey(keys.subarray(0, KEY_BYTES));
  const index = keys.subarray(KEY_BYTES);
  const prefixes = new Map(places.map((place) => [place, Buffer.from(`${tag}\0${place}\0`)]));
  const hashKeys = new Map(purposes.map((purpose) => [purpose, deriveKey(index, `index ${purpose}`)]));
  /** Used again for rows of the same place with ids of the same length, as all those of a page. */
  const scratch = new Map<Place, Buffer>();
  const associated = (place: Place, row: Uint8Array): Buffer => {
    const prefix = prefixes.get(place) as Buffer;
    let bytes = scratch.get(place);
    if (bytes?.length !== prefix.length + row.length) {
      bytes = Buffer.concat([prefix, row]);
      scratch.set(place, bytes);
    } else bytes.set(row, prefix.length);
    return bytes;
  };

  return {
    seal: (place, row, value) => seal(data, associated(place, row), Buffer.from(JSON.stringify(value))),
    open: <T>(place: Place, row: Uint8Array, sealed: Uint8Array) =>
      JSON.parse(openText(data, associated(place, row), sealed)) as T,
    hash: (purpose, value) => keyedHash(hashKeys.get(purpose) as Buffer, Buffer.from(value)),
  };
}
