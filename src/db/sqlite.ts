import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type CompiledQuery, type DatabaseConnection, Kysely, type QueryResult, sql } from 'kysely';
import type { Database } from './database.ts';
import { insertOf, type ManyQuery, updateOf } from './sqlite-bulk.ts';
import { claimDeliveries } from './sqlite-claims.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { sqliteSpelling } from './sqlite-spelling.ts';
import { countErasure, wipeErased } from './sqlite-wipe.ts';
import { BUSY_TIMEOUT_MS, LOG_LIMIT_BYTES, startWriter, type Writer } from './sqlite-writer.ts';
import type { NamedQuery } from './statement.ts';
import type { Tables } from './tables.ts';
import { type OpenTrx, openTrx } from './trx.ts';

/**
 * Pages come from the system's cache by address, without a call and a copy for each. SQLite itself stops at 2 GiB and
 * reads the rest as usual; only then does its own cache fill.
 */
const READER_MMAP_BYTES = 2 ** 31;
const READER_CACHE_KIB = 64 * 1024;
const MOST_PREPARED = 500;
/** A commit as recent as this proves that the database can be written to. */
const COMMIT_PROVES_MS = 1_000;

/**
 * Embedded SQLite. Reads run at once on this thread: in WAL mode they never wait. Everything else goes to
 * the writer's thread, so that neither a commit's fsync nor another process's lock holds up the event loop.
 */
export async function openSqlite(file: string): Promise<Database> {
  const writer = await startWriter(file);
  const reader = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  reader.exec(`pragma mmap_size = ${READER_MMAP_BYTES}; pragma cache_size = -${READER_CACHE_KIB}`);
  const read = createReader(reader);
  const query = new Kysely<Tables>({ dialect: sqliteDialect(new SqliteConnection(read, writer)) });
  const { trx, begin, failure } = openOver(new WriterConnection(writer));
  let committedAt = Number.NEGATIVE_INFINITY;

  const db: Database = {
    ...sqliteSpelling,
    describe: () => 'sqlite',
    pollMs: 1_000, // A look on this thread.
    query,
    run: (statement, values) => read(statement.bind(sqliteSpelling, values)),
    transaction: async (work) => {
      const release = await writer.lock();
      begin();
      try {
        const begun = writer.run({ sql: 'begin immediate' });
        begun.catch(() => {}); // What is sent next fails for the same reason.
        const result = await work(trx);
        await writer.run({ sql: 'commit' });
        committedAt = performance.now();
        return result;
      } catch (error) {
        const cause = failure() ?? error;
        await writer.run({ sql: 'rollback' }).catch(() => {});
        throw cause;
      } finally {
        release();
      }
    },
    snapshot: async (work) => {
      const own = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
      try {
        own.exec('begin');
        return await work(openOver(new SnapshotConnection(own)).trx);
      } finally {
        own.close();
      }
    },
    get patient() {
      return db; // Its statements have no time limit.
    },
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
        .replace(/^(create table [\s\S]*\))( clustered)?$/, (_, table, clustered) =>
          clustered ? `${table} strict, without rowid` : `${table} strict`,
        ),
    freeze: async () => {}, // `begin immediate` keeps other writers out, and what is read is a snapshot.
    continueNumbers: async () => {}, // The next id is always behind the highest one.
    now: async () => Date.now(), // There is one machine.
    claimDeliveries,
    lockDeliveries: () => {}, // There is one writer.
    markErased: (trx) => trx.write(countErasure, {}),
    wipeErased: () => wipeErased(writer),
    notify: async () => {},
    listen: async () => async () => {},
    refreshStatistics: async () => {}, // Its plans follow the indexes alone.
    shrinkLog: () => shrinkLog(file, writer),
    usage: async () => {
      const { bavail, bsize } = await statfs(path.dirname(file));
      const bytes = statSync(file).size;
      return { bytes, logBytes: sizeOfLog(file), freeBytes: bavail * bsize, connections: null };
    },
    probe: async () => {
      if (performance.now() - committedAt < COMMIT_PROVES_MS) return;
      // Writes a page although nothing changes: only that finds a full disk.
      await db.transaction((trx) => trx.updateTable('instance').set({ id: 1 }).execute());
    },
    close: async () => {
      await query.destroy();
      reader.close();
      await writer.close();
    },
  };
  return db;
}

