import { globSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Engine } from '../../src/db/database.ts';
import { ENGINES } from './engines.ts';

const ALL = ['src/**/*.test.ts', 'test/**/*.test.ts'];

export const USAGE = `npm test -- [--engine ${ENGINES.join('|')}] [--no-browser] [--name PATTERN] [FILE or FOLDER…]`;

export interface RunOptions {
  files: string[];
  /** Whether they are all there is: the checks of format and types run only then. */
  all: boolean;
  engine: Engine | undefined;
  browser: boolean;
  /** A regular expression. Only tests whose name matches run. */
  name: string | undefined;
}

/** Throws with a sentence for what it does not understand. */
export function readOptions(words: string[]): RunOptions {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    allowNegative: true,
    options: {
      engine: { type: 'string' },
      browser: { type: 'boolean', default: true },
      name: { type: 'string' },
    },
  });
  const engine = ENGINES.find((one) => one === values.engine);
  if (values.engine !== undefined && engine === undefined) {
    throw new Error(`--engine: must be ${ENGINES.join(' or ')}`);
  }
  return {
    files: positionals.length > 0 ? positionals.flatMap(testsIn).sort() : globSync(ALL).sort(),
    all: positionals.length === 0 && engine === undefined && values.name === undefined && values.browser,
    engine,
    browser: values.browser,
    name: values.name,
  };
}

function testsIn(place: string): string[] {
  const found = statSync(place, { throwIfNoEntry: false });
  if (!found) throw new Error(`${place}: there is no such file or folder`);
  const files = found.isDirectory() ? globSync(path.join(place, '**/*.test.ts')) : [place];
  if (files.length === 0) throw new Error(`${place}: there are no tests in this folder`);
  return files;
}
