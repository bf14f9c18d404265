import { parseEmail } from '../../../lib/email.ts';
import { invalid } from '../../../lib/errors.ts';
import { parsePhone } from '../../people/identity.ts';
import { isOwnExport, nameColumns } from './columns.ts';
import { readCsvRows } from './csv-rows.ts';
import { BAD_ROW_COLUMNS, JSON_ROW_COLUMN } from './presets.ts';
import type { ImportSource, RawRow } from './raw-row.ts';
import { type FileShape, type Format, readRows, readSample, withNewlines } from './row-file.ts';

const DELIMITERS = [',', ';', '\t', '|'];
const QUOTED = /"(?:[^"]|"")*(?:"|$)/g;
/** The first bytes of Excel's formats: of a ZIP file, and of a compound file. */
const SPREADSHEETS = ['504b0304', 'd0cf11e0'];
const BAD_JSON_ROWS = [...BAD_ROW_COLUMNS, JSON_ROW_COLUMN];

export async function detectShape(file: ImportSource, path: string, format?: Format): Promise<FileShape> {
  const head = await readSample(file, 0);
  if (SPREADSHEETS.includes(head.toString('hex', 0, 4)))
    throw invalid(`${path} is an Excel or ZIP file, not CSV: open it, save it as CSV and try again`);
  if (/^(\xff\xfe|\xfe\xff|\0|.\0)/.test(head.toString('latin1', 0, 2)))
    throw invalid(`${path} is UTF-16: save it as UTF-8 and try again`);
  const text = head.toString().replace(/^\uFEFF/, '');
  if (text.trim() === '') throw invalid(`${path} is empty`);
  if ((format ?? guessFormat(path, text)) === 'csv') return csvShape(file, path, text);
  return jsonShape(file, path, { format: 'jsonl', delimiter: '', first: { offset: 0, line: 1 } });
}

function guessFormat(path: string, text: string): Format {
  if (/\.(jsonl|ndjson)$/i.test(path)) return 'jsonl';
  return /\.(csv|tsv|txt)$/i.test(path) || !text.trimStart().startsWith('{') ? 'csv' : 'jsonl';
}

async function csvShape(file: ImportSource, path: string, text: string): Promise<FileShape> {
  const delimiter = guessDelimiter(text);
  const lines = endInReturns(text) ? { endsInReturns: true } : {};
  const row = await firstRow(readCsvRows(withNewlines(file, lines), delimiter, { offset: 0, line: 1 }));
  if (!Array.isArray(row?.values) || row.problem !== undefined)
    throw invalid(`the first row must contain the column names; it ${row?.problem}`);
  if (row.values.some((cell) => parseEmail(cell) ?? parsePhone(cell)))
    throw invalid(
      'the first row must contain the column names; it has a person. Add a row above it, such as: email',
    );
  const columns = nameColumns(row.values);
  const first = { offset: row.end, line: row.nextLine };
  const isBadJsonRows =
    columns.length === BAD_JSON_ROWS.length && columns.every((name, at) => name === BAD_JSON_ROWS[at]);
  if (isBadJsonRows)
    return jsonShape(file, path, { format: 'jsonl', delimiter, ...lines, first, inCells: true });
  return { format: 'csv', delimiter, ...lines, columns, first, own: isOwnExport(columns) };
}

async function firstRow(rows: AsyncGenerator<RawRow[]>): Promise<RawRow | undefined> {
  for await (const [row] of rows) if (row) return row;
  return undefined;
}

/** The columns are the keys of the first object that can be read. */
async function jsonShape(
  file: ImportSource,
  path: string,
  shape: Omit<FileShape, 'columns' | 'own'>,
): Promise<FileShape> {
  let bad: RawRow | undefined;
  for await (const rows of readRows(file, shape, shape.first)) {
    const row = rows.find(({ values }) => values !== undefined);
    const columns = Object.keys(row?.values ?? {});
    if (row) return { ...shape, columns, own: isOwnExport(columns) };
    bad ??= rows[0];
  }
  if (!bad) throw invalid(`${path} has no rows`);
  throw invalid(`${path} has no row that can be read: line ${bad.line} ${bad.problem}`);
}

/** Picks the delimiter that is most frequent in the header, outside quotes. */
function guessDelimiter(text: string): string {
  const header = (text.trimStart().match(/^(?:"(?:[^"]|"")*"|[^"\r\n])*/)?.[0] ?? '').replace(QUOTED, '');
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Whether lines end with CR, as on a classic Mac, and none with LF. */
function endInReturns(text: string): boolean {
  const unquoted = text.replace(QUOTED, '""');
  return /\r[^\n]/.test(unquoted) && !unquoted.includes('\n');
}
