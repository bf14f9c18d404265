import type { TestContext } from 'node:test';
import fc from 'fast-check';
import { seedFor } from './seed.ts';

/** `fc.assert` with the seed of this test. */
export async function assertProperty<T>(
  test: TestContext,
  file: string,
  property: fc.IRawProperty<T>,
  parameters: Omit<fc.Parameters<T>, 'seed'> = {},
): Promise<void> {
  await fc.assert(property, { ...parameters, seed: seedFor(test, file) });
}
