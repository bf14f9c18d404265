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
import type { BulkInsert, BulkUpdate, Database, Trx } from './database.ts';
import { DatabaseUnavailable, UniqueViolation } from './database.ts';
import { CHANNEL, listenForNotifications } from './postgres-listen.ts';
import { type Answer, arrayOf, type Command, parserFor, Session } from './postgres-session.ts';
import { analyzeGrownTables } from './postgres-statistics.ts';
import { type NamedQuery, named } from './statement.ts';
import type { ColumnType, Tables } from './tables.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** No statement of ours comes near it; one that does must not hold a queue's lock for good. */
const STATEMENT_TIMEOUT_MS = 30_000;
/**
 * A prepared statement keeps the plan of its first runs. Made on a new, nearly empty table, that plan would read all
 * of it, and go on doing so when there are a million rows: signups became slower by the second.
 */
const PLAN_BY_INDEX = '-c enable_seqscan=off';
/** Any number, as long as every Doorlist uses the same one. */
export const SCHEMA_LOCK = 7_362_015_001;

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
    options: PLAN_BY_INDEX,
    types: { getTypeParser: parserFor },
  });
  pool.on('error', (error) => onIdleError?.(error));
  const pooled = new PostgresConnection(async (command) => {
    const { rows, command: done, rowCount } = await pool.query(command as pg.QueryConfig);
    return { rows, command: done, count: rowCount ?? 0 };
  });
  const query = new Kysely<Tables>({
    dialect: postgresDialect(
      async () => pooled,
      () => pool.end(),
    ),
  });
  await sql`select 1`.execute(query); // Reachable, or this throws.

  return {
    engine: 'postgres',
    // Small groups let this process answer one while the server writes the next.
    groupSize: 32,
    query,
    read: async ({ name, sql: text, parameters }) =>
      (await pool.query({ name, text, values: parameters as unknown[] }).catch(rethrow)).rows,
    transaction: (work) => inTransaction(pool, work),
    lockSchema: async (trx) => {
      await sql`select pg_advisory_xact_lock(${SCHEMA_LOCK})`.execute(trx);
    },
    hasTable: async (executor, name) => {
      // Not to_regclass: it may still remember that there was no table when another process has just made it.
      const found = await sql`select 1 from information_schema.tables
        where table_schema = current_schema() and table_name = ${name}`.execute(executor);
      return found.rows.length > 0;
    },
    spell: (statement) =>
      statement
        .replace(/\bbytes\b/g, 'bytea')
        .replace(/\bserial_key\b/g, 'bigint generated always as identity primary key')
        .replace(/\) clustered$/, ')'),
    inBytes: (column, values) => sql`${column} = any(${values}::bytea[])`,
    bytesList: arrayOf,
    inNumbers: (column, values) => sql`${column} = any(${values}::bigint[])`,
    numbersList: arrayOf,
    insertRows: async (trx, bulk) => {
      if (bulk.rows.length > 0) await trx.send(bulkQuery(insertSql(bulk), bulk));
    },
    updateRows: async (trx, bulk) => {
      if (bulk.rows.length > 0) await trx.send(bulkQuery(updateSql(bulk), bulk));
    },
    now: async (trx) => {
      const [row] = trx
        ? await trx.send<{ now: number }>(CLOCK)
        : (await pooled.executeQuery<{ now: number }>(CLOCK)).rows;
      return row?.now ?? Date.now();
    },
    skipLocked: sql`for update skip locked`,
    notify: async () => {
      await pool.query(`notify ${CHANNEL}`);
    },
    listen: (notified) => listenForNotifications(url, notified),
    refreshStatistics: () => analyzeGrownTables(pool),
    shrinkLog: async () => {}, // The server does.
    usage: async () => {
      const { rows } = await sql<{ bytes: number; connections: number }>`select
        pg_database_size(current_database()) as bytes,
        (select count(*) from pg_stat_activity where datname = current_database()
          and application_name = 'doorlist' and pid <> pg_backend_pid()) as connections`.execute(query);
      return { bytes: 0, connections: 0, ...rows[0], logBytes: null, freeBytes: null };
    },
    probe: async () => {
      await sql`select 1`.execute(query);
    },
    close: () => query.destroy(),
  };
}

const CLOCK = named(
  CompiledQuery.raw('select (extract(epoch from clock_timestamp()) * 1000)::bigint as now'),
) as NamedQuery<{ now: number }>;

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
  const arrays = Object.keys(columns).map((_, index) => arrayOf(rows.map((row) => row[index])));
  return named(CompiledQuery.raw(text, arrays));
}

interface Connected {
  session: Session;
  trx: Trx;
}

/** Kept as long as the connection is, with what is prepared on it. */
const connected = new WeakMap<pg.PoolClient, Connected>();

function sessionOf(client: pg.PoolClient): Connected {
  const known = connected.get(client);
  if (known) return known;
  const session = new Session(client);
  const connection = new PostgresConnection((command) => session.run(command));
  const builder = new Kysely<Tables>({ dialect: postgresDialect(async () => connection) });
  const send = async <O>(query: CompiledQuery<O>) => (await connection.executeQuery<O>(query)).rows;
  const fresh = { session, trx: Object.assign(builder, { send }) };
  connected.set(client, fresh);
  return fresh;
}

const BEGIN = { text: 'begin', name: 'begin' };
const COMMIT = { text: 'commit', name: 'commit' };
const ROLLBACK = { text: 'rollback', name: 'rollback' };

async function inTransaction<T>(pool: pg.Pool, work: (trx: Trx) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch(rethrow);
  const { session, trx } = sessionOf(client);
  let lost: Error | undefined;
  const onError = (error: Error) => {
    lost = error;
  };
  client.on('error', onError); // Without a listener a lost connection would end the process.
  try {
    session.run(BEGIN).catch(() => {}); // What is sent next fails for the same reason.
    const result = await work(trx);
    // The server answers ROLLBACK to the commit of a transaction in which something failed.
    const { command } = await session.run(COMMIT).catch(rethrow);
    if (command !== 'COMMIT') throw new Error('the transaction failed before its commit');
    return result;
  } catch (error) {
    await session.run(ROLLBACK).catch((rollbackError: Error) => {
      lost ??= rollbackError; // The state of the session is unknown: it must not be used again.
    });
    throw error;
  } finally {
    client.off('error', onError);
    client.release(lost);
  }
}

function postgresDialect(acquire: () => Promise<DatabaseConnection>, destroy = async () => {}): Dialect {
  const transactionsElsewhere = () => Promise.reject(new Error('use Database.transaction'));
  return {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createDriver: () => ({
      init: async () => {},
      destroy,
      acquireConnection: acquire,
      releaseConnection: async () => {},
      beginTransaction: transactionsElsewhere,
      commitTransaction: transactionsElsewhere,
      rollbackTransaction: transactionsElsewhere,
    }),
  };
}

type Runner = (command: Command) => Promise<Answer>;

class PostgresConnection implements DatabaseConnection {
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

  // biome-ignore lint/correctness/useYield: the interface asks for it, nothing here streams.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported: page through the rows instead');
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
