import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Row } from '../bulk.ts';
import type { CopiedTable } from '../table-keys.ts';
import type { Tables } from '../tables.ts';
import { type Key, keyOf, readRows } from './table-rows.ts';

const PAGE = 1_000;

/** Identifies the contents of a table. */
interface Digest {
  rows: number;
  hash: string;
}

/** Counts and hashes the rows. The row hashes are summed, because the engines sort text differently. */
export async function digestTable(executor: Kysely<Tables>, table: CopiedTable): Promise<Digest> {
  let rows = 0;
  let [high, low] = [0n, 0n];
  for (let after: Key | null = null; ; ) {
    const page: Row[] = await readRows(executor, table, after, PAGE);
    for (const row of page) {
      const hash = createHash('sha256').update(encodeRow(row)).digest();
      high = BigInt.asUintN(64, high + hash.readBigUInt64LE(0));
      low = BigInt.asUintN(64, low + hash.readBigUInt64LE(8));
    }
    rows += page.length;
    const last = page.at(-1);
    if (page.length < PAGE || !last) return { rows, hash: `${high.toString(16)}-${low.toString(16)}` };
    after = keyOf(table, last);
  }
}

function encodeRow(row: Row): string {
  const values = Object.values(row).map((value) =>
    value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : value,
  );
  return JSON.stringify(values);
}
