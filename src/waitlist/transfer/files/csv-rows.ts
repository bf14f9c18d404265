import { isUtf8 } from 'node:buffer';
import { NUL_CHARACTERS } from '../../../json/strict.ts';
import { readCsvLine, readCsvRecord } from './csv-record.ts';
import {
  findLineEnd,
  type ImportSource,
  NOT_UTF8,
  PIECE_BYTES,
  type RawRow,
  READ_BYTES,
  ROW_BYTES_MAX,
  type RowPosition,
  TOO_LONG,
} from './raw-row.ts';

const [QUOTE, RETURN, NEWLINE] = [0x22, 0x0d, 0x0a];
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/**
 * Reads the rows of a CSV file in pieces, starting at a given place. Malformed rows are reported, and reading
 * continues on the next line: one stray quote must not swallow the rest of the file. A row that is only too long is
 * reported once, and reading continues behind it: what is in its cells are no rows.
 */
export async function* readCsvRows(
  file: ImportSource,
  delimiter: string,
  from: RowPosition,
): AsyncGenerator<RawRow[]> {
  const chunk = Buffer.allocUnsafe(READ_BYTES);
  let { offset, line } = from;
  let rest: Buffer = Buffer.alloc(0);
  /** Once a cell was followed to the end of the file without finding its quote, no other one can have it. */
  let isOpenToEnd = false;
  const endOf = async (start: number) => {
    const found = isOpenToEnd ? 'open' : await findRecordEnd(file, delimiter, start);
    isOpenToEnd ||= found === 'open';
    return found;
  };
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, READ_BYTES, offset + rest.length);
    const isEnd = bytesRead === 0;
    const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    let rows: RawRow[] = [];
    let at = offset === 0 && bytes.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0;
    for (let handedOut = at; at < bytes.length; ) {
      const place = { offset: offset + at, line };
      let row = nextRow(bytes, at, delimiter, place, isEnd);
      if (!row) break;
      if (row === 'open') {
        const found = await endOf(place.offset);
        row = typeof found === 'string' ? lineAlone(bytes, at, delimiter, place) : tooLong(place, found);
      }
      if (!isEmpty(bytes, at, row.end - offset)) rows.push(row);
      at = row.end - offset;
      line = row.nextLine;
      if (at - handedOut < PIECE_BYTES) continue;
      yield rows;
      rows = [];
      handedOut = at;
    }
    offset += at;
    rest = bytes.subarray(Math.min(at, bytes.length));
    if (rest.length > ROW_BYTES_MAX) {
      const found = await endOf(offset);
      const end = async () => ({ end: await findLineEnd(file, offset + rest.length), lines: 1 });
      const row = tooLong({ offset, line }, typeof found === 'string' ? await end() : found);
      rows.push(row);
      line = row.nextLine;
      offset = row.end;
      rest = Buffer.alloc(0);
    }
    yield rows;
    if (isEnd) return;
  }
}

/** Returns undefined if more bytes are needed, and `open` if there are too many already. */
function nextRow(
  bytes: Buffer,
  at: number,
  delimiter: string,
  { offset, line }: RowPosition,
  isEnd: boolean,
): RawRow | 'open' | undefined {
  const newline = bytes.indexOf(NEWLINE, at);
  if (newline < 0 && !isEnd) return undefined;
  const lineEnd = newline < 0 ? bytes.length : newline + 1;
  const record = readCsvRecord(bytes, at, lineEnd, delimiter, isEnd);
  if (record === 'open' && !isEnd) return bytes.length - at <= ROW_BYTES_MAX ? undefined : 'open';
  if (typeof record === 'string') return lineAlone(bytes, at, delimiter, { offset, line });
  const end = offset + record.end - at;
  if (record.end - at > ROW_BYTES_MAX) return tooLong({ offset, line }, { end, lines: record.lines });
  const row = { line, nextLine: line + record.lines, offset, end };
  return withCells(row, record.cells, bytes, at, record.end);
}

