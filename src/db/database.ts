import type { Insertable, Kysely, Updateable } from 'kysely';
import type { ClaimedRow, ClaimRequest, Lease } from './claims.ts';
import type { Spelling } from './spelling.ts';
import type { Statement } from './statement.ts';
import type { TableName, Tables } from './tables.ts';

export type Engine = 'sqlite' | 'postgres';

/**
 * A transaction. Statements reach the database in the order in which they are given here, and so does the commit;
 * the builder's own `execute` must be awaited before anything else is sent.
 */
export type Trx = Kysely<Tables> & Statements;

interface Statements {
  /** Several may be given before the first is awaited: they travel together. */
  run<P, O>(statement: Statement<P, O>, values: P): Promise<O[]>;
  /** Nobody waits for these three: where one fails, so does the transaction. */
  write<P>(statement: Statement<P, unknown>, values: P): void;
  insert<T extends TableName, R extends Insertable<Tables[T]>>(
    table: T,
    rows: readonly (R & SameShape<T, R>)[],
    options?: { onConflict?: OnConflict<T> | undefined },
  ): void;
  /** Sets the columns that are not in `key` on the rows that `key` finds. */
  update<T extends TableName, K extends ColumnName<T>, R extends Updateable<Tables[T]> & Record<K, unknown>>(
    table: T,
    options: { key: readonly K[] },
    rows: readonly (R & SameShape<T, R>)[],
  ): void;
}

export type ColumnName<T extends TableName> = keyof Tables[T] & string;

/** Rows of one write have the same columns, each of them one of the table. */
type SameShape<T extends TableName, R> = {
  [C in keyof R]-?: C extends keyof Tables[T] ? Exclude<R[C], undefined> : never;
};

/** What becomes of a row whose primary key is there already: nothing, or its column is added to the one that is. */
export type OnConflict<T extends TableName> = 'ignore' | { add: ColumnName<T> };

/**
 * The narrow waist between the code and an engine. Queries are written once, with Kysely;
 * what the engines must do differently is the handful of members below.
 */
export interface Database extends Spelling {
  /** The engine's name, for people. */
  describe(): string;
  /** How often to look for deliveries that no `notify` told of. */
  readonly pollMs: number;
  /** Runs a statement that only reads outside of any transaction, by the shortest way that the engine has. */
  run<P, O>(statement: Statement<P, O>, values: P): Promise<O[]> | O[];
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
  /** As the first thing in a transaction: what it reads stays as it is, and nobody else can write, until it ends. */
  freeze(trx: Trx): Promise<void>;
  /** Has the ids that the engine hands out go on behind the highest one. */
  continueNumbers(trx: Trx, table: 'waitlist' | 'queue'): Promise<void>;
  /** The clock that every instance shares. */
  now(trx?: Trx): Promise<number>;
  /** Takes what is due longest from each target, in the order of the requests. */
  claimDeliveries(trx: Trx, requests: readonly ClaimRequest[], lease: Lease): Promise<ClaimedRow[][]>;
  /**
   * Held until the commit: any number of transactions may work at the deliveries of a queue side by side (shared),
   * but none beside one that erases somebody there (exclusive).
   */
  lockDeliveries(trx: Trx, queueIds: readonly number[], how: 'shared' | 'exclusive'): void;
  /** Says, in the transaction of an erasure, that there will be something for `wipeErased` to do. */
  markErased(trx: Trx): void;
  /** Leaves nothing of what was erased in the engine's files, as far as that is ours to do; false: not yet. */
  wipeErased(): Promise<boolean>;
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

/** The database cannot be reached or is too busy: nothing is known to be wrong with the request. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

export class UniqueViolation extends Error {
  override name = 'UniqueViolation';
}
