import { primaryCodeOf, SQLITE } from './error-codes.ts';

const SENTENCES: Record<number, (file: string) => string> = {
  [SQLITE.BUSY]: (file) =>
    `${file} is locked by another process that has been writing for a long time. Try again.`,
  [SQLITE.READONLY]: (file) =>
    `${file} cannot be written to. Run Doorlist as the user who owns it, and make the file and its directory writable.`,
  [SQLITE.IOERR]: (file) =>
    `The disk failed while ${file} was read or written. Check the disk and its mount.`,
  [SQLITE.CORRUPT]: (file) => `${file} is damaged. Restore it from a backup.`,
  [SQLITE.FULL]: (file) => `The disk that holds ${file} is full. Free some space, then try again.`,
  [SQLITE.CANTOPEN]: (file) =>
    `${file} cannot be opened. Run Doorlist as the user who owns it, and check that its directory can be written to.`,
  [SQLITE.NOTADB]: (file) => `${file} is not a SQLite database. Move it away, or restore it from a backup.`,
};

/**
 * Describes what is wrong with the embedded database, by SQLite's error code. Returns undefined for unknown
 * codes.
 */
export function explainSqlite(error: unknown, dataDir: string): string | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    const sentence = SENTENCES[primaryCodeOf(one)];
    if (sentence) return sentence(`${dataDir}/doorlist.db`);
  }
  return undefined;
}

/** Says so if the file is damaged. Other errors stay as they are. */
export function nameDamage(error: Error & { errcode?: number }, file: string): Error {
  if (primaryCodeOf(error) !== SQLITE.CORRUPT) return error;
  const { errcode } = error;
  return Object.assign(new Error(SENTENCES[SQLITE.CORRUPT]?.(file), { cause: error }), { errcode });
}
