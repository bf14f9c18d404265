import { writeCell } from '../files/cells.ts';
import { BAD_ROW_COLUMNS, JSON_ROW_COLUMN } from '../files/presets.ts';
import { type ImportSource, type RawRow, ROW_BYTES_MAX } from '../files/raw-row.ts';
import type { FileShape } from '../files/row-file.ts';
import type { RowProblem } from './import-row.ts';

/** Of a row that could not be read. */
const TEXT_BYTES_MAX = 16 * 1024;

/** A row that was not imported, with what it says. */
export interface BadRow {
  line: number;
  reason: string;
  cells: readonly string[];
}

/** The first two columns are left out when the corrected file is imported. */
export function badRowsHead({ format, columns }: Pick<FileShape, 'format' | 'columns'>): string {
  return csvLine([...BAD_ROW_COLUMNS, ...(format === 'csv' ? columns : [JSON_ROW_COLUMN])]);
}

export const BAD_ROWS_FULL = csvLine(['', 'this file is full: further bad rows are only counted']);

export function badRowLines(rows: readonly BadRow[]): string[] {
  return rows.map(({ line, reason, cells }) => csvLine([String(line), reason, ...cells]));
}

function csvLine(cells: readonly string[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

/** Cells of CSV as they are, and the text of everything else. */
export async function describeBadRow(
  file: ImportSource,
  raw: RawRow,
  problems: readonly RowProblem[],
): Promise<BadRow> {
  const reason = problems
    .map(({ field, reason }) => (field === null ? reason : `${field}: ${reason}`))
    .join('; ');
  const cells = Array.isArray(raw.values) ? raw.values : [raw.text ?? (await textOf(file, raw))];
  return { line: raw.line, reason, cells };
}

async function textOf(file: ImportSource, { offset, end, values }: RawRow): Promise<string> {
  const bytes = Buffer.alloc(Math.min(end - offset, values ? ROW_BYTES_MAX : TEXT_BYTES_MAX));
  const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
  return bytes.toString('utf8', 0, bytesRead).replace(/\r?\n$|\r$/, '');
}
