import { type FileHandle, open, rm } from 'node:fs/promises';
import { createPrivateFile, findOutputFile, writeProblem } from '../../../lib/files.ts';
import { writeCell } from '../files/csv-record.ts';
import { BAD_ROW_COLUMNS, JSON_ROW_COLUMN } from '../files/presets.ts';
import { type ImportSource, type RawRow, ROW_BYTES_MAX } from '../files/raw-row.ts';
import type { FileShape } from '../files/row-file.ts';
import type { RowProblem } from './import-row.ts';

/** About 100,000 rows: more than anyone reads, and a garbage file cannot fill the disk. */
export const ERRORS_FILE_BYTES_MAX = 10 * 1024 * 1024;
const FULL = 'this file is full: further bad rows are only counted';
const FULL_LINE = `${JSON.stringify({ line: null, field: null, reason: FULL })}\n`;

/** A text that grows with an import, and is cut back to its last commit when the import continues. */
export interface TextFile {
  /** Returns the new length in bytes. */
  append(lines: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

/** Lists bad rows by line, field and reason, without their data. Created with the first bad row. */
export interface ErrorsFile {
  append(problems: readonly RowProblem[]): Promise<number>;
  close(): Promise<void>;
}

/** Lists bad rows with their data. */
export interface BadRowsFile {
  append(rows: readonly BadRow[]): Promise<number>;
  close(): Promise<void>;
}

export function errorsIn(text: TextFile): ErrorsFile {
  return {
    ...text,
    append: (problems) => text.append(problems.map((problem) => `${JSON.stringify(problem)}\n`)),
  };
}

export function badRowsIn(text: TextFile): BadRowsFile {
  return { ...text, append: (rows) => text.append(badRowLines(rows)) };
}

/** Continues where the import's last commit left off, because the rows after it will be read again. */
export async function openErrorsFile(path: string, keepBytes: number): Promise<ErrorsFile> {
  return errorsIn(await openTextFile(path, keepBytes, '', FULL_LINE));
}

export async function openTextFile(
  path: string,
  keepBytes: number,
  head: string,
  full: string,
): Promise<TextFile> {
  const target = await findOutputFile(path);
  const name = target.path;
  // The reader of a pipe waits for its end, even if there is nothing to read.
  let file: FileHandle | undefined = target.isStream ? await open(name, 'a') : undefined;
  let size = keepBytes;
  // A file from an earlier import would list other rows.
  if (keepBytes === 0 && !target.isStream) await rm(name, { force: true });
  const write = async (lines: readonly string[]) => {
    if (!file) {
      file = keepBytes === 0 ? await createPrivateFile(name) : await open(name, 'a', 0o600);
      size = Math.min(size, (await file.stat()).size);
      await file.truncate(size);
    }
    const text = (size === 0 ? head : '') + linesFor(lines, ERRORS_FILE_BYTES_MAX - size, full);
    await file.appendFile(text);
    if (!target.isStream) await file.datasync(); // The next commit marks these rows as done.
    size += Buffer.byteLength(text);
  };
  return {
    append: async (lines) => {
      if (lines.length > 0 && size < ERRORS_FILE_BYTES_MAX)
        await write(lines).catch((error) => {
          throw writeProblem(path, error);
        });
      return size;
    },
    close: async () => {
      await file?.close();
    },
  };
}

/** Stops at the line that fills the file, and then says that there are more. */
export function linesFor(lines: readonly string[], room: number, full: string = FULL_LINE): string {
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length >= room) return text + full;
  }
  return text;
}

/** Of a row that could not be read. */
const TEXT_BYTES_MAX = 16 * 1024;

/** A row that was not imported, with what it says. */
interface BadRow {
  line: number;
  reason: string;
  cells: readonly string[];
}

/** The first two columns are left out when the corrected file is imported. */
export function badRowsHead({ format, columns }: Pick<FileShape, 'format' | 'columns'>): string {
  return csvLine([...BAD_ROW_COLUMNS, ...(format === 'csv' ? columns : [JSON_ROW_COLUMN])]);
}

export const BAD_ROWS_FULL = csvLine(['', 'this file is full: further bad rows are only counted']);

function badRowLines(rows: readonly BadRow[]): string[] {
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
