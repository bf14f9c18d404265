import type { MessagePort } from 'node:worker_threads';
import type { Insertable, Kysely, Updateable } from 'kysely';
import type { ClaimedRow, ClaimRequest, Lease } from './claims.ts';
import type { Distribution, Worker } from './cluster.ts';
import type { Dialect } from './dialect.ts';
import type { Lookup, Statement } from './statement.ts';
import type { TableName, Tables } from './tables.ts';

export type Engine = 'sqlite' | 'postgres';

/**
 * A transaction. Statements reach the database in the order of the calls, followed by the commit. A query
 * builder's own `execute` must be awaited before anything else is sent.
 */
export type Trx = Kysely<Tables> & Statements;

interface Statements {
  /** Several calls before the first `await` share a round trip. */
  run<P, O>(statement: Statement<P, O>, values: P): Promise<O[]>;
  /** The next three are not awaited: if one fails, the transaction fails. */
  write<P>(statement: Statement<P, unknown>, values: P): void;
  insert<T extends TableName, R extends Insertable<Tables[T]>>(
    table: T,
    rows: readonly (R & SameShape<T, R>)[],
    options?: { onConflict?: OnConflict<T> | undefined },
  ): void;
  /** Sets the columns that are not in `key` on the rows that `key` identifies. */
  update<T extends TableName, K extends ColumnName<T>, R extends Updateable<Tables[T]> & Record<K, unknown>>(
    table: T,
    options: { key: readonly K[] },
    rows: readonly (R & SameShape<T, R>)[],
  ): void;
}

type ColumnName<T extends TableName> = keyof Tables[T] & string;

/** All rows of one write have the same columns, and only columns of the table. */
type SameShape<T extends TableName, R> = {
  [C in keyof R]-?: C extends keyof Tables[T] ? Exclude<R[C], undefined> : never;
};

/** If the primary key exists: skip the row, or add these columns to the existing values. */
export type OnConflict<T extends TableName> = 'ignore' | { add: readonly ColumnName<T>[] };

interface TransactionOptions {
  /**
   * By default, the work runs again if a rival made the server undo it. Turned off for work that has effects outside
   * the transaction.
   */
  repeatable?: boolean;
}

/**
 * The only interface between the code and a database engine. Queries are written once, with Kysely; these
 * members cover what the engines do differently.
 */
