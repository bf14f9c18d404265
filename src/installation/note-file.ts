import { closeSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createDataFile } from '../lib/private-file.ts';

/** Writes a small file in the data directory, for other processes. A reader never sees half of it. */
export function writeNote(file: string, text: string): void {
  const unfinished = `${file}.part`;
  rmSync(unfinished, { force: true }); // Left by a process that was killed.
  const handle = createDataFile(unfinished);
  try {
    writeFileSync(handle, text);
  } finally {
    closeSync(handle);
  }
  renameSync(unfinished, file);
}
