import { isUtf8 } from 'node:buffer';
import { findDuplicateKey } from '../json/duplicate-key.ts';
import { findInexactNumbers, INEXACT_NUMBER } from '../json/numbers.ts';
import { showPath } from '../json/path.ts';
import { countColons, findExcess } from '../json/scan.ts';
import { type DoorlistError, invalid, Problems } from '../lib/errors.ts';

const NESTING_MAX = 64;
/** The most that 100 entries with 16 KiB of metadata each can hold: a value takes at least two bytes. */
const VALUES_MAX = 850_000;
/** A value takes at least two characters, so a shorter text cannot hold too many. */
const SURELY_FEW_CHARACTERS = 2 * VALUES_MAX;

export const badJson = () => invalid('body: is not valid JSON');

/**
 * JSON.parse, but rejects what it allows: invalid UTF-8, duplicate keys (one value would be lost),
 * `__proto__`, NUL and lone surrogates, numbers that lose precision, and unlimited nesting or values.
 */
export function parseStrictJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw invalid('body: is not valid UTF-8');
  const text = body.toString('utf8');
  if (text.length > SURELY_FEW_CHARACTERS) refuseExcess(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badJson();
  }
  // Without escapes, UTF-8 decoding and JSON.parse have already rejected these characters.
  const escaped = text.includes('\\');
  const members = countMembers(value, 0, escaped || text.includes('__proto__'));
  // The usual case: with as many colons as members, there is no colon in a string and no duplicate key.
  if (!hasColons(text, members) && members !== countColons(text)) throw duplicateKey(text);
  refuseInexactNumbers(text);
  return value;
}

export const DUPLICATE_KEY = 'duplicate key';

function duplicateKey(text: string): DoorlistError {
  return invalid(`${showPath(findDuplicateKey(text) ?? []) || 'body'}: ${DUPLICATE_KEY}`);
}

function refuseExcess(text: string): void {
  const excess = findExcess(text, { nesting: NESTING_MAX, values: VALUES_MAX });
  if (excess === 'nesting') throw tooDeep();
  if (excess === 'values')
    throw invalid(`body: has more than ${VALUES_MAX} values; send fewer entries at once`);
}

function tooDeep(): DoorlistError {
  return invalid(`body: is nested deeper than ${NESTING_MAX} levels`);
}

function refuseInexactNumbers(text: string): void {
  const paths = findInexactNumbers(text);
  if (paths.length === 0) return;
  const problems = new Problems();
  for (const path of paths) problems.add(path.length === 0 ? 'body' : showPath(path), INEXACT_NUMBER);
  throw problems.toError();
}

/** Counts the members of all objects in a parsed value, and rejects forbidden ones on the way. */
function countMembers(value: unknown, depth: number, suspicious: boolean): number {
  if (typeof value === 'string') {
    if (suspicious) refuseBadCharacters(value);
    return 0;
  }
  if (typeof value !== 'object' || value === null) return 0;
  if (depth >= NESTING_MAX) throw tooDeep();
  let count = 0;
  if (Array.isArray(value)) {
    for (const element of value) count += countMembers(element, depth + 1, suspicious);
    return count;
  }
  for (const key of Object.keys(value)) {
    if (suspicious) refuseBadKey(key);
    count += 1 + countMembers((value as Record<string, unknown>)[key], depth + 1, suspicious);
  }
  return count;
}

export function refuseBadKey(key: string): void {
  if (key === '__proto__') throw invalid('body: must not contain a key named __proto__');
  refuseBadCharacters(key);
}

export function refuseBadCharacters(text: string): void {
  if (text.includes('\0')) throw invalid('body: must not contain NUL characters');
  if (!text.isWellFormed()) throw invalid('body: must not contain lone surrogates');
}

function hasColons(text: string, wanted: number): boolean {
  let count = 0;
  for (let at = text.indexOf(':'); at >= 0 && count <= wanted; at = text.indexOf(':', at + 1)) count += 1;
  return count === wanted;
}
