/** Bytes as the key of a map. */
export function bytesKey(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

export function bytesOfKey(key: string): Buffer {
  return Buffer.from(key, 'latin1');
}
