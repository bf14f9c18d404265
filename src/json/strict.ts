import { type Level, type Path, pathOf, walk } from './path.ts';
import { countColons } from './scan.ts';

export const NESTING_MAX = 64;

export const DUPLICATE_KEY = 'duplicate key';
export const NUL_CHARACTERS = 'must not contain NUL characters';
export const NESTED_TOO_DEEP = `is nested deeper than ${NESTING_MAX} levels`;
export const PROTO_KEY = 'must not contain a key named __proto__';

interface StrictProblem {
  path: Path;
  reason: string;
}

/**
 * Finds what JSON.parse allows and the API does not, given a text and its value: duplicate keys, `__proto__`, NUL,
 * lone surrogates and unlimited nesting. Numbers that lose precision are found by `findInexactNumbers`.
 */
export function findStrictProblem(json: string, value: unknown): StrictProblem | undefined {
  // Without escapes, UTF-8 decoding and JSON.parse have already rejected these characters.
  const members = countMembers(value, 0, json.includes('\\') || json.includes('__proto__'));
  if (typeof members !== 'number') return members;
  if (!hasDuplicateKey(json, members)) return undefined;
  return { path: findDuplicateKey(json) ?? [], reason: DUPLICATE_KEY };
}

/** The members of all objects in a value, or what is wrong with it. */
function countMembers(value: unknown, depth: number, isSuspicious: boolean): number | StrictProblem {
  if (typeof value === 'string') return problem(isSuspicious ? problemInText(value) : undefined) ?? 0;
  if (typeof value !== 'object' || value === null) return 0;
  if (depth >= NESTING_MAX) return { path: [], reason: NESTED_TOO_DEEP };
  let count = 0;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const inside = countMembers(value[index], depth + 1, isSuspicious);
      if (typeof inside !== 'number') return within(index, inside);
      count += inside;
    }
    return count;
  }
  for (const key of Object.keys(value)) {
    const refused = problem(isSuspicious ? problemInKey(key) : undefined);
    if (refused) return refused;
    const inside = countMembers((value as Record<string, unknown>)[key], depth + 1, isSuspicious);
    if (typeof inside !== 'number') return within(key, inside);
    count += 1 + inside;
  }
  return count;
}

function problem(reason: string | undefined): StrictProblem | undefined {
  return reason === undefined ? undefined : { path: [], reason };
}

/** The way to what is nested too deep would be too long to read. */
function within(part: string | number, { path, reason }: StrictProblem): StrictProblem {
  return { path: reason === NESTED_TOO_DEEP ? [] : [part, ...path], reason };
}

export function problemInKey(key: string): string | undefined {
  return key === '__proto__' ? PROTO_KEY : problemInText(key);
}

export function problemInText(text: string): string | undefined {
  if (text.includes('\0')) return NUL_CHARACTERS;
  return text.isWellFormed() ? undefined : 'must not contain lone surrogates';
}

const QUOTE = 0x22;
const SPACE = 0x20;

/** Whether valid JSON has more members as written than it has when parsed. */
export function hasDuplicateKey(json: string, members: number): boolean {
  let colons = 0;
  for (let at = json.indexOf(':'); at >= 0; at = json.indexOf(':', at + 1)) {
    // A key ends with a quote, and perhaps spaces. A colon after anything else is in a string, such as a time.
    const before = json.charCodeAt(at - 1);
    if (before === QUOTE || before <= SPACE) colons += 1;
  }
  return colons !== members && countColons(json) !== members;
}

/** Finds the first key in valid JSON that its object already has. */
export function findDuplicateKey(json: string): Path | undefined {
  const keysOf = new WeakMap<Level, Set<string>>();
  let duplicate: Path | undefined;
  walk(json, {
    key: (levels) => {
      const level = levels[levels.length - 1] as Level;
      const keys = keysOf.get(level) ?? new Set();
      keysOf.set(level, keys);
      const name = plain(level.key);
      if (keys.has(name)) duplicate = pathOf(levels);
      keys.add(name);
      return duplicate !== undefined;
    },
  });
  return duplicate;
}

function plain(key: string): string {
  return key.includes('\\') ? (JSON.parse(key) as string) : key.slice(1, -1);
}
