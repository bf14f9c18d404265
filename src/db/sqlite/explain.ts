const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;
const BUSY = 5;

const SENTENCES: Record<number, (file: string) => string> = {
  [BUSY]: (file) => `${file} is locked by another process that has been writing for a long time. Try again.`,
  [READONLY]: (file) =>
    `${file} cannot be written to. Run Doorlist as the user who owns it, and make the file and its directory writable.`,
  [IOERR]: (file) => `The disk failed while ${file} was read or written. Check the disk and its mount.`,
  [CORRUPT]: (file) => `${file} is damaged. Restore it from a backup.`,
  [FULL]: (file) => `The disk that holds ${file} is full. Free some space, then try again.`,
  [CANTOPEN]: (file) =>
    `${file} cannot be opened. Run Doorlist as the user who owns it, and check that its directory can be written to.`,
  [NOTADB]: (file) => `${file} is not a SQLite database. Move it away, or restore it from a backup.`,
};

/**
 * Describes what is wrong with the embedded database, by SQLite's error code. Returns undefined for unknown
 * codes.
 */
export function explainSqlite(error: unknown, dataDir: string): string | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    const { errcode } = one as Error & { errcode?: number };
    const sentence = errcode === undefined ? undefined : SENTENCES[errcode & 0xff];
    if (sentence) return sentence(`${dataDir}/doorlist.db`);
  }
  return undefined;
}

/** Says so if the file is damaged. Other errors stay as they are. */
export function nameDamage(error: Error & { errcode?: number }, file: string): Error {
  const { errcode = 0 } = error;
  if ((errcode & 0xff) !== CORRUPT) return error;
  return Object.assign(new Error(SENTENCES[CORRUPT]?.(file), { cause: error }), { errcode });
}
