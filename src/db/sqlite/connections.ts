import type { DatabaseSync } from 'node:sqlite';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type { ManyQuery } from './bulk.ts';
import { readAll } from './damaged-numbers.ts';
import { nameDamage } from './explain.ts';
import type { Reader } from './reader.ts';
import type { Writer } from './writer.ts';

export abstract class SqlConnection implements DatabaseConnection {
  abstract executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>>;

  // biome-ignore lint/correctness/useYield: required by the interface, but nothing here streams.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported: page through the rows instead');
  }
}

/** Reads from its own connection, in the transaction that is open there. */
export class SnapshotConnection extends SqlConnection {
  readonly #database: DatabaseSync;
  readonly #file: string;

  constructor(database: DatabaseSync, file: string) {
    super();
    this.#database = database;
    this.#file = file;
  }

  async executeQuery<R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return { rows: readAll(this.#database.prepare(text), parameters) as R[] };
    } catch (error) {
      throw nameDamage(error as Error, this.#file);
    }
  }
}

/** Inside a transaction, everything goes to the writer. */
export class WriterConnection extends SqlConnection {
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

/** Outside a transaction, reads stay on this thread, and a single write waits for its turn. */
export class SqliteConnection extends WriterConnection {
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
