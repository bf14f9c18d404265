import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { invalid } from '../../lib/errors.ts';
import type { Row } from '../bulk.ts';
import type { Database, Trx } from '../database.ts';
import { migrate, requireCurrentSchema, schemaVersion } from '../migrate.ts';
import { COPIED_TABLES, type CopiedTable, NUMBERED_TABLES } from '../table-keys.ts';
import type { Tables } from '../tables.ts';
import { beginOrResume, type CopyProgress, writeMark } from './copy-mark.ts';
import { type Key, keyOf, readRows } from './table-rows.ts';

/** Rows per transaction. */
const CHUNK = 1_000;

export interface CopyResult {
  tables: { table: string; rows: number }[];
  rows: number;
}

/** Called after each step, with the current phase and the number of rows of the table. */
type CopyWatch = (step: 'copy' | 'verify', table: string, rows: number) => void;

/**
 * Copies everything from one database into another, empty one, of either engine. If interrupted, run it again
 * to continue. Until every table has been copied and compared, the target has a mark and cannot be served.
 */
export async function copyDatabase(
  source: Database,
  target: Database,
  watch: CopyWatch = () => {},
): Promise<CopyResult> {
  if (await isInstallation(target)) await requireCurrentSchema(target);
  await migrate(target);
  const copy = async (frozen: Trx) => {
    await source.freeze(frozen);
    const start = await target.transaction(async (trx) => beginOrResume(trx, await identify(frozen)));
    for (const table of COPIED_TABLES.slice(COPIED_TABLES.indexOf(start.table))) {
      const after = table === start.table ? start.after : null;
      await copyTable(frozen, target, { ...start, table, after }, watch);
    }
    const tables = await compareTables(frozen, target, watch);
    await target.transaction(async (trx) => {
      for (const table of NUMBERED_TABLES) await target.continueNumbers(trx, table);
      await trx.deleteFrom('copy_mark').execute();
    });
    await target.refreshStatistics();
    return { tables, rows: tables.reduce((sum, { rows }) => sum + rows, 0) };
  };
  return source.transaction(copy, { repeatable: false });
}

/** The first start writes the row. Without it, only the schema of a target is there, in part if that was interrupted. */
async function isInstallation(target: Database): Promise<boolean> {
  if ((await schemaVersion(target)) === 0) return false;
  return (await target.query.selectFrom('instance').select('id').executeTakeFirst()) !== undefined;
}

async function identify(executor: Trx): Promise<string> {
  const { master_key_id, created_at } = await executor
    .selectFrom('instance')
    .select(['master_key_id', 'created_at'])
    .executeTakeFirstOrThrow();
  return `${created_at} ${Buffer.from(master_key_id).toString('hex')}`;
}

async function copyTable(
  frozen: Trx,
  target: Database,
  start: CopyProgress,
  watch: CopyWatch,
): Promise<void> {
  const { table } = start;
  let copied = 0;
  for (let { after } = start; ; ) {
    const rows = await readRows(frozen, table, after, CHUNK);
    const last = rows.at(-1);
    if (!last) return;
    after = keyOf(table, last);
    await target.transaction(async (trx) => {
      insertCopied(trx, table, rows);
      await writeMark(trx, { ...start, after });
    });
    copied += rows.length;
    watch('copy', table, copied);
    if (rows.length < CHUNK) return;
  }
}

/** Rows read from a table fit that table, but no single type expresses this for all tables. */
function insertCopied(trx: Trx, table: CopiedTable, rows: readonly Row[]): void {
  const insert = trx.insert as (table: CopiedTable, rows: readonly Row[]) => void;
  insert(table, rows);
}

async function compareTables(frozen: Trx, target: Database, watch: CopyWatch): Promise<CopyResult['tables']> {
  const compared: CopyResult['tables'] = [];
  for (const table of COPIED_TABLES) {
    const [ours, theirs] = [await digestTable(frozen, table), await digestTable(target.query, table)];
    if (ours.rows !== theirs.rows || ours.hash !== theirs.hash) {
      throw invalid(
        `${table} is not the same in the target (${theirs.rows} rows, the source has ${ours.rows}): ` +
          'the source has changed since the copy began. Empty the target and copy again.',
      );
    }
    watch('verify', table, ours.rows);
    compared.push({ table, rows: ours.rows });
  }
  return compared;
}

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
