import type { FileHandle } from 'node:fs/promises';
import type { Path } from '../../json/numbers.ts';

const NEWLINE = 0x0a;

/** A row of a file before it is understood. */
export interface RawRow {
  /** Of its first character, counted from 1. */
  line: number;
  /** Of what follows it. */
  nextLine: number;
  /** Where it stands in the file: from `offset` up to, and without, `end`. */
  offset: number;
  end: number;
  /** Cells of a CSV record, or a JSON object. */
  values: string[] | Record<string, unknown> | undefined;
  /** The numbers of a JSON object that would not come back as they are. */
  inexactNumbers?: Path[];
  /** Why there are no values. */
  problem?: string;
  /** It could not be told from its neighbours by the usual rules: read it by itself. */
  alone?: boolean;
}

/** Where to begin reading: a place between two rows. */
export interface Place {
  offset: number;
  line: number;
}

/** Longer than anything that would be accepted; past it a quote was probably never closed. */
export const ROW_BYTES_MAX = 256 * 1024;
export const READ_BYTES = 256 * 1024;
export const TOO_LONG = `is longer than ${ROW_BYTES_MAX} bytes`;

/** Behind the newline that follows a place, or the end of the file. */
export async function findLineEnd(file: FileHandle, from: number): Promise<number> {
  const chunk = Buffer.allocUnsafe(READ_BYTES);
  for (let at = from; ; ) {
    const { bytesRead } = await file.read(chunk, 0, READ_BYTES, at);
    const newline = chunk.subarray(0, bytesRead).indexOf(NEWLINE);
    if (newline >= 0) return at + newline + 1;
    at += bytesRead;
    if (bytesRead === 0) return at;
  }
}
