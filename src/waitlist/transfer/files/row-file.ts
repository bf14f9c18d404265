import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { invalid } from '../../../lib/errors.ts';
import { endOfTurn } from '../../../lib/promises.ts';
import { readCell } from './csv-record.ts';
import { readAlone, readCsvPiece, readCsvRows } from './csv-rows.ts';
import { readJsonRow, readJsonRows, readJsonText } from './json-rows.ts';
import { BAD_ROW_COLUMNS } from './presets.ts';
import type { ImportSource, RawRow, RowPosition } from './raw-row.ts';

export const FORMATS = ['csv', 'jsonl'] as const;
export type Format = (typeof FORMATS)[number];

const SAMPLE_BYTES = 64 * 1024;
const [RETURN, NEWLINE] = [0x0d, 0x0a];

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
  /** The objects are in cells of CSV: a file of bad rows. */
  inCells?: boolean;
  /** Lines end with CR alone. */
  endsInReturns?: boolean;
}

type RowShape = Pick<FileShape, 'format' | 'delimiter' | 'inCells' | 'endsInReturns'>;

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

export async function readSample(file: ImportSource, at: number): Promise<Buffer> {
  const sample = Buffer.alloc(SAMPLE_BYTES);
  const { bytesRead } = await file.read(sample, 0, SAMPLE_BYTES, at);
  return sample.subarray(0, bytesRead);
}

/** Others get a turn after each piece: an uploaded file can be read without waiting, and may be large. */
export async function* readRows(
  file: ImportSource,
  shape: RowShape,
  from: RowPosition,
): AsyncGenerator<RawRow[]> {
  for await (const rows of piecesOf(file, shape, from)) {
    yield rows;
    await endOfTurn();
  }
}

function piecesOf(file: ImportSource, shape: RowShape, from: RowPosition): AsyncGenerator<RawRow[]> {
  if (shape.inCells) return readObjectsInCells(file, shape, from);
  if (shape.format === 'jsonl') return readJsonRows(file, from);
  return readCsvRows(withNewlines(file, shape), shape.delimiter, from);
}

/** Reads a row whose bytes are known. `alone`: see `RawRow`. */
export function readRowAgain(
  bytes: Buffer,
  shape: RowShape,
  place: RowPosition & { alone: boolean },
): RawRow | undefined {
  if (shape.format === 'jsonl' && !shape.inCells) return readJsonRow(bytes, place);
  const row = (place.alone ? readAlone : readCsvPiece)(bytes, shape.delimiter, place);
  return shape.inCells ? objectInCells(row) : row;
}

/** Reads CR as LF. It is as long, so that places in the file stay the same. */
export function withNewlines(
  file: ImportSource,
  { endsInReturns }: Pick<FileShape, 'endsInReturns'>,
): ImportSource {
  if (!endsInReturns) return file;
  return {
    read: async (into, offset, length, position) => {
      const { bytesRead } = await file.read(into, offset, length, position);
      const bytes = into.subarray(offset, offset + bytesRead);
      for (let at = bytes.indexOf(RETURN); at >= 0; at = bytes.indexOf(RETURN, at + 1)) bytes[at] = NEWLINE;
      return { bytesRead };
    },
  };
}

async function* readObjectsInCells(
  file: ImportSource,
  shape: RowShape,
  from: RowPosition,
): AsyncGenerator<RawRow[]> {
  for await (const rows of readCsvRows(withNewlines(file, shape), shape.delimiter, from))
    yield rows.map(objectInCells);
}

function objectInCells({ values, ...row }: RawRow): RawRow {
  if (!Array.isArray(values) || row.problem !== undefined) return { ...row, values: undefined };
  const text = readCell(values[BAD_ROW_COLUMNS.length] ?? '');
  return readJsonText(text, { ...row, text }) ?? { ...row, text, values: undefined, problem: 'is empty' };
}
