import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { NamedQuery } from '../statement.ts';
import type { Tables } from '../tables.ts';
import { rethrow } from './errors.ts';
import type { Answer, Command } from './session.ts';

export type Runner = (command: Command) => Promise<Answer>;

/** Without a connection, queries can only be compiled. */
export function queriesOver(connection: DatabaseConnection | undefined): Kysely<Tables> {
  const acquire = async () => connection ?? Promise.reject(new Error('this builder only compiles'));
  return new Kysely<Tables>({ dialect: kyselyDialect(acquire) });
}

function kyselyDialect(acquireConnection: () => Promise<DatabaseConnection>): Dialect {
  const transactionsElsewhere = () => Promise.reject(new Error('use Database.transaction'));
  return {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createDriver: () => ({
      init: async () => {},
      destroy: async () => {},
      acquireConnection,
      releaseConnection: async () => {},
      beginTransaction: transactionsElsewhere,
      commitTransaction: transactionsElsewhere,
      rollbackTransaction: transactionsElsewhere,
    }),
  };
}

/** Runs the queries that Kysely compiles. */
export class PostgresConnection implements DatabaseConnection {
  readonly #run: Runner;

  constructor(run: Runner) {
    this.#run = run;
  }

  async executeQuery<R>(query: CompiledQuery | NamedQuery): Promise<QueryResult<R>> {
    const name = 'name' in query ? { name: query.name } : {};
    const { rows, count } = await this.#run({ text: query.sql, values: query.parameters, ...name }).catch(
      rethrow,
    );
    return { rows: rows as R[], numAffectedRows: BigInt(count) };
  }

  // biome-ignore lint/correctness/useYield: required by the interface, but nothing here streams.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported: page through the rows instead');
  }
}
