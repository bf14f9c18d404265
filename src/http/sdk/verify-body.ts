import { isUtf8 } from 'node:buffer';
import { skipSpace, skipString, skipValue } from '../../json/object.ts';
import { endOfString } from '../../json/scan.ts';
import { DUPLICATE_KEY, problemInKey, problemInText } from '../../json/strict.ts';
import { invalid, Problems } from '../../lib/errors.ts';
import { badJson, KEYS_MAX, tooManyKeys } from '../../wire/parse-json.ts';

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
 * Reads the fields that this endpoint knows, and skips all others without building their values: anyone can send
 * seven megabytes here, and parsing them would block other requests.
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
  for (let keys = 1; ; keys += 1) {
    if (keys > KEYS_MAX) throw tooManyKeys();
    const key = readKey(text, at, path);
    const field = path === 'body' ? key.value : `${path}.${key.value}`;
    const kind = Object.hasOwn(fields, key.value) ? fields[key.value] : undefined;
    if (Object.hasOwn(value, key.value)) throw invalid(`${field}: ${DUPLICATE_KEY}`);
    at = skipSpace(text, key.end);
    if (text[at] !== ':') throw badJson();
    at = skipSpace(text, at + 1);
    const read = readValue(text, at, kind, field);
    if (kind !== undefined) value[key.value] = read.value;
    at = skipSpace(text, read.end);
    if (text[at] === '}') return { value, end: at + 1 };
    if (text[at] !== ',') throw badJson();
    at = skipSpace(text, at + 1);
    if (text[at] !== '"') throw badJson();
  }
}

function readValue(text: string, at: number, kind: Fields[string] | undefined, field: string): Read<unknown> {
  if (kind === 'string') return readString(text, at, field);
  if (kind !== undefined) return readObject(text, at, kind, field);
  const end = skipValue(text, at);
  if (end < 0) throw badJson();
  return { value: undefined, end };
}

/** There can be thousands of unknown ones, so most are read without parsing. */
function readKey(text: string, start: number, path: string): Read<string> {
  const end = text[start] === '"' ? skipString(text, start) : -1;
  if (end < 0) throw badJson();
  const inner = text.slice(start + 1, end - 1);
  const value = inner.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : inner;
  refuse(problemInKey(value), path);
  return { value, end };
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
  refuse(problemInText(value), path);
  return { value, end };
}

function refuse(problem: string | undefined, path: string): void {
  if (problem !== undefined) throw invalid(`${path}: ${problem}`);
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
