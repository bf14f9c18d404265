import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** The SQL function with which a connection tells which schema version it knows. */
export const KNOWN_SCHEMA = 'doorlist_schema';
export const SUPERSEDED_MESSAGE = 'a newer release has updated the schema';

/** Makes the connection one of a process that knows this version. */
export function declareSchema(db: DatabaseSync, version: number): void {
  db.function(KNOWN_SCHEMA, { deterministic: true }, () => version);
}

/** Throws inside a write transaction if the schema is newer. An empty database has none yet. */
export function watchSchema(db: DatabaseSync, version: number): () => void {
  let read: StatementSync | undefined;
  return () => {
    try {
      read ??= db.prepare('select version from schema_version');
    } catch {
      return;
    }
    const row = read.get() as { version: number } | undefined;
    if (row && row.version > version) throw new Error(SUPERSEDED_MESSAGE);
  };
}