export interface Database extends Dialect {
  readonly engine: Engine;
  /** Runs a read-only statement outside a transaction, in the fastest way the engine has. */
  run<P, O>(statement: Statement<P, O>, values: P): Promise<O[]> | O[];
  /** Like `run`, for one row. What is looked for in the same turn of the event loop shares a statement if that is faster. */
  find<P, O>(lookup: Lookup<P, O>, key: P): Promise<O | undefined> | O | undefined;
  transaction<T>(work: (trx: Trx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Runs work again if a rival made the server undo its transaction, which was not `repeatable` by itself. */
  repeat<T>(work: () => Promise<T>): Promise<T>;
  /** Whether a transaction can wait at the server for the lock of another one, while that one is committed. */
  readonly locksAtServer: boolean;
  /** Reads from one snapshot, however long it takes, without blocking writers. */
  snapshot<T>(work: (trx: Trx) => Promise<T>): Promise<T>;
  /**
   * For reads that take long: a replica with everything that was committed before the call, or this database if there is
   * none, or if it does not answer or is behind.
   */
  replica(): Promise<Database>;
  /** The same database without a request's time limits, for migrations, imports and maintenance. */
  readonly unlimited: Database;
  /** Keeps other migrations out until the end of the transaction. */
  lockSchema(trx: Trx): Promise<void>;
  /** From the commit on, writes of processes that know only earlier schema versions fail. */
  closeToEarlier(trx: Trx, version: number): Promise<void>;
  /** Aborted when a write failed because a newer release has updated the schema. */
  readonly superseded: AbortSignal;
  /** Identifies a transaction for `blockersOf`. */
  sessionOf(trx: Trx): Promise<number>;
  /** Whom the session is waiting for, in words. Empty if it is working, or if the engine cannot tell. */
  blockersOf(session: number): Promise<string[]>;
  /** When the running migration began, or undefined if there is none or the engine cannot tell. */
  schemaLockedSince(): Promise<number | undefined>;
  hasTable(trx: Kysely<Tables>, name: string): Promise<boolean>;
  /** Translates the portable type names in a migration. */
  spell(statement: string): string;
  /**
   * Call it first in a transaction: reads are stable, and no other process can write until the transaction
   * ends.
   */
  freeze(trx: Trx): Promise<void>;
  /** Makes generated ids continue after the highest existing one. */
  continueNumbers(trx: Trx, table: 'waitlist' | 'queue'): Promise<void>;
  /** The clock that all instances share. */
  now(trx?: Trx): Promise<number>;
  /** Claims the longest-due deliveries of each target, in the order of the requests. */
  claimDeliveries(trx: Trx, requests: readonly ClaimRequest[], lease: Lease): Promise<ClaimedRow[][]>;
  /**
   * Held until the commit. Any number of transactions can work on a queue's deliveries at once (shared), but
   * not during an erasure (exclusive).
   */
  lockDeliveries(trx: Trx, queueIds: readonly number[], how: 'shared' | 'exclusive'): void;
  /** Called in the transaction of an erasure, so that `wipeErased` has something to do. */
  markErased(trx: Trx): void;
  /**
   * Removes erased data from the engine's files, as far as that is our task. Returns false if not done yet.
   */
  wipeErased(): Promise<boolean>;
  /** Tells all listening processes that there is something to deliver. */
  notify(): Promise<void>;
  /**
   * Calls back for each `notify` of any process, if the engine supports it. Returns a function that stops
   * listening. All listeners share a connection.
   */
  listen(notified: () => void): Promise<() => Promise<void>>;
  /**
   * Calls back after this process has written something and, if the engine can tell without a query, after
   * another one has. Returns a function that stops listening.
   */
  onChange(changed: () => void): () => void;
  /** Call it when another thread of this process has written something. */
  noteChange(): void;
  /** For another thread of this process, to open the same database with. undefined if the engine needs none. */
  share(): MessagePort | undefined;
  /** Refreshes the planner's statistics of tables that have grown, if the engine uses them. */
  refreshStatistics(): Promise<void>;
  /** Frees the space of a large write-ahead log, if the engine leaves that to us. Returns false if not done yet. */
  shrinkLog(): Promise<boolean>;
  usage(): Promise<Usage>;
  /** How many instances listen for work, or null if the engine cannot tell. */
  workers(): Promise<number | null>;
  /** Which tables our user of the server may not use, in words. undefined if it may use all. */
  missingGrants(): Promise<string | undefined>;
  /** How many connections all clients may have together, or null if the engine has no limit or cannot tell. */
  connectionLimit(): Promise<number | null>;
  /** Of this process, or null if the engine has no pool. Asks nobody. */
  connections(): Connections | null;
  /** Spreads the tables over the workers of a cluster, if the engine has one. */
  distribute(trx: Trx, shards?: number): Promise<Distribution>;
  /** Whether the server that has this queue answers, as far as is known. */
  canReach(queueId: number): boolean;
  /** The servers over which the queues are spread, or null if they are not. */
  clusterWorkers(): Promise<Worker[] | null>;
  /** Tries to write, and throws what is wrong. Frequent calls share a result. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

export interface Connections {
  busy: number;
  idle: number;
  /** Work that waits for a connection. */
  waiting: number;
}

/** In bytes, or null if the engine cannot tell. */
interface Usage {
  bytes: number;
  /** Of the write-ahead log. */
  logBytes: number | null;
  /** Beyond this, something keeps the log from shrinking. */
  logLimitBytes: number | null;
  /** Left on the disk. */
  freeBytes: number | null;
  /** From instances and commands to the server. */
  connections: number | null;
}

/** The database is unreachable or too busy. Nothing is wrong with the request, as far as we know. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

/** A lock was not available in time, or two transactions waited for each other. Nothing was changed. */
export class LockUnavailable extends DatabaseUnavailable {
  override name = 'LockUnavailable';
}

/** A newer release has updated the schema, and this process does not know it. */
export class SchemaSuperseded extends DatabaseUnavailable {
  override name = 'SchemaSuperseded';

  constructor(options?: ErrorOptions) {
    super(
      'a newer release of Doorlist has updated this database: stop this process and use the newer release',
      options,
    );
  }
}

export class UniqueViolation extends Error {
  override name = 'UniqueViolation';
}
