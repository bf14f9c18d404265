import { closeSync, createReadStream, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Beside the database: another file system might be short of locks, or open to other people. */
const suffix = '.backup';
const READ_BYTES = 256 * 1024;

/**
 * The database as it is at one moment, while others write to it. `vacuum into` reads one snapshot from start to end;
 * the online backup starts over with each commit, and under load never ends. Call it under a lock: what stands at
 * its path was left by a backup that was killed.
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

/** Everything in the file, not only what somebody happens to look at. Returns what is wrong, or undefined. */
export function damageOf(file: string): string | undefined {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const [first] = database.prepare('pragma integrity_check(1)').all() as { integrity_check: string }[];
    return first?.integrity_check === 'ok' ? undefined : (first?.integrity_check ?? 'it cannot be checked');
  } finally {
    database.close();
  }
}
