import pg from 'pg';
import { numberText } from '../kept-numbers.ts';

/**
 * Encodes an array for the server: bytes in binary, everything else as text. The driver would scan every character
 * for something to escape, and write two for each byte.
 */
export function arrayOf(values: readonly unknown[]): string | Buffer {
  return values.find((value) => value !== null && value !== undefined) instanceof Uint8Array
    ? bytesArrayOf(values as readonly (Uint8Array | null)[])
    : `{${values.map(elementOf).join(',')}}`;
}

function elementOf(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number') return numberText(value);
  return `"${String(value).replace(/["\\]/g, '\\$&')}"`;
}

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

/** Layout: dimensions, whether there are nulls, type of the elements, their number, index of the first; then each with its length. */
function bytesArrayOf(values: readonly (Uint8Array | null)[]): Buffer {
  let size = HEADER_BYTES;
  let hasNull = 0;
  for (const value of values) {
    size += LENGTH_BYTES + (value?.length ?? 0);
    if (!value) hasNull = 1;
  }
  const array = Buffer.allocUnsafe(size);
  array.writeInt32BE(1, 0);
  array.writeInt32BE(hasNull, 4);
  array.writeInt32BE(pg.types.builtins.BYTEA, 8);
  array.writeInt32BE(values.length, 12);
  array.writeInt32BE(1, 16);
  let at = HEADER_BYTES;
  for (const value of values) {
    array.writeInt32BE(value?.length ?? NULL_LENGTH, at);
    at += LENGTH_BYTES;
    if (!value) continue;
    array.set(value, at);
    at += value.length;
  }
  return array;
}
