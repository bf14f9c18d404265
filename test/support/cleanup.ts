import { after, afterEach } from 'node:test';

type CleanUp = () => unknown;
const pending: CleanUp[] = [];
const pendingForAll: CleanUp[] = [];

/** Runs when the current test is over, also if it failed; what was registered last runs first. */
export function afterTest(cleanUp: CleanUp): void {
  pending.push(cleanUp);
}

/** Runs when all tests of this process are over, which may be those of several files. */
export function afterAllTests(cleanUp: CleanUp): void {
  pendingForAll.push(cleanUp);
}

async function runAll(cleanUps: CleanUp[]): Promise<void> {
  const errors: unknown[] = [];
  for (let cleanUp = cleanUps.pop(); cleanUp; cleanUp = cleanUps.pop()) {
    try {
      await cleanUp();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'the test could not clean up after itself');
}

afterEach(() => runAll(pending));
after(() => runAll(pendingForAll));
