import { chmodSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { freeBuffers } from '../../lib/heap-growth.ts';
import { unkeptNumber } from '../kept-numbers.ts';
import { readAll, readNearest } from './damaged-numbers.ts';
import { primaryCodeOf, SQLITE } from './error-codes.ts';
import { fairTurns } from './fairness.ts';
import { watchIdentity } from './identity.ts';
import { declareSchema, SCHEMA_CHANGE, watchSchema } from './known-schema.ts';
import {
  LOG_LIMIT_BYTES,
  WRITER_CHECKPOINT_PAGES,
  type WriterAnswer,
  type WriterData,
  type WriterRequest,
} from './writer.ts';

/** Longer than any of our transactions takes. After this, the caller is told to retry. */
const BUSY_TIMEOUT_MS = 10_000;
const CACHE_KIB = 24 * 1024;
const MOST_PREPARED = 500;
const LARGE_BYTES = 128 * 1024;
const LARGE_VALUES_PER_CLEANING = 8;

interface Prepared {
  statement: StatementSync;
  /** Whether it returns rows. */
  answers: boolean;
}

/** The connection that writes, with its transaction. */
export class WriterConnection {
  readonly #data: WriterData;
  readonly #turns = fairTurns(BUSY_TIMEOUT_MS);
  readonly #prepared = new Map<string, Prepared>();
  #db: DatabaseSync;
  #checkIdentity: () => void;
  #checkSchema: () => void;
  #readOnly = false;
  /** Set by the first failure in a transaction: later statements must not run, least of all the commit. */
  #aborted: unknown;
  #isHeld = false;
  #largeValues = 0;

  constructor(data: WriterData) {
    this.#data = data;
    this.#db = openForWriting(data);
    this.#checkIdentity = watchIdentity(data.file);
    this.#checkSchema = watchSchema(this.#db, data.schema);
  }

  /** From the request that begins a transaction to the one that ends it, also if it failed. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  get isInTransaction(): boolean {
    return this.#db.isTransaction;
  }

  answer(request: WriterRequest): WriterAnswer {
    if (request.sql === 'rollback') {
      this.#aborted = undefined;
      this.#isHeld = false;
      if (!this.#db.isTransaction) return { rows: [], changes: 0 };
    }
    if (this.#aborted) throw this.#aborted;
    const begins = request.sql === 'begin immediate';
    if (begins) {
      this.#isHeld = true;
      this.#turns.letOthersGo();
    }
    // Checked first, because a full disk ends a transaction by itself.
    const within = begins || this.#db.isTransaction;
    try {
      if (request.unsendable !== undefined) throw new Error(request.unsendable);
      if (this.#readOnly && !this.#db.isTransaction) this.#reopen();
      if (request.sql === 'commit' || !within) this.#checkIdentity();
      if (!within && isWrite(request.sql)) return this.#executeAlone(request);
      const answered = this.#execute(request);
      if (begins) {
        this.#turns.begun();
        this.#checkSchema(); // Under the lock, so that no migration can come in between.
      } else if (within && !this.#db.isTransaction) {
        this.#isHeld = false;
        this.#turns.ended();
      }
      return answered;
    } catch (error) {
      if (primaryCodeOf(error) === SQLITE.READONLY) this.#readOnly = true;
      if (within) this.#aborted = error;
      throw error;
    }
  }

  checkpoint(mode: 'noop' | 'passive'): { log: number; checkpointed: number } {
    return this.#db.prepare(`pragma wal_checkpoint(${mode})`).get() as { log: number; checkpointed: number };
  }

  close(): void {
    this.#db.close();
  }

  #executeAlone(request: WriterRequest): WriterAnswer {
    this.#execute({ sql: 'begin immediate' });
    try {
      this.#checkSchema();
      const answer = this.#execute(request);
      this.#execute({ sql: 'commit' });
      return answer;
    } catch (error) {
      if (this.#db.isTransaction) this.#execute({ sql: 'rollback' });
      throw error;
    }
  }

  #execute({ sql, parameters = [], rows }: WriterRequest): WriterAnswer {
    const unkept = unkeptNumber(rows ?? parameters);
    if (unkept !== undefined) throw new Error(unkept);
    if (sql.startsWith(SCHEMA_CHANGE)) return this.#changeSchema(sql);
    const { statement, answers } = this.#waiting(() => this.#prepare(sql));
    if (rows) {
      for (const row of rows) this.#waiting(() => statement.run(...(row as never[])));
      return { rows: [], changes: rows.length };
    }
    if (answers) {
      const readRows = isWrite(sql) ? readNearest : readAll;
      const found = this.#waiting(() => readRows(statement, parameters));
      return { rows: found, changes: found.length };
    }
    const { changes } = this.#waiting(() => statement.run(...(parameters as never[])));
    if (parameters.some(isLarge)) this.#freeLargeValues();
    return { rows: [], changes: Number(changes) };
  }

  /** In a transaction, as https://sqlite.org/lang_altertable.html describes it for constraints that cannot be altered. */
  #changeSchema(sql: string): WriterAnswer {
    this.#db.enableDefensive(false);
    try {
      this.#db.exec('pragma writable_schema = on');
      const { changes } = this.#db.prepare(sql).run();
      if (changes !== 1) throw new Error('the schema of the database is not what its version says');
      return { rows: [], changes };
    } finally {
      this.#db.exec('pragma writable_schema = reset'); // Read again, as it is now.
      this.#db.enableDefensive(true);
    }
  }

  /** Of uploads, whose chunks come one after the other. */
  #freeLargeValues(): void {
    this.#largeValues += 1;
    if (this.#largeValues % LARGE_VALUES_PER_CLEANING === 0) freeBuffers();
  }

  /** In a transaction, nobody else can be writing. */
  #waiting<T>(work: () => T): T {
    return this.#db.isTransaction ? work() : this.#turns.wait(work);
  }

  #prepare(text: string): Prepared {
    const known = this.#prepared.get(text);
    if (known) return known;
    // Some take effect when they are compiled, and only then.
    if (text.startsWith('pragma ')) return this.#compile(text);
    if (this.#prepared.size >= MOST_PREPARED) this.#prepared.clear();
    const fresh = this.#compile(text);
    this.#prepared.set(text, fresh);
    return fresh;
  }

  #compile(text: string): Prepared {
    const statement = this.#db.prepare(text);
    return { statement, answers: statement.columns().length > 0 };
  }

  /** A connection to a file that was read-only stays read-only, even if the permissions change. */
  #reopen(): void {
    const fresh = openForWriting(this.#data);
    this.#prepared.clear();
    this.#db.close();
    this.#db = fresh;
    this.#checkIdentity = watchIdentity(this.#data.file);
    this.#checkSchema = watchSchema(fresh, this.#data.schema);
    this.#readOnly = false;
  }
}

