import { invalid } from '../../../lib/errors.ts';
import { type ColumnChoice, type ColumnPlace, chooseColumns, choosePlaces } from '../files/columns.ts';
import type { ImportSource, RawRow } from '../files/raw-row.ts';
import type { FileIdentity, FileShape } from '../files/row-file.ts';
import { isInOrder, type Order, type OrderKey } from '../files/row-order.ts';
import type { TimesFound } from '../files/time-evidence.ts';
import { type TimeReader, timeReader, UTC_TIMES } from '../files/times.ts';
import { type Fields, sortValues } from './import-row.ts';

/** The options of an import, sealed in its job so that it continues as it started. */
export interface ImportPlan {
  identity: FileIdentity;
  shape: FileShape;
  choice: ColumnChoice;
  order: Order;
  /** null if no column has times. */
  times: TimesFound | null;
  /** How many rows the file has. */
  rows: number;
  /** The rows are not in that order in the file. */
  sorted: boolean;
  errorsFile: string;
  /** Where bad rows are written with their content, or null for nowhere. */
  badRowsFile: string | null;
  events: boolean;
  /** Who vouches that the emails are confirmed, or null for nobody. */
  confirmedBy: string | null;
}

/** How to read the columns of one file. */
export interface Columns {
  fieldsOf(raw: RawRow): Fields;
  keyOf: OrderKey;
  readTime: TimeReader;
  count: number;
  /** Whether rows may have the referral codes that other rows refer to. */
  hasCodes: boolean;
}

export function readColumns({
  shape,
  choice,
  order,
  times,
}: Pick<ImportPlan, 'shape' | 'choice' | 'order' | 'times'>): Columns {
  const choose = choosePlaces(choice, shape.columns);
  const known = new Map<string, ColumnPlace>();
  const placeOf = (column: string) => {
    const place = known.get(column) ?? choose(column);
    known.set(column, place);
    return place;
  };
  const fieldsOf = (raw: RawRow) => sortValues(raw, shape.columns, placeOf);
  const readTime = timeReader(times ?? UTC_TIMES);
  return {
    fieldsOf,
    keyOf: (raw) => keyOf(order, fieldsOf(raw), readTime),
    readTime,
    count: shape.format === 'csv' ? shape.columns.length : Number.POSITIVE_INFINITY,
    hasCodes:
      shape.format === 'jsonl' || shape.columns.some((column) => placeOf(column).field === 'referralCode'),
  };
}

function keyOf(order: Order, { joinedAt, position }: Fields, readTime: TimeReader): number {
  const value = order === 'joined' ? joinedAt : position;
  if (value === undefined || order === 'file') return Number.POSITIVE_INFINITY;
  const key = order === 'joined' ? readTime(value) : Number(value);
  return key === undefined || Number.isNaN(key) ? Number.POSITIVE_INFINITY : key;
}

/** Rejects an impossible choice of columns before reading anything. */
export function checkChoice(shape: FileShape, choice: ColumnChoice): void {
  const choose = chooseColumns(choice, shape.columns);
  const names = shape.columns.map((column) => `"${column}"`).join(', ');
  const found = names === '' ? 'the file has no columns' : `the columns are ${names}`;
  const missing = Object.keys(choice.map).find((column) => !shape.columns.includes(column));
  if (shape.format === 'csv' && missing !== undefined)
    throw invalid(`map: there is no column "${missing}"; ${found}`);
  const targets = shape.columns.map(choose);
  if (!targets.includes('email') && !targets.includes('phone')) {
    throw invalid(`map: no email or phone column; ${found}. Name one: COLUMN=email`);
  }
}

/** A position column that the operator named takes precedence over a time; a guessed one does not. */
export function chooseOrder(shape: FileShape, choice: ColumnChoice, wanted: Order | undefined): Order {
  const choose = chooseColumns(choice, shape.columns);
  const targets = shape.columns.map(choose);
  const order = ((): Order => {
    if (Object.values(choice.map).includes('position')) return 'position';
    if (choice.own) return 'file'; // Our exports are written in joining order.
    if (targets.includes('joinedAt')) return 'joined';
    return targets.includes('position') ? 'position' : 'file';
  })();
  const field = wanted === 'joined' ? 'joinedAt' : wanted;
  if (field !== undefined && field !== 'file' && !targets.includes(field)) {
    throw invalid(`order: no ${field} column. Name one in the column map: COLUMN=${field}`);
  }
  return wanted ?? order;
}

export async function needsSorting(
  file: ImportSource,
  plan: Pick<ImportPlan, 'shape' | 'choice' | 'order' | 'times'>,
): Promise<boolean> {
  return plan.order !== 'file' && !(await isInOrder(file, plan.shape, readColumns(plan).keyOf));
}
