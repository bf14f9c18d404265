import type { Kysely } from 'kysely';
import { invalid, unavailable } from '../../lib/errors.ts';
import { COPIED_TABLES, type CopiedTable } from '../table-keys.ts';
import type { Tables } from '../tables.ts';
import type { Key } from './table-rows.ts';

/** Stored in the target, in the same transaction as the rows it counts. */
export interface CopyProgress {
  /** Identifies the source installation. */
  source: string;
  table: CopiedTable;
  /** The key of that table's last copied row. */
  after: Key | null;
}

async function readMark(executor: Kysely<Tables>): Promise<CopyProgress | undefined> {
  const row = await executor.selectFrom('copy_mark').select('progress').executeTakeFirst();
  return row && (JSON.parse(row.progress, readBytes) as CopyProgress);
}

export async function writeMark(executor: Kysely<Tables>, progress: CopyProgress): Promise<void> {
  const values = { id: 1, progress: JSON.stringify({ ...progress, after: progress.after?.map(showBytes) }) };
  await executor
    .insertInto('copy_mark')
    .values(values)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ progress: values.progress }))
    .execute();
}

function showBytes(value: unknown): unknown {
  return value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : value;
}

function readBytes(_: string, value: unknown): unknown {
  const { bytes } = (value ?? {}) as { bytes?: string };
  return bytes === undefined ? value : Buffer.from(bytes, 'base64');
}

/** An interrupted copy is incomplete and must not be used. */
export async function requireNoMark(executor: Kysely<Tables>): Promise<void> {
  if (await readMark(executor)) {
    throw unavailable('a copy into this database was interrupted: run the same copy again to finish it');
  }
}

/**
 * Returns where to continue. Throws unless the target is empty or holds an unfinished copy of the same
 * source.
 */
export async function beginOrResume(executor: Kysely<Tables>, source: string): Promise<CopyProgress> {
  const mark = await readMark(executor);
  if (mark && mark.source !== source)
    throw invalid('the target contains an unfinished copy of another installation: choose an empty database');
  if (mark) return mark;
  for (const table of COPIED_TABLES) {
    const row = await executor
      .selectFrom(table as 'instance')
      .select((e) => e.lit(1).as('one'))
      .limit(1)
      .executeTakeFirst();
    if (row) throw invalid('the target already contains data: choose an empty database');
  }
  const progress = { source, table: COPIED_TABLES[0] as CopiedTable, after: null };
  await writeMark(executor, progress);
  return progress;
}
