import { chmodSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { DatabaseUnavailable, SchemaSuperseded, UniqueViolation } from './database.ts';
import { DatabaseReplaced, watchIdentity } from './sqlite-identity.ts';
import { declareSchema, SUPERSEDED_MESSAGE, watchSchema } from './sqlite-known-schema.ts';
import { takingTurns } from './sqlite-turns.ts';

/** Longer than any of our transactions takes. After this, the caller is told to retry. */
const BUSY_TIMEOUT_MS = 10_000;
const CACHE_KIB = 24 * 1024;
/** 32 MiB: an index page that many commits changed is copied into the database once, not each time. */
const CHECKPOINT_PAGES = 8_192;
/** The log's maximum size on disk: twice the distance between two undisturbed checkpoints. */
export const LOG_LIMIT_BYTES = 2 * CHECKPOINT_PAGES * 4_096;
const MOST_PREPARED = 500;

export interface WriterRequest {
  sql: string;
  parameters?: readonly unknown[];
  /** Runs the statement once for each of these instead. */
  rows?: unknown[][];
  /** Why this is not the request itself. It fails in its turn. */
  unsendable?: string;
}

export interface WriterAnswer {
  rows: unknown[];
  changes: number;
}

export interface Writer {
  /** Waits in line. The returned function releases the lock. */
  lock(): Promise<() => void>;
  run(request: WriterRequest): Promise<WriterAnswer>;
  close(): Promise<void>;
}

type Reply = WriterAnswer | { failed: Failure };

interface Failure {
  message: string;
  /** 0 if the error is not from SQLite. */
  errcode: number;
  replaced: boolean;
}

interface WriterData {
  file: string;
  /** The schema version that this process knows. */
  schema: number;
}

/**
 * SQLite allows one writer at a time. This is the one of this process, on its own thread. Before a write
 * fails because the schema is newer, `onSuperseded` is called.
 */
export async function startWriter(file: string, schema: number, onSuperseded: () => void): Promise<Writer> {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { file, schema } satisfies WriterData,
  });
  const waiting: { resolve(answer: WriterAnswer): void; reject(error: Error): void }[] = [];
  let broken: Error | undefined;

  const fail = (error: Error) => {
    broken ??= new DatabaseUnavailable(`the SQLite writer stopped: ${error.message}`, { cause: error });
    for (const call of waiting.splice(0)) call.reject(broken);
  };
  worker.on('error', fail);
  worker.on('exit', (code) => fail(new Error(`exit code ${code}`)));
  worker.on('message', (reply: Reply) => {
    const call = waiting.shift();
    if (!('failed' in reply)) return call?.resolve(reply);
    const error = toError(reply.failed, file);
    if (error instanceof SchemaSuperseded) onSuperseded();
    call?.reject(error);
  });

  const run = (request: WriterRequest): Promise<WriterAnswer> =>
    new Promise((resolve, reject) => {
      if (broken) return reject(broken);
      send(worker, request);
      waiting.push({ resolve, reject });
    });

  await run({ sql: 'select 1' }); // Opens the file, or throws.
  return { run, lock: fifoLock(), close: () => closeWorker(worker, run) };
}

/**
 * Every request becomes one message, and so one reply: otherwise later replies would go to the wrong callers. One
 * that cannot be sent is sent as a failure, or the commit that may already be behind it would leave it out.
 */
function send(worker: Worker, request: WriterRequest): void {
  try {
    worker.postMessage(request);
  } catch (error) {
    const unsendable = (error as Error).message;
    worker.postMessage({ sql: String(request.sql), unsendable } satisfies WriterRequest);
  }
}

async function closeWorker(worker: Worker, run: Writer['run']): Promise<void> {
  await run({ sql: 'pragma optimize' }).catch(() => {});
  const exited = new Promise((resolve) => worker.once('exit', resolve));
  worker.postMessage('close');
  await exited;
}

function fifoLock(): () => Promise<() => void> {
  let last = Promise.resolve();
  return () => {
    const mine = last;
    let release = () => {};
    last = new Promise((resolve) => {
      release = resolve;
    });
    return mine.then(() => release);
  };
}

const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;
const SQLITE_CONSTRAINT_UNIQUE = 2067;

function toError({ message, errcode, replaced }: Failure, file: string): Error {
  if (errcode === SQLITE_CONSTRAINT_UNIQUE || errcode === SQLITE_CONSTRAINT_PRIMARYKEY) {
    return new UniqueViolation(message);
  }
  if (message === SUPERSEDED_MESSAGE) return new SchemaSuperseded();
  if (replaced) return new DatabaseUnavailable(message);
  const told = { cause: Object.assign(new Error(message), { errcode }) };
  switch (errcode & 0xff) {
    case SQLITE_READONLY:
      return new DatabaseUnavailable(`${file} is read-only: check its owner and permissions`, told);
    case SQLITE_FULL:
      return new DatabaseUnavailable(`the disk of ${file} is full`, told);
    case SQLITE_BUSY:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      return new DatabaseUnavailable(message, told);
  }
  return Object.assign(new Error(message), { errcode });
}

