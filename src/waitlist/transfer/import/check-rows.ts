import { endOfTurn } from '../../../lib/end-of-turn.ts';
import type { Context } from '../../queue/context.ts';
import type { Queue } from '../../queue/queue.ts';
import type { RawRow } from '../files/raw-row.ts';
import { type ImportCandidate, prepareImport } from './import-candidate.ts';
import { type Found, NOTHING_FOUND, noteRow } from './import-found.ts';
import type { Columns } from './import-plan.ts';
import { type RowProblem, readRow } from './import-row.ts';

export interface CheckedRows {
  good: ImportCandidate[];
  bad: { raw: RawRow; problems: RowProblem[] }[];
  nobody: number;
  found: Found;
}

/** So few that requests to the same process, and answers of the database, hardly wait: about 2 ms of work. */
const ROWS_A_TURN = 100;

/** Reads, checks and seals rows. */
export async function checkRows(
  { clock }: Context,
  queue: Queue,
  columns: Columns,
  rows: readonly RawRow[],
  { confirmed }: { confirmed: boolean },
): Promise<CheckedRows> {
  const checked: CheckedRows = { good: [], bad: [], nobody: 0, found: { ...NOTHING_FOUND } };
  for (const [index, raw] of rows.entries()) {
    if (index % ROWS_A_TURN === ROWS_A_TURN - 1) await endOfTurn();
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
    checked.good.push(prepareImport(queue, read.row, { now, confirmed }));
  } else if ('nobody' in read) checked.nobody += 1;
  else {
    noteRow(checked.found, fields, read.problems);
    checked.bad.push({ raw, problems: read.problems });
  }
}
