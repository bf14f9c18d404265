import type { Path } from '../../../json/path.ts';

const NEWLINE = 0x0a;

/** Where the bytes of an import come from: a file, or chunks in the database. A `FileHandle` is one. */
export interface ImportSource {
  read(into: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  /** Of a file, which can be read without waiting. */
  readonly fd?: number;
}

/** A row of a file before it is interpreted. */
export interface RawRow {
  /** Of its first character, starting at 1. */
  line: number;
  /** Of what follows it. */
  nextLine: number;
  /** Its bytes in the file: from `offset` up to, but not including, `end`. */
  offset: number;
  end: number;
  /** The cells of a CSV record, or a JSON object. */
  values: string[] | Record<string, unknown> | undefined;
  /** Numbers of a JSON object that would lose precision. */
  inexactNumbers?: Path[];
  /** Why it cannot be imported, and which of its fields is to blame if only one is. */
  problem?: string;
  field?: string;
  /** The text of an object, if it is not the bytes of the row. */
  text?: string;
  /** The usual rules could not separate it from its neighbors: read it as a single line. */
  alone?: boolean;
}

/** A place between two rows where reading can start. */
export interface RowPosition {
  offset: number;
  line: number;
}

/** Longer than any valid row. Past this, a quote was probably never closed. */
export const ROW_BYTES_MAX = 256 * 1024;
export const READ_BYTES = 256 * 1024;
/** Rows are handed out after so many bytes: some milliseconds of work. */
export const PIECE_BYTES = 32 * 1024;
export const NOT_UTF8 = 'is not valid UTF-8';
export const TOO_LONG = `is longer than ${ROW_BYTES_MAX} bytes`;

/** Returns the offset after the next newline, or the end of the file. */
export async function findLineEnd(file: ImportSource, from: number): Promise<number> {
  const chunk = Buffer.allocUnsafe(READ_BYTES);
  for (let at = from; ; ) {
    const { bytesRead } = await file.read(chunk, 0, READ_BYTES, at);
    const newline = chunk.subarray(0, bytesRead).indexOf(NEWLINE);
    if (newline >= 0) return at + newline + 1;
    at += bytesRead;
    if (bytesRead === 0) return at;
  }
}
