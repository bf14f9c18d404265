import { type Language, languageOf } from '../../languages/languages.ts';
import type { Problems } from '../../lib/errors.ts';
import { isLonger } from '../../lib/text.ts';
import type { QueueVault } from '../../vault/vault.ts';

/** Sealed as one value in the entry's row. */
export interface Person {
  email: string | null;
  phone: string | null;
  metadata: Metadata | null;
  /** In which they signed up, if that is known. */
  language?: Language;
  /** Came through the public form, where anyone can type anyone's address. */
  byForm?: true;
  /** Their referral code in the system that they were imported from. Others had it first if it is not among the aliases. */
  importedCode?: string;
}

/** The language to write to a person in, or null if nothing says so. Backends send it as metadata. */
export function languageFor({
  language,
  metadata,
}: {
  language?: Language | null;
  metadata: Metadata | null;
}): Language | null {
  return language ?? languageOf(metadata?.language) ?? languageOf(metadata?.locale) ?? null;
}

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

/** The pairs that segments can select by: top-level keys with a string, number or boolean. */
export function metadataPairs(vault: QueueVault, metadata: Metadata): Buffer[] {
  const hashes: Buffer[] = [];
  for (const key of Object.keys(metadata)) {
    const value = metadata[key];
    if (isSelectable(value)) hashes.push(hashPair(vault, key, value));
  }
  return hashes;
}

function isSelectable(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function hashPair(vault: QueueVault, key: string, value: unknown): Buffer {
  return vault.hash('metadata', JSON.stringify([key, value]));
}

/** As JSON writes numbers. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i;

/** The pairs that `key=text` can mean: the text itself, and the number or boolean that it spells. */
export function pairsMeant(vault: QueueVault, key: string, text: string): Buffer[] {
  const values: unknown[] = [text];
  if (text === 'true' || text === 'false') values.push(text === 'true');
  if (NUMBER.test(text) && Number.isFinite(Number(text))) values.push(Number(text));
  return values.map((value) => hashPair(vault, key, value));
}
