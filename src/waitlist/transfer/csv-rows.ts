import type { FileHandle } from 'node:fs/promises';
import { Parser } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { type Place, type RawRow, READ_BYTES, ROW_BYTES_MAX } from './raw-row.ts';

const NEWLINE = 0x0a;

const settings = (delimiter: string) => ({
  bom: true,
  delimiter,
  record_delimiter: ['\r\n', '\n'],
  relax_column_count: true,
  skip_empty_lines: true,
  max_record_size: ROW_BYTES_MAX,
});

/**
 * Reads the rows of a CSV file from a place on, some at a time. A row that is no CSV is reported, and reading
 * goes on at the next line: one quote too many must not swallow the rest of the file.
 */
export async function* readCsvRows(
  file: FileHandle,
  delimiter: string,
  from: Place,
): AsyncGenerator<RawRow[]> {
  let place: Place | undefined = from;
  while (place) {
    const parsing = startParsing(delimiter, place);
    place = undefined;
    try {
      const chunk = Buffer.allocUnsafe(READ_BYTES);
      for (let at = parsing.end.offset; ; ) {
        const { bytesRead } = await file.read(chunk, 0, READ_BYTES, at);
        at += bytesRead;
        await (bytesRead === 0 ? parsing.finish() : parsing.write(Buffer.from(chunk.subarray(0, bytesRead))));
        yield parsing.take();
        if (bytesRead === 0) break;
      }
    } catch (error) {
      if (!isBadCsv(error)) throw error;
      yield parsing.take();
      const { bytes, length, isLast } = await readLine(file, parsing.end);
      if (!/^\r?\n?$/.test(bytes.toString('latin1', 0, 3))) yield [readAlone(bytes, delimiter, parsing.end)];
      if (!isLast) place = { offset: parsing.end.offset + length, line: parsing.end.line + 1 };
    }
  }
}

function isBadCsv(error: unknown): boolean {
  return /^(CSV_|INVALID_OPENING_QUOTE)/.test((error as { code?: string }).code ?? '');
}

function startParsing(delimiter: string, from: Place) {
  let rows: RawRow[] = [];
  /** Behind the last row. */
  const end = { ...from };
  let firstLine = from.line;
  const newlines: number[] = [];
  let newlinesPassed = 0;
  let written = from.offset;
  const parser = new Parser({
    ...settings(delimiter),
    on_record: (cells: string[], { bytes }: { bytes: number }) => {
      const row: RawRow = {
        line: 0,
        nextLine: 0,
        offset: end.offset,
        end: from.offset + bytes,
        values: cells,
      };
      while ((newlines[newlinesPassed] ?? Number.POSITIVE_INFINITY) < row.end) newlinesPassed += 1;
      const closed = newlines[newlinesPassed - 1] === row.end - 1;
      const lastLine = firstLine + newlinesPassed - (closed ? 1 : 0);
      row.line = lastLine - cells.reduce((sum, cell) => sum + countNewlines(cell), 0);
      row.nextLine = lastLine + 1;
      end.offset = row.end;
      end.line = row.nextLine;
      rows.push(row);
      return null; // Kept here: a stream throws away what it holds when the next record fails.
    },
  });
  parser.on('error', () => {}); // Told by the callbacks below.
  parser.resume();
  const done = (start: (told: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => start((error) => (error ? reject(error) : resolve())));
  return {
    end,
    write: (chunk: Buffer) => {
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1))
        newlines.push(written + at);
      written += chunk.length;
      return done((told) => parser.write(chunk, told));
    },
    finish: () =>
      done((told) => {
        parser.once('error', told);
        parser.once('end', () => told());
        parser.end();
      }),
    take: (): RawRow[] => {
      const taken = rows;
      rows = [];
      newlines.splice(0, newlinesPassed);
      firstLine += newlinesPassed;
      newlinesPassed = 0;
      return taken;
    },
  };
}

function countNewlines(cell: string): number {
  let count = 0;
  for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** A line with its end; of one that is too long to be a row, only the beginning. */
async function readLine(
  file: FileHandle,
  { offset }: Place,
): Promise<{ bytes: Buffer; length: number; isLast: boolean }> {
  const piece = Buffer.allocUnsafe(READ_BYTES);
  let bytes = Buffer.alloc(0);
  for (let length = 0; ; ) {
    const { bytesRead } = await file.read(piece, 0, READ_BYTES, offset + length);
    const newline = piece.subarray(0, bytesRead).indexOf(NEWLINE);
    const read = newline < 0 ? bytesRead : newline + 1;
    length += read;
    if (bytes.length <= ROW_BYTES_MAX) bytes = Buffer.concat([bytes, piece.subarray(0, read)]);
    if (newline >= 0 || bytesRead === 0) return { bytes, length, isLast: bytesRead === 0 };
  }
}

/** One line by itself: quotes in the middle of a cell are let pass as what they are. */
export function readAlone(bytes: Buffer, delimiter: string, { offset, line }: Place): RawRow {
  const row = { line, nextLine: line + 1, offset, end: offset + bytes.length, alone: true };
  try {
    const records = parse(bytes, { ...settings(delimiter), relax_quotes: true }) as string[][];
    const [values] = records;
    if (values && records.length === 1) return { ...row, values };
  } catch (error) {
    if (!isBadCsv(error)) throw error;
  }
  return { ...row, values: undefined, problem: 'is not CSV: a quote is opened or closed where none can be' };
}

/** Rows that are known to be well formed, from pieces of the file that stand anywhere in it. */
export function parseCsvPieces(pieces: Buffer[], delimiter: string): string[][] {
  const text = pieces.flatMap((piece) => (piece.at(-1) === NEWLINE ? [piece] : [piece, Buffer.from('\n')]));
  return parse(Buffer.concat(text), { ...settings(delimiter), bom: false }) as string[][];
}
