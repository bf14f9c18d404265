import { readFileSync } from 'node:fs';
import type { Difference } from '../support/engines.ts';

/** What a test file says about itself, without being run. */
export interface TestFile {
  file: string;
  bytes: number;
  /** Whether it has suites for each engine. All others know which engine they need, if any. */
  variesEngine: boolean;
  /** Why it runs on both engines in every run. */
  difference: Difference | undefined;
  /** Whether it needs a quiet machine, as files with `runsAlone` do. */
  alone: boolean;
  browser: boolean;
  /** Whether its whole process is one of the next release, because it imports the migrations of that. */
  nextRelease: boolean;
}

export function readTestFile(file: string): TestFile {
  return describeTestFile(file, readFileSync(file, 'utf8'));
}

export function describeTestFile(file: string, text: string): TestFile {
  const [, , difference] = /^forEach(Engine|Layout)\((?:'(\w+)', )?/m.exec(text) ?? [];
  return {
    file,
    bytes: text.length,
    variesEngine: /^forEach(Engine|Layout)\(/m.test(text),
    difference: difference as Difference | undefined,
    alone: /^runsAlone\(/m.test(text),
    browser: file.startsWith('test/browser/'),
    nextRelease: /^import .*\/next-migrations\.ts';/m.test(text),
  };
}
