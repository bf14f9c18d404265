import type { Kysely } from 'kysely';
import type { Row } from './bulk.ts';
import type { OnConflict, Trx } from './database.ts';
import type { Dialect } from './dialect.ts';
import type { NamedQuery } from './statement.ts';
import type { TableName, Tables } from './tables.ts';

/** How an engine writes many rows. */
export interface BulkWrites {
  insertOf(
    table: TableName,
    rows: readonly Row[],
    onConflict: OnConflict<never> | undefined,
  ): NamedQuery | NamedQuery[];
  updateOf(table: TableName, rows: readonly Row[], key: readonly string[]): NamedQuery | NamedQuery[];
}

/** How an engine runs the statements of a transaction. */
interface TrxEngine extends BulkWrites {
  dialect: Dialect;
  execute<O>(query: NamedQuery<O>): Promise<O[]>;
}

/** A transaction, or several in sequence if a connection keeps it. */
export interface OpenTrx {
  trx: Trx;
  begin(): void;
  /** The first write that failed. Later statements failed because of it, and so will the commit. */
  failure(): Error | undefined;
}

export function openTrx(builder: Kysely<Tables>, engine: TrxEngine): OpenTrx {
  const { dialect, execute, insertOf, updateOf } = engine;
  let failure: Error | undefined;
  const send = (queries: NamedQuery | NamedQuery[]): void => {
    for (const query of Array.isArray(queries) ? queries : [queries])
      execute(query).catch((error: Error) => {
        failure ??= error;
      });
  };
  const trx = Object.assign(builder, {
    run: (statement, values) => execute(statement.bind(dialect, values)),
    write: (statement, values) => send(statement.bind(dialect, values)),
    insert: (table, rows, { onConflict } = {}) => {
      if (rows.length > 0) send(insertOf(table, rows, onConflict as OnConflict<never>));
    },
    update: (table, { key }, rows) => {
      if (rows.length > 0) send(updateOf(table, rows, key));
    },
  } satisfies Partial<Trx>) as Trx;
  return {
    trx,
    begin: () => {
      failure = undefined;
    },
    failure: () => failure,
  };
}
