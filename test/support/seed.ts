import { randomInt } from 'node:crypto';
import path from 'node:path';
import type { TestContext } from 'node:test';

const VARIABLE = 'DOORLIST_TEST_SEED';
/** fast-check takes 32 bits with a sign. */
export const SEED_MAX = 2 ** 31 - 1;
const ROOT = path.join(import.meta.dirname, '../..');

/** New in each process, unless the variable says which. For hooks; tests call `seedFor`. */
export const SEED = readSeed(process.env);

export function readSeed({ [VARIABLE]: given = '' }: NodeJS.ProcessEnv): number {
  if (given === '') return randomInt(SEED_MAX);
  const seed = Number(given);
  if (/^\d+$/.test(given) && seed <= SEED_MAX) return seed;
  throw new Error(`${VARIABLE} must be a whole number from 0 to ${SEED_MAX}, and is "${given}"`);
}

/** The seed of a test in this file. Prints with the test, and at the end of its error, how to repeat it. */
export function seedFor(test: TestContext, file: string): number {
  const command = `to repeat: ${VARIABLE}=${SEED} npm test -- ${path.relative(ROOT, file)}`;
  test.diagnostic(command); // A test that times out has no error to add it to.
  test.after(() => {
    const { error } = test as TestContext & { error?: Error | null };
    if (error?.cause instanceof Error) error.cause.stack += `\n\n${command}\n`;
  });
  return SEED;
}
