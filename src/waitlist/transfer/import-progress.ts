import { invalid } from '../../errors.ts';
import type { Place } from './raw-row.ts';

/** How far an import has come; kept in its job, and written in the transaction of what it counts. */
export interface ImportProgress {
  /** Rows are added; then referrers who came after those they referred are credited; then the notes on both go. */
  phase: 'rows' | 'links' | 'clean';
  rows: number;
  created: number;
  skipped: number;
  failed: number;
  codesTaken: number;
  /** Where the next row is: a place in the file, or, for a sorted import, `rows` alone. */
  next: Place;
  errorsBytes: number;
  /** The joining sequence before the first row. */
  baseSeq: number;
  /** Links are made up to this joining sequence. */
  linkedUpTo: number;
}

/** Two processes on one job would count every row twice. */
export function requireSameProgress(found: ImportProgress | undefined, known: ImportProgress): void {
  if (JSON.stringify(found) !== JSON.stringify(known)) {
    throw invalid('another process is running this import: wait until it finishes');
  }
}
