import type { CompiledQuery, Expression, Kysely, RawBuilder, SqlBool } from 'kysely';
import type { NamedQuery } from './statement.ts';
import type { Columns, Tables } from './tables.ts';

export type Engine = 'sqlite' | 'postgres';

/** A transaction: a query builder whose queries are awaited one by one, and `send` for those that are not. */
export type Trx = Kysely<Tables> & {
  /**
   * Queries run in the order in which they are sent, and so does the commit; several may be sent before the first
   * is awaited. Once one has failed, those behind it fail too, and nothing is committed.
   */
  send<O>(query: CompiledQuery<O>): Promise<O[]>;
};

/**
 * The narrow waist between the code and an engine. Queries are written once, with Kysely;
 * what the engines must do differently is the handful of members below.
 */
export interface Database {
  readonly engine: Engine;
  readonly query: Kysely<Tables>;
  /** Runs a query outside of any transaction, by the shortest way that the engine has. */
  read<O>(query: NamedQuery<O>): Promise<O[]> | O[];
  transaction<T>(work: (trx: Trx) => Promise<T>): Promise<T>;
  /** Reads of one moment, however long they take; nobody who writes waits for them. */
  snapshot<T>(work: (trx: Trx) => Promise<T>): Promise<T>;
  /** The same database without the time limits of a request: for migrations, imports and maintenance. */
  readonly patient: Database;
  /** Holds other writers off for the length of the transaction while the schema changes. */
  lockSchema(trx: Trx): Promise<void>;
  hasTable(trx: Kysely<Tables>, name: string): Promise<boolean>;
  /** The engine's spelling of the portable words in a migration. */
  spell(statement: string): string;
  /** `column in values`, as one bound parameter however many values there are. */
  inBytes(column: Expression<unknown>, values: Expression<unknown>): Expression<SqlBool>;
  bytesList(values: readonly Uint8Array[]): unknown;
  inNumbers(column: Expression<unknown>, values: Expression<unknown>): Expression<SqlBool>;
  numbersList(values: readonly number[]): unknown;
  insertRows<T extends keyof Tables & string>(trx: Trx, bulk: BulkInsert<T>): Promise<void>;
  /** Sets the columns that are not in `key` on the rows that `key` finds. */
  updateRows<T extends keyof Tables & string>(trx: Trx, bulk: BulkUpdate<T>): Promise<void>;
  /** As the first thing in a transaction: what it reads stays as it is, and nobody else can write, until it ends. */
  freeze(trx: Trx): Promise<void>;
  /** Has the ids that the engine hands out go on behind the highest one. */
  continueNumbers(trx: Trx, table: 'waitlist' | 'queue'): Promise<void>;
  /** The clock that every instance shares. */
  now(trx?: Trx): Promise<number>;
  /** The same, to be selected along with something else. */
  readonly clock: RawBuilder<number>;
  /**
   * Held until the commit: any number of transactions may work at the deliveries of a queue side by side (shared),
   * but none beside one that erases somebody there (exclusive).
   */
  lockDeliveries(trx: Trx, queueIds: readonly number[], how: 'shared' | 'exclusive'): Promise<void>;
  /** Says, in the transaction of an erasure, that there will be something for `wipeErased` to do. */
  markErased(trx: Trx): Promise<void>;
  /** Leaves nothing of what was erased in the engine's files, as far as that is ours to do; false: not yet. */
  wipeErased(): Promise<boolean>;
  /** Ends a subquery whose rows are about to be updated: those that another transaction holds are left out. */
  readonly skipLocked: RawBuilder<unknown>;
  /** Tells every process that listens that there is something to deliver. */
  notify(): Promise<void>;
  /** Calls back at each `notify` of another process, as far as the engine can tell; returns what ends it. */
  listen(notified: () => void): Promise<() => Promise<void>>;
  /** Has the engine look at tables that have grown, where it plans by what it saw in them. */
  refreshStatistics(): Promise<void>;
  /** Gives back the space of a write-ahead log that has grown, where the engine leaves that to us. */
  shrinkLog(): Promise<void>;
  usage(): Promise<Usage>;
  /** Tries to write, and throws what is wrong; whoever asks often shares the answer. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** In bytes; null where the engine cannot tell. */
export interface Usage {
  bytes: number;
  /** Of the write-ahead log. */
  logBytes: number | null;
  /** Left on the disk. */
  freeBytes: number | null;
  /** Of instances and commands to the server. */
  connections: number | null;
}

export interface BulkInsert<T extends keyof Tables> {
  table: T;
  columns: Columns<T>;
  /** Values in the order of `columns`. */
  rows: unknown[][];
  /** What follows the insert, such as `on conflict … do update …`. */
  suffix?: string;
}

export interface BulkUpdate<T extends keyof Tables> {
  table: T;
  columns: Columns<T>;
  key: readonly (keyof Tables[T] & string)[];
  rows: unknown[][];
}

/** The database cannot be reached or is too busy: nothing is known to be wrong with the request. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

export class UniqueViolation extends Error {
  override name = 'UniqueViolation';
}
