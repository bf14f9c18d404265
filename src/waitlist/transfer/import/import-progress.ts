import { STATUSES } from '../../../db/tables.ts';
import { invalid } from '../../../lib/errors.ts';
import type { RowPosition } from '../files/raw-row.ts';
import type { FileShape } from '../files/row-file.ts';
import { type Fields, type RowProblem, readText } from './import-row.ts';

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
  /** Jobs from earlier releases do not have it, nor `rowsBytes`. */
  found?: Found;
  /** Where the next row starts in the file. A sorted import uses only `rows`. */
  next: RowPosition;
  errorsBytes: number;
  rowsBytes?: number;
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
  return { rows, created, skipped, failed, codesTaken, ...(found && { found }) };
}

/** Two processes on one job would count every row twice. */
export function requireSameProgress(found: ImportProgress | undefined, known: ImportProgress): void {
  if (JSON.stringify(found) !== JSON.stringify(known)) {
    throw invalid('another process is running this import: wait until it finishes');
  }
}

/** What an import found in the rows of a file, in numbers. */
export interface Found {
  /** Rows with the time at which somebody joined. */
  times: number;
  /** Rows with a time that could not be read. They are bad rows. */
  timesUnread: number;
  /** Rows that name a referrer. */
  referrals: number;
  /** People who were added without the referrer that they name, because there is no such person. */
  referralsUnresolved: number;
  /** People who were added without one, because they refer themselves or one another in a circle. */
  referralsCircular: number;
  /** Rows with a status. */
  statuses: number;
  /** Rows with a status that we do not have. */
  statusesUnread: number;
  phones: number;
  /** Rows whose own referral code no signup can name. They are imported all the same. */
  codesUnusable: number;
}

export const NOTHING_FOUND: Found = {
  times: 0,
  timesUnread: 0,
  referrals: 0,
  referralsUnresolved: 0,
  referralsCircular: 0,
  statuses: 0,
  statusesUnread: 0,
  phones: 0,
  codesUnusable: 0,
};

/** Jobs from earlier releases have no counts yet. */
export function addFound(a: Found | undefined, b: Partial<Found>): Found {
  const sum = { ...NOTHING_FOUND, ...a };
  for (const name of Object.keys(NOTHING_FOUND) as (keyof Found)[]) sum[name] += b[name] ?? 0;
  return sum;
}

/** Counts what a row has, whether it is imported or not. */
export function noteRow(
  found: Found,
  { joinedAt, referredBy, status, phone }: Fields,
  problems: readonly RowProblem[],
): void {
  const isBad = (name: string) => problems.some(({ field }) => field === name);
  if (joinedAt !== undefined) found[isBad('joinedAt') ? 'timesUnread' : 'times'] += 1;
  if (readText(referredBy) !== undefined) found.referrals += 1;
  const text = readText(status)?.toLowerCase();
  if (text !== undefined) found[STATUSES.some((name) => name === text) ? 'statuses' : 'statusesUnread'] += 1;
  if (phone !== undefined && !isBad('phone')) found.phones += 1;
}
