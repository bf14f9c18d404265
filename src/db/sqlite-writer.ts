import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { DatabaseUnavailable, UniqueViolation } from './database.ts';

/** Longer than any transaction of ours takes; past it the caller is told to come back. */
const BUSY_TIMEOUT_MS = 10_000;
const CACHE_KIB = 24 * 1024;
/** 32 MiB: a page of an index that many commits touched is copied into the database once, not each time. */
const CHECKPOINT_PAGES = 8_192;
const MOST_PREPARED = 500;

export interface WriterRequest {
  sql: string;
  parameters?: readonly unknown[];
  /** Run the statement once for each of these instead. */
  rows?: unknown[][];
}

export interface WriterAnswer {
  rows: unknown[];
  changes: number;
}

export interface Writer {
  /** Waits for its turn, first come first served; the caller gives the turn back with the returned function. */
  lock(): Promise<() => void>;
  run(request: WriterRequest): Promise<WriterAnswer>;
  close(): Promise<void>;
}

type Reply = WriterAnswer | { failed: { message: string; errcode: number } };

/** SQLite has one writer at a time: this is the one of this process, on a thread of its own. */
export async function startWriter(file: string): Promise<Writer> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { file } });
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
    if ('failed' in reply) call?.reject(toError(reply.failed));
    else call?.resolve(reply);
  });

  const run = (request: WriterRequest): Promise<WriterAnswer> =>
    new Promise((resolve, reject) => {
      if (broken) return reject(broken);
      waiting.push({ resolve, reject });
      worker.postMessage(request);
    });

  await run({ sql: 'select 1' }); // The file opens, or this throws.
  return { run, lock: fifoLock(), close: () => closeWorker(worker, run) };
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
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;
const SQLITE_CONSTRAINT_UNIQUE = 2067;

function toError({ message, errcode }: { message: string; errcode: number }): Error {
  if (errcode === SQLITE_CONSTRAINT_UNIQUE || errcode === SQLITE_CONSTRAINT_PRIMARYKEY) {
    return new UniqueViolation(message);
  }
  if ([SQLITE_BUSY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN].includes(errcode & 0xff)) {
    return new DatabaseUnavailable(message, { cause: Object.assign(new Error(message), { errcode }) });
  }
  return Object.assign(new Error(message), { errcode });
}

interface Prepared {
  statement: StatementSync;
  /** Whether it has rows to return. */
  answers: boolean;
}

function serveWriter(file: string): void {
  const port = parentPort;
  if (!port) return;
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  db.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma foreign_keys = on;
    pragma cache_size = -${CACHE_KIB};
    pragma wal_autocheckpoint = ${CHECKPOINT_PAGES};
    pragma secure_delete = on; -- What was erased is overwritten, not only forgotten.
  `);
  const prepared = new Map<string, Prepared>();
  const prepare = (text: string): Prepared => {
    let known = prepared.get(text);
    if (!known) {
      if (prepared.size >= MOST_PREPARED) prepared.clear();
      const statement = db.prepare(text);
      known = { statement, answers: statement.columns().length > 0 };
      prepared.set(text, known);
    }
    return known;
  };
  /** Set by the first failure inside a transaction: what was sent behind it must not be done, least of all the commit. */
  let aborted: unknown;
  const execute = ({ sql, parameters = [], rows }: WriterRequest): WriterAnswer => {
    const { statement, answers } = prepare(sql);
    if (rows) {
      for (const row of rows) statement.run(...(row as never[]));
      return { rows: [], changes: rows.length };
    }
    if (answers) {
      const found = statement.all(...(parameters as never[]));
      return { rows: found, changes: found.length };
    }
    return { rows: [], changes: Number(statement.run(...(parameters as never[])).changes) };
  };
  const answer = (request: WriterRequest): WriterAnswer => {
    if (request.sql === 'rollback') {
      aborted = undefined;
      if (!db.isTransaction) return { rows: [], changes: 0 };
    }
    if (aborted) throw aborted;
    try {
      return execute(request);
    } catch (error) {
      if (db.isTransaction || request.sql === 'begin immediate') aborted = error;
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
      port.postMessage({ failed: { message, errcode } } satisfies Reply);
    }
  });
}

if (!isMainThread && typeof workerData?.file === 'string') serveWriter(workerData.file);
