/** SQLite's result codes, as far as they mean something here. The last two are extended ones. */
export const SQLITE = {
  BUSY: 5,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  NOTADB: 26,
  CONSTRAINT_PRIMARYKEY: 1555,
  CONSTRAINT_UNIQUE: 2067,
} as const;

/** Without what an extended code adds. 0 if the error is not from SQLite. */
export function primaryCodeOf(error: unknown): number {
  const { errcode = 0 } = (error ?? {}) as { errcode?: number };
  return errcode & 0xff;
}
