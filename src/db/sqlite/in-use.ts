import { DatabaseSync } from 'node:sqlite';
import { primaryCodeOf, SQLITE } from './error-codes.ts';

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
