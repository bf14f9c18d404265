import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** The SQL function with which a connection tells which schema version it knows. */
export const KNOWN_SCHEMA = 'doorlist_schema';
export const SUPERSEDED_MESSAGE = 'a newer release has updated the schema';

export const SCHEMA_CHANGE = 'update sqlite_schema ';

/** Puts `more` at the end of a list of values in the declaration of a table. */
export function widenList(table: string, list: string, more: string): string {
  const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
  return `${SCHEMA_CHANGE}set sql = replace(sql, ${text(`${list})`)}, ${text(`${list}${more})`)})
    where type = 'table' and name = '${table}' and instr(sql, ${text(`${list})`)}) > 0`;
}

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
