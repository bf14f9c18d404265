import { type ColumnChoice, resolveColumns } from './columns.ts';
import type { ImportSource } from './raw-row.ts';
import { type FileShape, readRows } from './row-file.ts';
import { TimeEvidence, type TimesFound } from './time-evidence.ts';
import type { TimeFormat } from './times.ts';

/** JSON objects may all have other keys. Later ones become metadata all the same. */
const JSON_COLUMNS_MAX = 500;

interface Survey {
  /** Rows, not lines. */
  rows: number;
  /** For JSON Lines, also the keys that the first object lacks. */
  columns: string[];
  /** null if no column has times. */
  times: TimesFound | null;
}

/** What the operator says about times. null is for what the file says. */
export interface TimeWishes {
  format: TimeFormat | null;
  zone: string | null;
}

/**
 * Reads a file once before it is imported: how many rows there are, and how times are written. Only a later row may
 * tell whether 03/04/2026 is in March.
 */
export async function surveyFile(
  file: ImportSource,
  shape: FileShape,
  choice: ColumnChoice,
  wishes: TimeWishes,
): Promise<Survey> {
  const columns = new Set(shape.columns);
  const evidence = new TimeEvidence();
  let timeColumns = timeColumnsOf(choice, [...columns]);
  const indexes = timeColumns.map(({ name }) => shape.columns.indexOf(name));
  let rows = 0;
  for await (const some of readRows(file, shape, shape.first)) {
    rows += some.length;
    for (const { values } of some) {
      if (Array.isArray(values)) {
        for (const index of indexes) addTime(evidence, values[index]);
      } else if (values) {
        if (addKeys(columns, values)) timeColumns = timeColumnsOf(choice, [...columns]);
        for (const { name } of timeColumns) if (Object.hasOwn(values, name)) addTime(evidence, values[name]);
      }
    }
  }
  const [first] = timeColumns;
  const zone = wishes.zone ?? timeColumns.find((column) => column.zone !== null)?.zone ?? null;
  const times = first ? evidence.read(first.name, wishes.format, zone) : null;
  return { rows, columns: [...columns], times };
}

function timeColumnsOf(choice: ColumnChoice, columns: readonly string[]) {
  return resolveColumns(choice, columns).filter(({ field }) => field === 'joinedAt');
}

function addTime(evidence: TimeEvidence, value: unknown): void {
  if (value !== undefined && value !== null && value !== '') evidence.add(value);
}

function addKeys(columns: Set<string>, values: Record<string, unknown>): boolean {
  const before = columns.size;
  for (const key of Object.keys(values)) if (columns.size < JSON_COLUMNS_MAX) columns.add(key);
  return columns.size > before;
}