/** Readers of other processes can hold a checkpoint up; the log then grows, and is cut when they are gone. */
async function shrinkLog(file: string, writer: Writer): Promise<void> {
  if (sizeOfLog(file) <= LOG_LIMIT_BYTES) return;
  const release = await writer.lock();
  try {
    await Promise.all([
      writer.run({ sql: 'pragma busy_timeout = 0' }), // Nobody waits for a reader; the next round tries again.
      writer.run({ sql: 'pragma wal_checkpoint(truncate)' }),
      writer.run({ sql: `pragma busy_timeout = ${BUSY_TIMEOUT_MS}` }),
    ]);
  } finally {
    release();
  }
}

function sizeOfLog(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

type Reader = <O>(query: CompiledQuery<O>) => O[];

/** The reads of one turn of the event loop see one snapshot: to open and close one for each costs as much as a read. */
function createReader(database: DatabaseSync): Reader {
  const begin = database.prepare('begin');
  const end = database.prepare('commit');
  let open = false;
  const endSnapshot = () => {
    open = false;
    if (database.isOpen && database.isTransaction) end.run(); // A failed read may have ended it.
  };
  const openSnapshot = () => {
    open = true;
    process.nextTick(endSnapshot); // After everything that goes on without waiting for something outside.
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
    const rows = statement.all(...(parameters as never[])) as unknown as unknown[][];
    return rows.map((values) => toRow<O>(names, values));
  };
}

/** Quicker to make, and to read from, than the objects that SQLite's binding makes. */
function toRow<O>(names: string[], values: unknown[]): O {
  const row: Record<string, unknown> = {};
  for (let i = 0; i < names.length; i += 1) row[names[i] as string] = values[i];
  return row as O;
}

function openOver(connection: SqlConnection): OpenTrx {
  const builder = new Kysely<Tables>({ dialect: sqliteDialect(connection) });
  const execute = async <O>(query: NamedQuery<O>) => (await connection.executeQuery<O>(query)).rows;
  return openTrx(builder, { spelling: sqliteSpelling, execute, insertOf, updateOf });
}

abstract class SqlConnection implements DatabaseConnection {
  abstract executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>>;

  // biome-ignore lint/correctness/useYield: the interface asks for it, nothing here streams.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported: page through the rows instead');
  }
}

/** Reads from a connection of its own, in the transaction that is open there. */
class SnapshotConnection extends SqlConnection {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    super();
    this.#database = database;
  }

  async executeQuery<R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    return { rows: this.#database.prepare(text).all(...(parameters as never[])) as R[] };
  }
}

/** Inside a transaction: everything goes to the writer. */
class WriterConnection extends SqlConnection {
  readonly #writer: Writer;

  constructor(writer: Writer) {
    super();
    this.#writer = writer;
  }

  override async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const rows = (query as Partial<ManyQuery>).rows;
    const what = rows ? { rows } : { parameters: query.parameters };
    const answer = await this.#writer.run({ sql: query.sql, ...what });
    return { rows: answer.rows as R[], numAffectedRows: BigInt(answer.changes) };
  }
}

/** Outside of one: reads stay on this thread, a single write waits for its turn. */
class SqliteConnection extends WriterConnection {
  readonly #read: Reader;
  readonly #lock: Writer['lock'];

  constructor(read: Reader, writer: Writer) {
    super(writer);
    this.#read = read;
    this.#lock = writer.lock;
  }

  override async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (/^\s*(select|with)\b/i.test(query.sql)) return { rows: this.#read(query as CompiledQuery<R>) };
    const release = await this.#lock();
    try {
      return await super.executeQuery<R>(query);
    } finally {
      release();
    }
  }
}
