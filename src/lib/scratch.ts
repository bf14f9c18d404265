import { DatabaseSync } from 'node:sqlite';

const CACHE_KIB = 1024;

/**
 * A database for what may be larger than the memory and is of no use afterwards. Its file has no name and is gone when it is
 * closed, however the process ends, and nobody else can open it. Never for personal data in the clear.
 */
export function openScratch(schema: string): DatabaseSync {
  const database = new DatabaseSync('');
  database.exec(
    `pragma cache_size = -${CACHE_KIB}; pragma journal_mode = off; pragma temp_store = file; ${schema}`,
  );
  database.exec('begin'); // Without an end: nothing is ever committed.
  return database;
}
