import { endOfTurn } from '../../../lib/promises.ts';
import { parseReferrer } from '../../people/identity.ts';
import type { Context } from '../../queue/context.ts';
import type { Queue } from '../../queue/queue.ts';
import { PIECE_BYTES, type RawRow } from '../files/raw-row.ts';
import { type ImportCandidate, prepareImport } from './import-candidate.ts';
import type { Columns } from './import-plan.ts';
import { type Found, NOTHING_FOUND, noteRow } from './import-progress.ts';
import { type ImportRow, type RowProblem, readRow } from './import-row.ts';

export interface CheckedRows {
  good: ImportCandidate[];
  bad: { raw: RawRow; problems: RowProblem[] }[];
  /** What is lost of good rows. */
  losses: RowProblem[];
  nobody: number;
  found: Found;
}

const UNUSABLE_CODE =
  'cannot be used by signups: a code has 1 to 64 printable ASCII characters, and looks like no email or phone';

/** So few that requests to the same process, and answers of the database, hardly wait: some milliseconds of work. */
const ROWS_A_TURN = 100;
const BYTES_A_TURN = PIECE_BYTES;

/** Reads, checks and seals rows. */
export async function checkRows(
  { clock }: Context,
  queue: Queue,
  columns: Columns,
  rows: readonly RawRow[],
  { confirmed }: { confirmed: boolean },
): Promise<CheckedRows> {
  const checked: CheckedRows = { good: [], bad: [], losses: [], nobody: 0, found: { ...NOTHING_FOUND } };
  let [count, bytes] = [0, 0];
  for (const raw of rows) {
    if (count >= ROWS_A_TURN || bytes >= BYTES_A_TURN) {
      await endOfTurn();
      [count, bytes] = [0, 0];
    }
    count += 1;
    bytes += raw.end - raw.offset;
    checkRow(checked, queue, columns, raw, { now: clock(), confirmed });
  }
  return checked;
}

function checkRow(
  checked: CheckedRows,
  queue: Queue,
  columns: Columns,
  raw: RawRow,
  { now, confirmed }: { now: number; confirmed: boolean },
): void {
  const fields = columns.fieldsOf(raw);
  const read = readRow(raw, columns.count, fields, { now, readTime: columns.readTime });
  if ('row' in read) {
    noteRow(checked.found, fields, []);
    noteCode(checked, read.row);
    checked.good.push(prepareImport(queue, read.row, { now, confirmed }));
  } else if ('nobody' in read) checked.nobody += 1;
  else {
    noteRow(checked.found, fields, read.problems);
    checked.bad.push({ raw, problems: read.problems });
  }
}

/** It still leads to its owner within imports, so that nobody loses a referral that there was. */
function noteCode({ losses, found }: CheckedRows, { referralCode, line }: ImportRow): void {
  if (referralCode === undefined) return;
  const read = parseReferrer(referralCode);
  if (read?.kind === 'referral' && read.key === referralCode) return;
  found.codesUnusable += 1;
  losses.push({ line, field: 'referralCode', reason: UNUSABLE_CODE });
}
