import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { isThere } from '../lib/private-file.ts';
import type { Finding } from '../waitlist/upkeep/health.ts';
import { writeNote } from './note-file.ts';

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
