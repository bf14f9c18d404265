import { isUtf8 } from 'node:buffer';
import { findInexactNumbers } from '../../../json/numbers.ts';
import { isObject } from '../../people/metadata.ts';
import {
  findLineEnd,
  type ImportSource,
  type RawRow,
  READ_BYTES,
  ROW_BYTES_MAX,
  type RowPosition,
  TOO_LONG,
} from './raw-row.ts';

const NEWLINE = 0x0a;
const NESTING_MAX = 64;

/** Reads the objects of a JSON Lines file in chunks, starting at a given place. */
export async function* readJsonRows(file: ImportSource, from: RowPosition): AsyncGenerator<RawRow[]> {
  const chunk = Buffer.allocUnsafe(READ_BYTES);
  let { offset, line } = from;
  let rest: Buffer = Buffer.alloc(0);
  for (let at = offset; ; ) {
    const { bytesRead } = await file.read(chunk, 0, READ_BYTES, at);
    at += bytesRead;
    const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    const rows: RawRow[] = [];
    let start = 0;
    for (let newline = bytes.indexOf(NEWLINE); newline >= 0; newline = bytes.indexOf(NEWLINE, start)) {
      const row = readJsonRow(bytes.subarray(start, newline + 1), { offset, line });
      if (row) rows.push(row);
      offset += newline + 1 - start;
      line += 1;
      start = newline + 1;
    }
    rest = bytes.subarray(start);
    if (bytesRead === 0) {
      const row = readJsonRow(rest, { offset, line });
      yield row ? [...rows, row] : rows;
      return;
    }
    if (rest.length > ROW_BYTES_MAX) {
      const end = await findLineEnd(file, at);
      rows.push({ line, nextLine: line + 1, offset, end, values: undefined, problem: TOO_LONG });
      line += 1;
      offset = end;
      at = end;
      rest = Buffer.alloc(0);
    }
    yield rows;
  }
}

/** Returns undefined for an empty line. */
export function readJsonRow(bytes: Buffer, { offset, line }: RowPosition): RawRow | undefined {
  const row = { line, nextLine: line + 1, offset, end: offset + bytes.length };
  const refuse = (problem: string): RawRow => ({ ...row, values: undefined, problem });
  if (bytes.length > ROW_BYTES_MAX) return refuse(TOO_LONG);
  if (!isUtf8(bytes)) return refuse('is not valid UTF-8');
  const text = bytes.toString().replace(/^\uFEFF/, '');
  if (text.trim() === '') return undefined;
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    return refuse('is not valid JSON');
  }
  if (!isObject(values)) return refuse('must be a JSON object');
  const problem = /\\|__proto__/.test(text) ? findBadText(values, 0) : undefined;
  if (problem !== undefined) return refuse(problem);
  const inexactNumbers = findInexactNumbers(text);
  return inexactNumbers.length === 0 ? { ...row, values } : { ...row, values, inexactNumbers };
}

/** The API rejects the same text. Valid JSON can contain it only as an escape or as a key of that name. */
function findBadText(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') {
    return value.includes('\0') || !value.isWellFormed()
      ? 'has a string with a NUL or half a character'
      : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > NESTING_MAX) return `is nested deeper than ${NESTING_MAX} levels`;
  for (const [key, child] of Object.entries(value)) {
    if (key === '__proto__') return 'must not have a key named __proto__';
    const problem = findBadText(key, depth) ?? findBadText(child, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
