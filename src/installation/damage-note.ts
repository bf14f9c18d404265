import { closeSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { createDataFile, isThere } from '../lib/files.ts';
import type { Finding } from '../waitlist/upkeep/health.ts';

/** Beside the database: to find a damaged page again, `status` would have to read all of it. */
const NOTE = 'damage.json';

interface Note {
  at: string;
  reason: string;
}

/** Records the first damage that was found since the server started. */
export function noteDamage({ dataDir }: Config, reason: string): void {
  const file = path.join(dataDir, NOTE);
  try {
    if (isThere(file)) return;
    writeNote(file, JSON.stringify({ at: new Date().toISOString(), reason } satisfies Note));
  } catch {
    // Then only the log has it.
  }
}

/** By a server that starts: the file may have been replaced or repaired. */
export function removeDamageNote({ dataDir }: Config): void {
  rmSync(path.join(dataDir, NOTE), { force: true });
}

export function checkDamage({ databaseUrl, dataDir }: Config): Finding[] {
  if (databaseUrl !== undefined) return [];
  try {
    const { at, reason } = JSON.parse(readFileSync(path.join(dataDir, NOTE), 'utf8')) as Note;
    return [{ what: 'database file', ok: false, detail: `${reason} Found at ${at}` }];
  } catch {
    return [];
  }
}

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
