/** Encodes a keyed hash as the key of a map. */
export function hashKey(hash: Uint8Array): string {
  return Buffer.from(hash).toString('latin1');
}
