import { accessSync, closeSync, constants, mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createDataFile, isThere } from '../../lib/files.ts';
import { primaryCodeOf, SQLITE } from './error-codes.ts';

/** Held by the one server of a data directory. Commands need no lock. */
export const SERVE_LOCK = 'serve.lock';
/** Held by `migrate`, in addition to the server's lock, so that a starting server knows whom it waits for. */
export const MIGRATE_LOCK = 'migrate.lock';

/**
 * Takes a lock that the operating system releases when the process ends, however it ends: an exclusive lock
 * on an empty SQLite database. Returns a function that releases it, or undefined if another process holds it.
 */
export function tryLock(directory: string, name: string): (() => void) | undefined {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = path.join(directory, name);
  createMissing(file);
  const database = openDatabase(file);
  try {
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if (primaryCodeOf(error) === SQLITE.BUSY) return undefined;
    throw error;
  }
  return () => {
    if (database.isOpen) database.close();
  };
}

function openDatabase(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { timeout: 0 });
  } catch (error) {
    accessSync(file, constants.R_OK | constants.W_OK); // Throws an error that names the file. SQLite's does not.
    throw error;
  }
}

/** Never opens an existing one: closing it would release every lock that this process has on it. */
function createMissing(file: string): void {
  if (isThere(file)) return;
  try {
    closeSync(createDataFile(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // Another process was first.
  }
}

/** Whether another process has the database open: in WAL mode, each holds a shared lock on the file. */
export function isSqliteInUse(file: string): boolean {
  const db = new DatabaseSync(file);
  try {
    db.exec('pragma locking_mode = exclusive; begin exclusive; commit');
    return false;
  } catch (error) {
    if (primaryCodeOf(error) === SQLITE.BUSY) return true;
    throw error;
  } finally {
    db.close();
  }
}
