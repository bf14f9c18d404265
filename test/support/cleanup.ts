import { afterEach } from 'node:test';

const pending: (() => unknown)[] = [];

/** Runs when the current test is over, also if it failed; what was registered last runs first. */
export function afterTest(cleanUp: () => unknown): void {
  pending.push(cleanUp);
}

afterEach(async () => {
  const errors: unknown[] = [];
  for (let cleanUp = pending.pop(); cleanUp; cleanUp = pending.pop()) {
    try {
      await cleanUp();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'the test could not clean up after itself');
});
