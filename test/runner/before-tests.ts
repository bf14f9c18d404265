import hooks, { type AsyncHook } from 'node:async_hooks';
import { isMainThread } from 'node:worker_threads';

const PATIENCE_MS = 30_000; // Longer than fetch keeps idle connections open, and a browser takes to end on a busy machine.

let tracking: AsyncHook | undefined;

/**
 * The test runner follows every promise, to know which suite a test is defined in and which test an unhandled
 * error belongs to. Once all tests are defined, that is not worth a fourteenth of the processor time: such an
 * error then fails the file.
 */
export function stopTracking(): void {
  tracking?.disable();
}

/**
 * Loaded before every test file. A file whose process does not end by itself has leaked something, and fails.
 */
if (isMainThread) {
  const { createHook } = hooks;
  hooks.createHook = (callbacks) => {
    tracking = createHook(callbacks);
    return tracking;
  };
  const { after } = await import('node:test');
  after(() => {
    setTimeout(() => {
      process.stderr.write(`left open after the tests: ${process.getActiveResourcesInfo().join(', ')}\n`);
      process.exit(1);
    }, PATIENCE_MS).unref();
  });
  hooks.createHook = createHook;
}
