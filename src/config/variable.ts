import { DURATION_RULE, parseDuration } from '../lib/time.ts';

export class ConfigProblem extends Error {
  override name = 'ConfigProblem';
}

export interface Variable<T> {
  name: string;
  /** Also in the README's table. A test compares the two. */
  about: string;
  shownDefault: string;
  /** Can also be read from the file that `NAME_FILE` names. */
  isSecret?: boolean;
  parse(text: string | undefined): T;
}

const optional = (text: string | undefined) => (text === undefined || text === '' ? undefined : text);

export function whole(
  name: string,
  least: number,
  most: number,
  standard: number,
  about: string,
): Variable<number> {
  return {
    name,
    about,
    shownDefault: String(standard),
    parse: (text) => {
      if (optional(text) === undefined) return standard;
      const value = Number(text);
      if (!/^[0-9]+$/.test(text ?? '') || value < least || value > most) {
        throw new ConfigProblem(`${name}: must be a whole number from ${least} to ${most}`);
      }
      return value;
    },
  };
}

export function duration(name: string, standard: string, about: string, least = '0s'): Variable<number> {
  return {
    name,
    about,
    shownDefault: standard,
    parse: (given) => {
      const value = parseDuration(optional(given) ?? standard);
      if (value === undefined) throw new ConfigProblem(`${name}: ${DURATION_RULE}`);
      if (value < (parseDuration(least) ?? 0)) throw new ConfigProblem(`${name}: must be at least ${least}`);
      return value;
    },
  };
}

export function text<T extends string | undefined>(
  name: string,
  standard: T,
  shownDefault: string,
  about: string,
  check: (value: string) => string | undefined = () => undefined,
): Variable<string | T> {
  return {
    name,
    about,
    shownDefault,
    parse: (given) => {
      const value = optional(given);
      if (value === undefined) return standard;
      const complaint = check(value);
      if (complaint) throw new ConfigProblem(`${name}: ${complaint}`);
      return value;
    },
  };
}

export function secret<T>(variable: Variable<T>): Variable<T> {
  return { ...variable, isSecret: true };
}

export function listOf(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
}

/** `name=value`, separated by commas, as OpenTelemetry writes them. Values are URL-encoded. */
export function pairsOf(value: string): [name: string, value: string][] {
  return listOf(value).map((item) => {
    const [name = '', ...rest] = item.split('=');
    return [name.trim(), decodeURIComponent(rest.join('=').trim())];
  });
}