/** All others act on a connection or on the file, and some of them cannot run in a transaction. */
function isWrite(text: string): boolean {
  return /^\s*(insert|update|delete|create|drop|alter)\b/i.test(text);
}

function openForWriting({ file, schema }: WriterData): DatabaseSync {
  mendLogModes(file);
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  declareSchema(db, schema);
  db.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma foreign_keys = on;
    pragma cache_size = -${CACHE_KIB};
    pragma wal_autocheckpoint = ${WRITER_CHECKPOINT_PAGES};
    pragma journal_size_limit = ${LOG_LIMIT_BYTES};
    pragma secure_delete = on; -- What was erased is overwritten, not only forgotten.
    pragma busy_timeout = 0; -- From here on we wait ourselves.
  `);
  return db;
}

/**
 * SQLite creates `-wal` and `-shm` with the mode of the database. If it was read-only, they stay read-only
 * when its mode is fixed.
 */
function mendLogModes(file: string): void {
  const modeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if (!(modeOf(file) & 0o200)) return;
  for (const log of [`${file}-wal`, `${file}-shm`]) {
    const mode = modeOf(log);
    if (mode === 0 || mode & 0o200) continue;
    try {
      chmodSync(log, (mode & 0o777) | 0o200);
    } catch {
      // We are not the owner. If it matters, the first write fails with a clear error.
    }
  }
}

function isLarge(value: unknown): boolean {
  return value instanceof Uint8Array && value.length >= LARGE_BYTES;
}
