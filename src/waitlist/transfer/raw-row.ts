import type { Path } from '../../json/numbers.ts';

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
