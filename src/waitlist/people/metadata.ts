import { isLonger } from '../../lib/characters.ts';
import type { Problems } from '../../lib/errors.ts';

export const METADATA_KEYS_MAX = 64;
export const METADATA_KEY_CHARACTERS_MAX = 64;
export const METADATA_NESTING_MAX = 8;
export const METADATA_BYTES_MAX = 16 * 1024;

export const metadataTooLarge = `is larger than ${METADATA_BYTES_MAX} bytes as JSON`;

export type Metadata = Record<string, unknown>;

export function parseMetadata(value: unknown, path: string, problems: Problems): Metadata | null {
  if (value === undefined) return null;
  if (!isObject(value)) {
    problems.add(path, 'must be an object');
    return null;
  }
  const keys = Object.keys(value);
  if (keys.length > METADATA_KEYS_MAX) {
    problems.add(path, `has more than ${METADATA_KEYS_MAX} keys`);
    return null; // There can be as many as a body has room for, and as much in them.
  }
  for (const key of keys) {
    if (key === '') problems.add(path, 'has an empty key');
    else if (isLonger(key, METADATA_KEY_CHARACTERS_MAX)) {
      problems.add(
        `${path}.${key.slice(0, 16)}…`,
        `the key is longer than ${METADATA_KEY_CHARACTERS_MAX} characters`,
      );
    }
  }
  if (nesting(value, METADATA_NESTING_MAX + 1) > METADATA_NESTING_MAX) {
    problems.add(path, `is nested deeper than ${METADATA_NESTING_MAX} levels`);
    return null;
  }
  if (Buffer.byteLength(JSON.stringify(value)) > METADATA_BYTES_MAX) {
    problems.add(path, metadataTooLarge);
  }
  return value;
}

/** Counts levels of objects and arrays, up to `most`. */
function nesting(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null || most === 0) return 0;
  let deepest = 0;
  for (const child of Object.values(value)) deepest = Math.max(deepest, nesting(child, most - 1));
  return deepest + 1;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
