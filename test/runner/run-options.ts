import { globSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Engine } from '../../src/db/database.ts';
import { ENGINES } from '../support/engines.ts';
import { SEED_MAX } from '../support/seed.ts';

const ALL = ['src/**/*.test.ts', 'test/**/*.test.ts'];

export const USAGE = `npm test -- [--everything] [--engine ${ENGINES.join('|')}] [--no-browser] [--name PATTERN] [--seed NUMBER]
  [--shard NUMBER/OF] [--processes NUMBER] [--list] [--record] [FILE or FOLDER…]`;

export interface RunOptions {
  files: string[];
  /** Whether files on both engines are chosen. Otherwise all that have suites for both run on both. */
  chooses: boolean;
  /** Whether format and types are checked, and missing programs installed. */
  checks: boolean;
  engine: Engine | undefined;
  browser: boolean;
  /** A regular expression. Only tests whose name matches run. */
  name: string | undefined;
  seed: number | undefined;
  shard: Shard;
  /** As many as the machine can use, unless given. */
  processes: number | undefined;
  /** Print what would run. */
  list: boolean;
  /** Write down how long files take and what they send to PostgreSQL. */
  record: boolean;
}

export interface Shard {
  number: number;
  of: number;
}

/** Throws with a sentence for what it does not understand. */
export function readOptions(words: string[]): RunOptions {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    allowNegative: true,
    options: {
      everything: { type: 'boolean', default: false },
      engine: { type: 'string' },
      browser: { type: 'boolean', default: true },
      name: { type: 'string' },
      seed: { type: 'string' },
      shard: { type: 'string' },
      processes: { type: 'string' },
      list: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
    },
  });
  const { everything, browser, name, list, record } = values;
  const engine = ENGINES.find((one) => one === values.engine);
  if (values.engine !== undefined && engine === undefined) {
    throw new Error(`--engine: must be ${ENGINES.join(' or ')}`);
  }
  const shard = shardOf(values.shard);
  const whole = positionals.length === 0 && engine === undefined && name === undefined;
  if (record && !(whole && everything && browser && shard.of === 1))
    throw new Error('--record: needs --everything, and nothing that leaves tests out');
  return {
    files: positionals.length > 0 ? positionals.flatMap(testsIn).sort() : globSync(ALL).sort(),
    chooses: whole && !everything,
    checks: whole && browser && shard.number === 1,
    engine,
    browser,
    name,
    seed: wholeNumber('seed', values.seed, 0, SEED_MAX),
    shard,
    processes: wholeNumber('processes', values.processes, 1, 64),
    list,
    record,
  };
}

function shardOf(text = '1/1'): Shard {
  const [, number = 0, of = 0] = (/^(\d{1,3})\/(\d{1,3})$/.exec(text) ?? []).map(Number);
  if (number < 1 || number > of) throw new Error('--shard: must be like 1/4');
  return { number, of };
}

function wholeNumber(
  flag: string,
  text: string | undefined,
  least: number,
  most: number,
): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new Error(`--${flag}: must be a whole number from ${least} to ${most}`);
}

function testsIn(place: string): string[] {
  const found = statSync(place, { throwIfNoEntry: false });
  if (!found) throw new Error(`${place}: there is no such file or folder`);
  const files = found.isDirectory() ? globSync(path.join(place, '**/*.test.ts')) : [place];
  if (files.length === 0) throw new Error(`${place}: there are no tests in this folder`);
  return files.map((file) => path.relative('.', file));
}
