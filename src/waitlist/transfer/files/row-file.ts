import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { invalid } from '../../../lib/errors.ts';
import { isOwnExport, nameColumns } from './columns.ts';
import { readCsvRows } from './csv-rows.ts';
import { readJsonRows } from './json-rows.ts';
import type { ImportSource, RawRow, RowPosition } from './raw-row.ts';

export const FORMATS = ['csv', 'jsonl'] as const;
export type Format = (typeof FORMATS)[number];

const SAMPLE_BYTES = 64 * 1024;
const DELIMITERS = [',', ';', '\t', '|'];

/** Detects whether a file is still the one that an import started with. */
export interface FileIdentity {
  size: number;
  /** Of its beginning and its end. */
  hash: string;
}

/** How the rows of a file are written. */
export interface FileShape {
  format: Format;
  delimiter: string;
  /** Names of the CSV columns, or for JSON Lines the keys of the first object. */
  columns: string[];
  /** Where the rows begin. */
  first: RowPosition;
  own: boolean;
}

export async function openImportFile(path: string): Promise<FileHandle> {
  try {
    const file = await open(path, 'r');
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw invalid(code === 'ENOENT' ? `there is no file ${path}` : `cannot read ${path} (${code})`);
  }
  throw invalid(`${path} must be a regular file, not a pipe or a directory`);
}

export async function identifyFile(file: FileHandle): Promise<FileIdentity> {
  const { size } = await file.stat();
  const hash = createHash('sha256');
  for (const at of [0, Math.max(0, size - SAMPLE_BYTES)]) hash.update(await readSample(file, at));
  return { size, hash: hash.digest('base64url') };
}

async function readSample(file: ImportSource, at: number): Promise<Buffer> {
  const sample = Buffer.alloc(SAMPLE_BYTES);
  const { bytesRead } = await file.read(sample, 0, SAMPLE_BYTES, at);
  return sample.subarray(0, bytesRead);
}

export async function detectShape(file: ImportSource, path: string, format?: Format): Promise<FileShape> {
  const head = await readSample(file, 0);
  if (/^(\xff\xfe|\xfe\xff|\0|.\0)/.test(head.toString('latin1', 0, 2)))
    throw invalid(`${path} is UTF-16: save it as UTF-8 and try again`);
  const text = head.toString().replace(/^\uFEFF/, '');
  if (text.trim() === '') throw invalid(`${path} is empty`);
  return (format ?? guessFormat(path, text)) === 'jsonl' ? jsonShape(file) : csvShape(file, text);
}

function guessFormat(path: string, text: string): Format {
  if (/\.(jsonl|ndjson)$/i.test(path)) return 'jsonl';
  return /\.(csv|tsv|txt)$/i.test(path) || !text.trimStart().startsWith('{') ? 'csv' : 'jsonl';
}

async function jsonShape(file: ImportSource): Promise<FileShape> {
  const first = { offset: 0, line: 1 };
  const row = await firstRow(readJsonRows(file, first));
  const columns = Object.keys(row?.values ?? {});
  return { format: 'jsonl', delimiter: '', columns, first, own: isOwnExport(columns) };
}

async function csvShape(file: ImportSource, text: string): Promise<FileShape> {
  const delimiter = guessDelimiter(text);
  const row = await firstRow(readCsvRows(file, delimiter, { offset: 0, line: 1 }));
  if (!Array.isArray(row?.values))
    throw invalid(`the first row must contain the column names; it ${row?.problem}`);
  const columns = nameColumns(row.values);
  return {
    format: 'csv',
    delimiter,
    columns,
    first: { offset: row.end, line: row.nextLine },
    own: isOwnExport(columns),
  };
}

async function firstRow(rows: AsyncGenerator<RawRow[]>): Promise<RawRow | undefined> {
  for await (const [row] of rows) if (row) return row;
  return undefined;
}

/** Picks the delimiter that is most frequent in the header, outside quotes. */
function guessDelimiter(text: string): string {
  const header = (text.trimStart().match(/^(?:"(?:[^"]|"")*"|[^"\r\n])*/)?.[0] ?? '').replace(
    /"(?:[^"]|"")*"/g,
    '',
  );
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

export function readRows(file: ImportSource, shape: FileShape, from: RowPosition): AsyncGenerator<RawRow[]> {
  return shape.format === 'csv' ? readCsvRows(file, shape.delimiter, from) : readJsonRows(file, from);
}
