import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  sql,
} from 'kysely';
import pg from 'pg';
import type { BulkInsert, BulkUpdate, Database } from './database.ts';
import { DatabaseUnavailable, UniqueViolation } from './database.ts';
import { type NamedQuery, named } from './statement.ts';
import type { ColumnType, Tables } from './tables.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** No statement of ours comes near it; one that does must not hold a queue's lock for good. */
const STATEMENT_TIMEOUT_MS = 30_000;
const SCHEMA_LOCK = 7_362_015_001; // Any number, as long as every Doorlist uses the same one.

export interface PostgresOptions {
  url: string;
  poolSize: number;
  onIdleError?: (error: Error) => void;
}

export async function openPostgres({ url, poolSize, onIdleError }: PostgresOptions): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'doorlist',
    types: { getTypeParser: parserFor },
  });
  pool.on('error', (error) => onIdleError?.(error));
  const query = new Kysely<Tables>({ dialect: postgresDialect(pool) });
  await sql`select 1`.execute(query); // Reachable, or this throws.

  return {
    engine: 'postgres',
    groupSize: 1_000, // A commit waits for the network and the disk: the more that share it the better.
    query,
    read: async ({ name, sql: text, parameters }) =>
      (await pool.query({ name, text, values: parameters as unknown[] }).catch(rethrow)).rows,
    transaction: (work) => query.transaction().execute(work),
    lockSchema: async (trx) => {
      await sql`select pg_advisory_xact_lock(${SCHEMA_LOCK})`.execute(trx);
    },
    hasTable: async (executor, name) => {
      const found = await sql<{ found: boolean }>`select to_regclass(${name}) is not null as found`.execute(
        executor,
      );
      return found.rows[0]?.found === true;
    },
    spell: (statement) =>
      statement
        .replace(/\bbytes\b/g, 'bytea')
        .replace(/\bserial_key\b/g, 'bigint generated always as identity primary key')
        .replace(/\) clustered$/, ')'),
    inBytes: (column, values) => sql`${column} = any(${values}::bytea[])`,
    bytesList: (values) => values,
    insertRows: async (trx, bulk) => {
      if (bulk.rows.length > 0) await trx.executeQuery(bulkQuery(insertSql(bulk), bulk));
    },
    updateRows: async (trx, bulk) => {
      if (bulk.rows.length > 0) await trx.executeQuery(bulkQuery(updateSql(bulk), bulk));
    },
    ping: async () => {
      await sql`select 1`.execute(query);
    },
    close: () => query.destroy(),
  };
}

/** bigint as a number: no sequence or time of ours comes near 2^53. */
function parserFor(oid: number, format?: 'text' | 'binary') {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
}

const ARRAY_TYPE: Record<ColumnType, string> = { bigint: 'bigint[]', text: 'text[]', bytes: 'bytea[]' };

/** Rows travel as one array for each column, so that the statement stays the same however many there are. */
function unnest(columns: object): string {
  const arrays = Object.values(columns).map(
    (type: ColumnType, index) => `$${index + 1}::${ARRAY_TYPE[type]}`,
  );
  return `unnest(${arrays.join(', ')}) as v (${Object.keys(columns).join(', ')})`;
}

function insertSql<T extends keyof Tables & string>({ table, columns, suffix = '' }: BulkInsert<T>): string {
  return `insert into ${table} (${Object.keys(columns).join(', ')}) select * from ${unnest(columns)} ${suffix}`;
}

function updateSql<T extends keyof Tables & string>({ table, columns, key }: BulkUpdate<T>): string {
  const isKey = (name: string) => (key as readonly string[]).includes(name);
  const set = Object.keys(columns).filter((name) => !isKey(name));
  const assignments = set.map((name) => `${name} = v.${name}`).join(', ');
  const match = key.map((name) => `t.${name} = v.${name}`).join(' and ');
  return `update ${table} as t set ${assignments} from ${unnest(columns)} where ${match}`;
}

function bulkQuery(text: string, { columns, rows }: { columns: object; rows: unknown[][] }): NamedQuery {
  const arrays = Object.keys(columns).map((_, index) => rows.map((row) => row[index]));
  return named(CompiledQuery.raw(text, arrays));
}

function postgresDialect(pool: pg.Pool): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createDriver: () => ({
      init: async () => {},
      destroy: () => pool.end(),
      acquireConnection: async () => new PostgresConnection(await pool.connect().catch(rethrow)),
      releaseConnection: async (connection) => (connection as PostgresConnection).release(),
      beginTransaction: (connection) => (connection as PostgresConnection).control('begin'),
      commitTransaction: (connection) => (connection as PostgresConnection).control('commit'),
      rollbackTransaction: (connection) => (connection as PostgresConnection).control('rollback'),
    }),
  };
}

class PostgresConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient;
  #lost: Error | undefined;
  readonly #onError = (error: Error) => {
    this.#lost = error;
  };

  constructor(client: pg.PoolClient) {
    this.#client = client;
    client.on('error', this.#onError); // Without a listener a lost connection would end the process.
  }

  async control(command: 'begin' | 'commit' | 'rollback'): Promise<void> {
    await this.#client.query(command).catch((error) => {
      this.#lost = error; // The state of the session is unknown: it must not be used again.
      rethrow(error);
    });
  }

  async executeQuery<R>(query: CompiledQuery | NamedQuery): Promise<QueryResult<R>> {
    const result = await this.#client
      .query({
        text: query.sql,
        values: query.parameters as unknown[],
        ...('name' in query ? { name: query.name } : {}),
      })
      .catch(rethrow);
    return { rows: result.rows as R[], numAffectedRows: BigInt(result.rowCount ?? 0) };
  }

  // biome-ignore lint/correctness/useYield: the interface asks for it, nothing here streams.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported: page through the rows instead');
  }

  release(): void {
    this.#client.off('error', this.#onError);
    this.#client.release(this.#lost);
  }
}

const UNIQUE_VIOLATION = '23505';
/** 08 connection, 40 rollback, 53 resources, 57 operator intervention, 25006 a standby, 55P03 a lock not to be had. */
const UNAVAILABLE_STATE = /^(08|53|57|25006|55P03|40)/;

function rethrow(error: Error): never {
  const state = error instanceof pg.DatabaseError ? (error.code ?? '') : undefined;
  if (state === UNIQUE_VIOLATION) throw new UniqueViolation(error.message, { cause: error });
  if (state === undefined || UNAVAILABLE_STATE.test(state))
    throw new DatabaseUnavailable(error.message, { cause: error });
  throw error;
}
