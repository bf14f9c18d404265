import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { CheckpointData } from './checkpoints.ts';

/** One checkpoint per message, while others read and write. */
function serveCheckpoints(port: MessagePort, { file }: CheckpointData): void {
  port.on('message', () => {
    copyLog(file);
    port.postMessage('done');
  });
}

/** A failure is left to the writer, which meets it as well and knows whom to tell. */
function copyLog(file: string): void {
  const url = pathToFileURL(file);
  url.searchParams.set('mode', 'rw'); // Does not create the file if somebody has moved it away.
  try {
    const database = new DatabaseSync(url);
    try {
      database.exec('pragma wal_checkpoint(passive)');
    } finally {
      database.close();
    }
  } catch {}
}

if (parentPort) serveCheckpoints(parentPort, workerData);
