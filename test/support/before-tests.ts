import hooks from 'node:async_hooks';
import { isMainThread } from 'node:worker_threads';

const PATIENCE_MS = 8_000; // Longer than fetch keeps idle connections open.

/**
 * Loaded before every test file. The test runner follows every promise to tell which test an unhandled error
 * belongs to. That takes a tenth of the processor time, and without it such an error fails the file.
 */
hooks.createHook = () => ({ enable: nothing, disable: nothing }) as unknown as hooks.AsyncHook;
function nothing(this: hooks.AsyncHook): hooks.AsyncHook {
  return this;
}

/**
 * A file whose process does not end by itself has leaked something, and fails.
 */
if (isMainThread) {
  const { after } = await import('node:test');
  after(() => {
    setTimeout(() => {
      process.stderr.write(`left open after the tests: ${process.getActiveResourcesInfo().join(', ')}\n`);
      process.exit(1);
    }, PATIENCE_MS).unref();
  });
}
