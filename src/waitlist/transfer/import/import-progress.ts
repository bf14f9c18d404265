import { invalid } from '../../../lib/errors.ts';
import type { RowPosition } from '../files/raw-row.ts';
import type { FileShape } from '../files/row-file.ts';
import { type Found, NOTHING_FOUND } from './import-found.ts';

/** Stored in the import's job, in the same transaction as the rows it counts. */
export interface ImportProgress {
  /**
   * First, rows are added. Then referrers who joined after those they referred are credited. Then the
   * temporary data is deleted.
   */
  phase: 'rows' | 'links' | 'clean';
  rows: number;
  created: number;
  skipped: number;
  failed: number;
  codesTaken: number;
  found: Found;
  /** Where the next row starts in the file. A sorted import uses only `rows`. */
  next: RowPosition;
  errorsBytes: number;
  rowsBytes: number;
  /** The joining sequence before the first row. */
  baseSeq: number;
  /** Links are made up to this joining sequence. */
  linkedUpTo: number;
}

export function startOf({ first }: Pick<FileShape, 'first'>, lastSeq: number): ImportProgress {
  return {
    phase: 'rows',
    rows: 0,
    created: 0,
    skipped: 0,
    failed: 0,
    codesTaken: 0,
    found: NOTHING_FOUND,
    next: first,
    errorsBytes: 0,
    rowsBytes: 0,
    baseSeq: lastSeq,
    linkedUpTo: 0,
  };
}

/** What operators see of it, also if it is cancelled. */
export function resultOf({ rows, created, skipped, failed, codesTaken, found }: ImportProgress) {
  return { rows, created, skipped, failed, codesTaken, found };
}

/** Two processes on one job would count every row twice. */
export function requireSameProgress(found: ImportProgress | undefined, known: ImportProgress): void {
  if (JSON.stringify(found) !== JSON.stringify(known)) {
    throw invalid('another process is running this import: wait until it finishes');
  }
}
