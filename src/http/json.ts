import { isUtf8 } from 'node:buffer';
import { invalid } from '../errors.ts';

const NESTING_MAX = 64;

/**
 * JSON.parse, and what it lets pass: bytes that are not UTF-8, a key that stands twice (the first value would
 * be lost), `__proto__`, NUL and lone surrogates, nesting without end.
 */
export function parseStrictJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw invalid('body: is not valid UTF-8');
  const text = body.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid('body: is not valid JSON');
  }
  // Only escapes can bring in what UTF-8 and JSON.parse have not refused already.
  const escaped = text.includes('\\');
  const members = countMembers(value, 0, escaped || text.includes('__proto__'));
  // Where there are as many colons as members, none stands in a string and none was written twice: the usual case.
  if (members !== countAll(text, ':') && members !== countColons(text))
    throw invalid('body: has the same key twice in one object');
  return value;
}

/** Members of all objects in a parsed value; refuses what must not be there on the way. */
function countMembers(value: unknown, depth: number, suspicious: boolean): number {
  if (typeof value === 'string') {
    if (suspicious) refuseBadCharacters(value);
    return 0;
  }
  if (typeof value !== 'object' || value === null) return 0;
  if (depth >= NESTING_MAX) throw invalid(`body: is nested deeper than ${NESTING_MAX} levels`);
  let count = 0;
  if (Array.isArray(value)) {
    for (const element of value) count += countMembers(element, depth + 1, suspicious);
    return count;
  }
  for (const key of Object.keys(value)) {
    if (suspicious) {
      if (key === '__proto__') throw invalid('body: must not have a key named __proto__');
      refuseBadCharacters(key);
    }
    count += 1 + countMembers((value as Record<string, unknown>)[key], depth + 1, suspicious);
  }
  return count;
}

function refuseBadCharacters(text: string): void {
  if (text.includes('\0')) throw invalid('body: has a string with a NUL character');
  if (!text.isWellFormed()) throw invalid('body: has a string with half of a surrogate pair');
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

function countAll(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

/** Colons outside of strings: one for each member that was written, also for those written twice. */
function countColons(json: string): number {
  let count = 0;
  for (let i = 0; i < json.length; i += 1) {
    const character = json.charCodeAt(i);
    if (character === COLON) count += 1;
    else if (character === QUOTE) i = endOfString(json, i);
  }
  return count;
}

function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end;
}

function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