function tooLong({ offset, line }: RowPosition, { end, lines }: { end: number; lines: number }): RawRow {
  const row = { line, nextLine: line + lines, offset, end, alone: true };
  return { ...row, values: undefined, problem: TOO_LONG };
}

function lineAlone(bytes: Buffer, at: number, delimiter: string, place: RowPosition): RawRow {
  const newline = bytes.indexOf(NEWLINE, at);
  return readAlone(bytes.subarray(at, newline < 0 ? bytes.length : newline + 1), delimiter, place);
}

function isEmpty(bytes: Buffer, from: number, to: number): boolean {
  return to - from <= 2 && /^\r?\n?$/.test(bytes.toString('latin1', from, to));
}

/** Reads a single line. Quotes in the middle of a cell are taken literally. */
export function readAlone(bytes: Buffer, delimiter: string, { offset, line }: RowPosition): RawRow {
  const row = { line, nextLine: line + 1, offset, end: offset + bytes.length, alone: true };
  if (bytes.length > ROW_BYTES_MAX) return { ...row, values: undefined, problem: TOO_LONG };
  const cells = readCsvLine(bytes.toString(), delimiter);
  if (cells) return withCells(row, cells, bytes, 0, bytes.length);
  return { ...row, values: undefined, problem: 'is not CSV: a quoted cell is never closed' };
}

/** Reads a row from anywhere in the file that is known to be well formed. */
export function readCsvPiece(piece: Buffer, delimiter: string, { offset, line }: RowPosition): RawRow {
  const newline = piece.indexOf(NEWLINE);
  const record = readCsvRecord(piece, 0, newline < 0 ? piece.length : newline + 1, delimiter, true);
  const row = { line, nextLine: line, offset, end: offset + piece.length };
  if (typeof record === 'string') return { ...row, values: undefined };
  return withCells(row, record.cells, piece, 0, piece.length);
}

function withCells(
  row: Omit<RawRow, 'values'>,
  values: string[],
  bytes: Buffer,
  from: number,
  to: number,
): RawRow {
  // Bytes that are no UTF-8 are decoded as U+FFFD, which a file can also contain.
  if (values.some((cell) => cell.includes('\uFFFD')) && !isUtf8(bytes.subarray(from, to)))
    return { ...row, values, problem: NOT_UTF8 };
  if (values.some((cell) => cell.includes('\0'))) return { ...row, values, problem: NUL_CHARACTERS };
  return { ...row, values };
}

/** Where a record ends, after its newline, and how many lines it spans. */
interface RecordEnd {
  end: number;
  lines: number;
}

/**
 * Follows a record that is too long to keep. By the rules of `readCsvRecord`, so that it is `open` if a quoted cell never
 * ends, and `broken` if something follows a closing quote.
 */
async function findRecordEnd(
  file: ImportSource,
  delimiter: string,
  from: number,
): Promise<RecordEnd | 'open' | 'broken'> {
  const mark = delimiter.charCodeAt(0);
  const chunk = Buffer.allocUnsafe(READ_BYTES);
  let state: 'start' | 'plain' | 'quoted' | 'closed' | 'return' = 'start';
  let lines = 0;
  for (let at = from; ; ) {
    const { bytesRead } = await file.read(chunk, 0, READ_BYTES, at);
    if (bytesRead === 0) return state === 'quoted' ? 'open' : { end: at, lines: lines + 1 };
    for (let index = 0; index < bytesRead; index += 1) {
      const byte = chunk[index];
      if (byte === NEWLINE) {
        lines += 1;
        if (state !== 'quoted') return { end: at + index + 1, lines };
      } else if (state === 'quoted') state = byte === QUOTE ? 'closed' : state;
      else if (state === 'return') return 'broken';
      else if (byte === mark) state = 'start';
      else if (state === 'start') state = byte === QUOTE ? 'quoted' : 'plain';
      else if (state === 'closed') {
        if (byte !== QUOTE && byte !== RETURN) return 'broken';
        state = byte === QUOTE ? 'quoted' : 'return';
      }
    }
    at += bytesRead;
  }
}
