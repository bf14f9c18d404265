import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { CompiledQuery } from 'kysely';
import { readAll } from './damaged-numbers.ts';
import { nameDamage } from './explain.ts';

/**
 * Reads pages directly from the system's cache, without a call and a copy for each. SQLite maps at most 2 GiB
 * and reads the rest through its own cache.
 */
const READER_MMAP_BYTES = 2 ** 31;
const READER_CACHE_KIB = 64 * 1024;
/** More than the code has fixed statements. Those built for each filter must not pile up. */
const MOST_PREPARED = 500;

export type Reader = <O>(query: CompiledQuery<O>) => O[];

/** A read-only connection on this thread. `onDamage` is called before a read fails because the file is damaged. */
export function openReader(
  file: string,
  onDamage: (error: Error) => void,
): { read: Reader; version(): unknown; close(): void } {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  database.exec(`pragma mmap_size = ${READER_MMAP_BYTES}; pragma cache_size = -${READER_CACHE_KIB}`);
  const version = database.prepare('pragma data_version');
  return {
    read: createReader(database, (error) => {
      const named = nameDamage(error, file);
      if (named !== error) onDamage(named);
      throw named;
    }),
    /** Differs after any other connection, of this process or another, has changed the database. Reads no page. */
    version: () => version.get()?.data_version,
    close: () => database.close(),
  };
}

/** All reads in one turn of the event loop share a snapshot, so that a page of entries and its total agree. */
function createReader(database: DatabaseSync, fail: (error: Error) => never): Reader {
  const begin = database.prepare('begin');
  const end = database.prepare('rollback'); // After a read of a damaged page, a commit would fail for the same reason.
  let open = false;
  const endSnapshot = () => {
    open = false;
    if (database.isOpen && database.isTransaction) end.run(); // A failed read may have ended it.
  };
  const openSnapshot = () => {
    open = true;
    process.nextTick(endSnapshot); // Runs after everything that does not wait for I/O.
    begin.run();
  };
  const prepared = new Map<string, { statement: StatementSync; names: string[] }>();
  const prepare = (text: string) => {
    if (prepared.size >= MOST_PREPARED) prepared.clear();
    const statement = database.prepare(text);
    statement.setReturnArrays(true);
    const fresh = { statement, names: statement.columns().map(({ name }) => name) };
    prepared.set(text, fresh);
    return fresh;
  };
  return <O>({ sql: text, parameters }: CompiledQuery<O>) => {
    const { statement, names } = prepared.get(text) ?? prepare(text);
    if (!open) openSnapshot();
    try {
      const rows = readAll(statement, parameters) as unknown[][];
      return rows.map((values) => toRow<O>(names, values));
    } catch (error) {
      return fail(error as Error);
    }
  };
}

/** Faster to create and to read than the objects of SQLite's binding. */
function toRow<O>(names: string[], values: unknown[]): O {
  const row: Record<string, unknown> = {};
  for (let i = 0; i < names.length; i += 1) row[names[i] as string] = values[i];
  return row as O;
}
