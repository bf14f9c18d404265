import { parentPort, workerData } from 'node:worker_threads';
import { useCompileCache } from '../lib/compile-cache.ts';
import type { ThreadData } from './thread-offers.ts';

/** The file of a further thread that answers requests. */
if (parentPort) {
  const data = workerData as ThreadData;
  useCompileCache(); // Before anything else is loaded.
  process.argv[1] = data.script ?? ''; // By which messages name the command.
  const { serveRequests } = await import('./serve-requests.ts');
  serveRequests(parentPort, data);
}
