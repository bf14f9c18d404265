import { closeSync, createReadStream, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Next to the database: another file system might lack locks, or be readable for others. */
const suffix = '.backup';
const READ_BYTES = 256 * 1024;

/**
 * Reads one snapshot while others write. `vacuum into` reads it from start to end; the online backup restarts
 * after each commit and never finishes under load. Call it under a lock: a file at its path was left by a
 * backup that was killed.
 */
export async function* readSqliteSnapshot(file: string): AsyncGenerator<Buffer> {
  const snapshot = `${file}${suffix}`;
  rmSync(snapshot, { force: true });
  try {
    closeSync(openSync(snapshot, 'wx', 0o600)); // SQLite would make it readable for others.
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      database.prepare('vacuum into ?').run(snapshot);
    } finally {
      database.close();
    }
    yield* createReadStream(snapshot, { highWaterMark: READ_BYTES });
  } finally {
    rmSync(snapshot, { force: true });
    rmSync(`${snapshot}-journal`, { force: true });
  }
}

/** Checks the whole file. Returns what is wrong, or undefined. */
export function damageOf(file: string): string | undefined {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const [first] = database.prepare('pragma integrity_check(1)').all() as { integrity_check: string }[];
    return first?.integrity_check === 'ok' ? undefined : (first?.integrity_check ?? 'it cannot be checked');
  } finally {
    database.close();
  }
}
