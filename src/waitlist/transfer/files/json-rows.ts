import { isUtf8 } from 'node:buffer';
import { findInexactNumbers } from '../../../json/numbers.ts';
import { showPath } from '../../../json/path.ts';
import { findExcess } from '../../../json/scan.ts';
import { DUPLICATE_KEY, findStrictProblem, NESTED_TOO_DEEP, NESTING_MAX } from '../../../json/strict.ts';
import { isObject } from '../../people/person.ts';
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

const NEWLINE = 0x0a;
/** To build them takes longer than anything else that is done with a row, and metadata has no room for as many. */
const KEYS_MAX = 5_000;
/** A key takes at least five characters. */
const SURELY_FEW_CHARACTERS = 5 * KEYS_MAX;
const MOST = { nesting: NESTING_MAX, values: ROW_BYTES_MAX, keys: KEYS_MAX, allKeys: KEYS_MAX };

/** Reads the objects of a JSON Lines file in pieces, starting at a given place. */
export async function* readJsonRows(file: ImportSource, from: RowPosition): AsyncGenerator<RawRow[]> {
  const chunk = Buffer.allocUnsafe(READ_BYTES);
  let { offset, line } = from;
  let rest: Buffer = Buffer.alloc(0);
  for (let at = offset; ; ) {
    const { bytesRead } = await file.read(chunk, 0, READ_BYTES, at);
    at += bytesRead;
    const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    let rows: RawRow[] = [];
    let start = 0;
    let handedOut = 0;
    for (let newline = bytes.indexOf(NEWLINE); newline >= 0; newline = bytes.indexOf(NEWLINE, start)) {
      const row = readJsonRow(bytes.subarray(start, newline + 1), { offset, line });
      if (row) rows.push(row);
      offset += newline + 1 - start;
      line += 1;
      start = newline + 1;
      if (start - handedOut < PIECE_BYTES) continue;
      yield rows;
      rows = [];
      handedOut = start;
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
  if (bytes.length > ROW_BYTES_MAX) return { ...row, values: undefined, problem: TOO_LONG };
  if (!isUtf8(bytes)) return { ...row, values: undefined, problem: NOT_UTF8 };
  return readJsonText(bytes.toString().replace(/^\uFEFF/, ''), row);
}

/** Reads the object of a row by the rules of the API. Returns undefined if there is only space. */
export function readJsonText(text: string, row: Omit<RawRow, 'values'>): RawRow | undefined {
  const refuse = (problem: string): RawRow => ({ ...row, values: undefined, problem });
  if (text.trim() === '') return undefined;
  const excess = text.length > SURELY_FEW_CHARACTERS && findExcess(text, MOST);
  if (excess) return refuse(excess === 'nesting' ? NESTED_TOO_DEEP : `has more than ${KEYS_MAX} keys`);
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    return refuse('is not valid JSON');
  }
  if (!isObject(values)) return refuse('must be a JSON object');
  const problem = findStrictProblem(text, values);
  // With its values, the names of its columns are known.
  if (problem?.reason === DUPLICATE_KEY)
    return { ...row, values, problem: problem.reason, field: showPath(problem.path) };
  if (problem) return refuse(problem.reason);
  const inexactNumbers = findInexactNumbers(text);
  return inexactNumbers.length === 0 ? { ...row, values } : { ...row, values, inexactNumbers };
}