interface Prepared {
  statement: StatementSync;
  /** Whether it returns rows. */
  answers: boolean;
}

function serveWriter({ file, schema }: WriterData): void {
  const port = parentPort;
  if (!port) return;
  let db = openForWriting(file, schema);
  let checkIdentity = watchIdentity(file);
  let checkSchema = watchSchema(db, schema);
  let readOnly = false;
  const prepared = new Map<string, Prepared>();
  const compile = (text: string): Prepared => {
    const statement = db.prepare(text);
    return { statement, answers: statement.columns().length > 0 };
  };
  const prepare = (text: string): Prepared => {
    const known = prepared.get(text);
    if (known) return known;
    // Some take effect when they are compiled, and only then.
    if (text.startsWith('pragma ')) return compile(text);
    if (prepared.size >= MOST_PREPARED) prepared.clear();
    const fresh = compile(text);
    prepared.set(text, fresh);
    return fresh;
  };
  /** A connection to a file that was read-only stays read-only, even if the permissions change. */
  const reopen = () => {
    const fresh = openForWriting(file, schema);
    prepared.clear();
    db.close();
    db = fresh;
    checkIdentity = watchIdentity(file);
    checkSchema = watchSchema(db, schema);
    readOnly = false;
  };
  /** Set by the first failure in a transaction: later statements must not run, least of all the commit. */
  let aborted: unknown;
  const turns = takingTurns(BUSY_TIMEOUT_MS);
  const execute = ({ sql, parameters = [], rows }: WriterRequest): WriterAnswer => {
    const patiently = <T>(work: () => T): T => (db.isTransaction ? work() : turns.wait(work));
    const { statement, answers } = patiently(() => prepare(sql));
    if (rows) {
      for (const row of rows) patiently(() => statement.run(...(row as never[])));
      return { rows: [], changes: rows.length };
    }
    if (answers) {
      const found = patiently(() => statement.all(...(parameters as never[])));
      return { rows: found, changes: found.length };
    }
    const { changes } = patiently(() => statement.run(...(parameters as never[])));
    return { rows: [], changes: Number(changes) };
  };
  const executeAlone = (request: WriterRequest): WriterAnswer => {
    execute({ sql: 'begin immediate' });
    try {
      checkSchema();
      const answer = execute(request);
      execute({ sql: 'commit' });
      return answer;
    } catch (error) {
      if (db.isTransaction) execute({ sql: 'rollback' });
      throw error;
    }
  };
  const answer = (request: WriterRequest): WriterAnswer => {
    if (request.sql === 'rollback') {
      aborted = undefined;
      if (!db.isTransaction) return { rows: [], changes: 0 };
    }
    if (aborted) throw aborted;
    const begins = request.sql === 'begin immediate';
    if (begins) turns.letOthersGo();
    // Checked first, because a full disk ends a transaction by itself.
    const within = begins || db.isTransaction;
    try {
      if (request.unsendable !== undefined) throw new Error(request.unsendable);
      if (readOnly && !db.isTransaction) reopen();
      if (request.sql === 'commit' || !within) checkIdentity();
      if (!within && isWrite(request.sql)) return executeAlone(request);
      const answered = execute(request);
      if (begins) {
        turns.begun();
        checkSchema(); // Under the lock, so that no migration can come in between.
      } else if (within && !db.isTransaction) turns.ended();
      return answered;
    } catch (error) {
      if (((error as Partial<Failure>).errcode ?? 0) % 256 === SQLITE_READONLY) readOnly = true;
      if (within) aborted = error;
      throw error;
    }
  };

  port.on('message', (request: WriterRequest | 'close') => {
    if (request === 'close') {
      db.close();
      port.close();
      return;
    }
    try {
      port.postMessage(answer(request) satisfies Reply);
    } catch (error) {
      const { message, errcode = 0 } = error as Error & { errcode?: number };
      const replaced = error instanceof DatabaseReplaced;
      port.postMessage({ failed: { message, errcode, replaced } } satisfies Reply);
    }
  });
}

/** All others act on a connection or on the file, and some of them cannot run in a transaction. */
function isWrite(text: string): boolean {
  return /^\s*(insert|update|delete|create|drop|alter)\b/i.test(text);
}

function openForWriting(file: string, schema: number): DatabaseSync {
  mendLogModes(file);
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  declareSchema(db, schema);
  db.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma foreign_keys = on;
    pragma cache_size = -${CACHE_KIB};
    pragma wal_autocheckpoint = ${CHECKPOINT_PAGES};
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

if (!isMainThread && typeof workerData?.file === 'string') serveWriter(workerData);
