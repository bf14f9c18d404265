import { isUtf8 } from 'node:buffer';
import { invalid, Problems } from '../../errors.ts';
import { endOfString } from '../../json/scan.ts';
import { badJson, refuseBadCharacters, refuseBadKey } from '../json.ts';

interface VerifyBody {
  payload: string;
  headers: { id: string; timestamp: string; signature: string };
  webhookSecret: string;
}

type Fields = { [name: string]: 'string' | Fields };

const FIELDS: Fields = {
  payload: 'string',
  headers: { id: 'string', timestamp: 'string', signature: 'string' },
  webhookSecret: 'string',
};

/**
 * Reads the one object that this endpoint accepts, and stops at the first byte of anything else: anyone can
 * send seven megabytes here, and parsing unexpected values would block other requests.
 */
export function parseVerifyBody(body: Buffer): VerifyBody {
  if (!isUtf8(body)) throw invalid('body: is not valid UTF-8');
  const text = body.toString('utf8');
  const { value, end } = readObject(text, skipSpace(text, 0), FIELDS, 'body');
  if (skipSpace(text, end) < text.length) throw badJson();
  const problems = new Problems();
  nameMissing(value, FIELDS, '', problems);
  problems.throwIfAny();
  return value as unknown as VerifyBody;
}

type Read<T> = { value: T; end: number };

function readObject(
  text: string,
  start: number,
  fields: Fields,
  path: string,
): Read<Record<string, unknown>> {
  if (text[start] !== '{') throw notA('an object', path, text, start);
  const value: Record<string, unknown> = {};
  let at = skipSpace(text, start + 1);
  if (text[at] === '}') return { value, end: at + 1 };
  for (;;) {
    const key = readString(text, at, path);
    refuseBadKey(key.value);
    const field = path === 'body' ? key.value : `${path}.${key.value}`;
    const kind = Object.hasOwn(fields, key.value) ? fields[key.value] : undefined;
    if (kind === undefined) throw invalid(`${field.slice(0, 64)}: unknown field`);
    if (Object.hasOwn(value, key.value)) throw invalid('body: contains a duplicate key');
    at = skipSpace(text, key.end);
    if (text[at] !== ':') throw badJson();
    at = skipSpace(text, at + 1);
    const read = kind === 'string' ? readString(text, at, field) : readObject(text, at, kind, field);
    value[key.value] = read.value;
    at = skipSpace(text, read.end);
    if (text[at] === '}') return { value, end: at + 1 };
    if (text[at] !== ',') throw badJson();
    at = skipSpace(text, at + 1);
    if (text[at] !== '"') throw badJson();
  }
}

function readString(text: string, start: number, path: string): Read<string> {
  if (text[start] !== '"') throw notA('a string', path, text, start);
  const end = endOfString(text, start) + 1;
  let value: string;
  try {
    value = JSON.parse(text.slice(start, end)) as string;
  } catch {
    throw badJson();
  }
  refuseBadCharacters(value);
  return { value, end };
}

/** The value has another type, or is missing. */
function notA(kind: string, path: string, text: string, at: number): Error {
  return /[{["\-0-9tfn]/.test(text.charAt(at)) ? invalid(`${path}: must be ${kind}`) : badJson();
}

function nameMissing(value: Record<string, unknown>, fields: Fields, path: string, problems: Problems): void {
  for (const [name, kind] of Object.entries(fields)) {
    if (value[name] === undefined) problems.add(path + name, 'is required');
    else if (kind !== 'string')
      nameMissing(value[name] as Record<string, unknown>, kind, `${name}.`, problems);
  }
}

const SPACE = /[ \t\n\r]*/y;

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}
