import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import type { BulkInsert, BulkUpdate, Database, Trx } from './database.ts';
import { startWriter, type Writer, type WriterAnswer } from './sqlite-writer.ts';
import type { Tables } from './tables.ts';

const READER_CACHE_KIB = 32 * 1024;

/**
 * Embedded SQLite. Reads run at once on this thread: in WAL mode they never wait. Everything else goes to
 * the writer's thread, so that neither a commit's fsync nor another process's lock holds up the event loop.
 */
export async function openSqlite(file: string): Promise<Database> {
  const writer = await startWriter(file);
  const reader = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  reader.exec(`pragma cache_size = -${READER_CACHE_KIB}`);
  const query = new Kysely<Tables>({ dialect: sqliteDialect(reader, writer) });

  return {
    engine: 'sqlite',
    query,
    transaction: (work) => query.transaction().execute(work),
    lockSchema: async () => {}, // `begin immediate` is that lock already.
    hasTable: async (executor, name) => {
      const found = await sql`select 1 from sqlite_master where type = 'table' and name = ${name}`.execute(
        executor,
      );
      return found.rows.length > 0;
    },
    spell: (statement) =>
      statement
        .replace(/\bbytes\b/g, 'blob')
        .replace(/\bbigint\b/g, 'integer')
        .replace(/\bserial_key\b/g, 'integer primary key')
        .replace(/^(create table [\s\S]*\))$/, '$1 strict'),
    inBytes: (column, values) => sql`${column} in (select unhex(value) from json_each(${values}))`,
    bytesList: (values) => JSON.stringify(values.map((value) => Buffer.from(value).toString('hex'))),
    insertRows: (trx, bulk) => runMany(trx, insertSql(bulk), bulk.rows),
    updateRows: (trx, bulk) => runMany(trx, updateSql(bulk), bulk.rows),
    ping: async () => {
      await writer.run({ sql: 'select 1' });
    },
    close: async () => {
      await query.destroy();
      reader.close();
      await writer.close();
    },
  };
}

/** One statement run once for each row, inside one message to the writer. */
interface ManyQuery extends CompiledQuery {
  readonly rows: unknown[][];
}

async function runMany(trx: Trx, text: string, rows: unknown[][]): Promise<void> {
  if (rows.length === 0) return;
  const many: ManyQuery = { ...CompiledQuery.raw(text), rows };
  await trx.executeQuery(many);
}

function insertSql<T extends keyof Tables & string>({ table, columns, suffix = '' }: BulkInsert<T>): string {
  const names = Object.keys(columns);
  return `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) ${suffix}`;
}

function updateSql<T extends keyof Tables & string>({ table, columns, key }: BulkUpdate<T>): string {
  const names = Object.keys(columns).map((name, index) => ({ name, place: `?${index + 1}` }));
  const isKey = (name: string) => (key as readonly string[]).includes(name);
  const set = names.filter(({ name }) => !isKey(name)).map(({ name, place }) => `${name} = ${place}`);
  const where = names.filter(({ name }) => isKey(name)).map(({ name, place }) => `${name} = ${place}`);
  return `update ${table} set ${set.join(', ')} where ${where.join(' and ')}`;
}

function sqliteDialect(reader: DatabaseSync, writer: Writer): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => sqliteDriver(reader, writer),
  };
}

function sqliteDriver(reader: DatabaseSync, writer: Writer): Driver {
  const prepared = new Map<string, StatementSync>();
  const read = (query: CompiledQuery): QueryResult<never> => {
    let statement = prepared.get(query.sql);
    if (!statement) {
      if (prepared.size >= 500) prepared.clear();
      statement = reader.prepare(query.sql);
      prepared.set(query.sql, statement);
    }
    return { rows: statement.all(...(query.parameters as never[])) as never[] };
  };
  return {
    init: async () => {},
    destroy: async () => {},
    acquireConnection: async () => new SqliteConnection(read, writer),
    releaseConnection: async () => {},
    beginTransaction: async (connection) => (connection as SqliteConnection).begin(),
    commitTransaction: async (connection) => (connection as SqliteConnection).end('commit'),
    rollbackTransaction: async (connection) => (connection as SqliteConnection).end('rollback'),
  };
}

class SqliteConnection implements DatabaseConnection {
  readonly #read: (query: CompiledQuery) => QueryResult<never>;
  readonly #writer: Writer;
  #release: (() => void) | undefined;
  #mustBegin = false;

  constructor(read: (query: CompiledQuery) => QueryResult<never>, writer: Writer) {
    this.#read = read;
    this.#writer = writer;
  }

  async begin(): Promise<void> {
    this.#release = await this.#writer.lock();
    this.#mustBegin = true; // Sent along with the first statement: one message less.
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    try {
      if (!this.#mustBegin) await this.#writer.run({ sql: how, parameters: [] });
    } finally {
      this.#mustBegin = false;
      this.#release?.();
      this.#release = undefined;
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#release) return this.#write<R>(query);
    if (/^\s*(select|with)\b/i.test(query.sql)) return this.#read(query);
    const release = await this.#writer.lock();
    try {
      return await this.#write<R>(query);
    } finally {
      release();
    }
  }

  async #write<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const begin = this.#mustBegin;
    this.#mustBegin = false;
    const rows = (query as Partial<ManyQuery>).rows;
    const answer: WriterAnswer = await this.#writer.run({
      sql: query.sql,
      ...(rows ? { rows } : { parameters: query.parameters }),
      ...(begin ? { begin } : {}),
    });
    return { rows: answer.rows as R[], numAffectedRows: BigInt(answer.changes) };
  }

  // biome-ignore lint/correctness/useYield: the interface asks for it, nothing here streams.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported on SQLite: page through the rows instead');
  }
}
