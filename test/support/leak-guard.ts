import { isMainThread } from 'node:worker_threads';

const PATIENCE_MS = 8_000; // Longer than fetch keeps idle connections open.

/**
 * Loaded before every test file. A file whose process does not end by itself has leaked something, and fails.
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
