import { isUtf8 } from 'node:buffer';
import { findInexactNumbers, INEXACT_NUMBER } from '../json/numbers.ts';
import { showPath } from '../json/path.ts';
import { findExcess } from '../json/scan.ts';
import { findStrictProblem, NESTED_TOO_DEEP, NESTING_MAX } from '../json/strict.ts';
import { invalid, Problems } from '../lib/errors.ts';

/** The most that 100 entries with 16 KiB of metadata each can hold: a value takes at least two bytes. */
const VALUES_MAX = 850_000;
/** No object of ours has nearly as many. To build one of them takes a thousand times as long as to read past it. */
export const KEYS_MAX = 10_000;
/**
 * In all objects together: 500 for each of a hundred people, or as many as metadata has room for, for fifteen. To build
 * so many takes up to 80 ms.
 */
const ALL_KEYS_MAX = 50_000;
/** A key takes at least five characters, so a shorter text cannot hold too many of anything. */
const SURELY_FEW_CHARACTERS = 5 * KEYS_MAX;

export const badJson = () => invalid('body: is not valid JSON');
export const tooManyKeys = () => invalid(`body: has an object with more than ${KEYS_MAX} keys`);

/**
 * JSON.parse, but rejects what it allows: invalid UTF-8, duplicate keys (one value would be lost),
 * `__proto__`, NUL and lone surrogates, numbers that lose precision, and unlimited nesting or values.
 */
export function parseStrictJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw invalid('body: is not valid UTF-8');
  const text = body.toString('utf8');
  refuseExcess(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badJson();
  }
  const problem = findStrictProblem(text, value);
  if (problem) throw invalid(`${showPath(problem.path) || 'body'}: ${problem.reason}`);
  refuseInexactNumbers(text);
  return value;
}

/** Refuses what takes long to build, before it is built. */
export function refuseExcess(text: string): void {
  if (text.length <= SURELY_FEW_CHARACTERS) return;
  const excess = findExcess(text, {
    nesting: NESTING_MAX,
    values: VALUES_MAX,
    keys: KEYS_MAX,
    allKeys: ALL_KEYS_MAX,
  });
  if (excess === 'nesting') throw invalid(`body: ${NESTED_TOO_DEEP}`);
  if (excess === 'keys') throw tooManyKeys();
  if (excess === 'allKeys')
    throw invalid(`body: has more than ${ALL_KEYS_MAX} keys; send fewer entries at once`);
  if (excess === 'values')
    throw invalid(`body: has more than ${VALUES_MAX} values; send fewer entries at once`);
}

function refuseInexactNumbers(text: string): void {
  const paths = findInexactNumbers(text);
  if (paths.length === 0) return;
  const problems = new Problems();
  for (const path of paths) problems.add(path.length === 0 ? 'body' : showPath(path), INEXACT_NUMBER);
  throw problems.toError();
}
