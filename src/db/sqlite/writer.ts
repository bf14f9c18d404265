import path from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { DatabaseUnavailable, SchemaSuperseded, UniqueViolation } from '../database.ts';
import { primaryCodeOf, SQLITE } from './error-codes.ts';
import { nameDamage } from './explain.ts';
import { SUPERSEDED_MESSAGE } from './known-schema.ts';

/** 32 MiB: an index page that many commits changed is copied into the database once, not each time. */
export const CHECKPOINT_PAGES = 8_192;
/** If the checkpoints beside it do not keep up, a commit makes one. */
export const WRITER_CHECKPOINT_PAGES = 2 * CHECKPOINT_PAGES;
/** The log's maximum size on disk, unless a reader holds it. */
export const LOG_LIMIT_BYTES = WRITER_CHECKPOINT_PAGES * 4_096;
const THREAD = `./writer-thread${path.extname(import.meta.filename)}`;

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
  /** For another thread of this process, which writes through the same connection. */
  share(): MessagePort;
  close(): Promise<void>;
}

/** What the thread gets, apart from requests. */
export type WriterOrder = 'close' | { client: MessagePort };

export type Reply = WriterAnswer | { failed: Failure };

export interface Failure {
  message: string;
  /** 0 if the error is not from SQLite. */
  errcode: number;
  replaced: boolean;
}

export interface WriterData {
  file: string;
  /** The schema version that this process knows. */
  schema: number;
}

/**
 * SQLite allows one writer at a time. This is the one of this process, on its own thread. Before a write
 * fails because the schema is newer, `onSuperseded` is called.
 */
export async function startWriter(file: string, schema: number, onSuperseded: () => void): Promise<Writer> {
  const worker = new Worker(new URL(THREAD, import.meta.url), {
    name: 'writer', // As `top -H` shows it.
    workerData: { file, schema } satisfies WriterData,
  });
  const { run, fail } = requestsOver(worker, file, onSuperseded);
  worker.on('error', fail);
  worker.on('exit', (code) => fail(new Error(`exit code ${code}`)));
  await run({ sql: 'select 1' }); // Opens the file, or throws.
  return {
    ...{ run, lock: fifoLock() },
    share: () => {
      const { port1, port2 } = new MessageChannel();
      worker.postMessage({ client: port1 } satisfies WriterOrder, [port1]);
      return port2;
    },
    close: () => closeWorker(worker, run),
  };
}

/** The writer that another thread of this process has started, and shares. */
export async function joinWriter(port: MessagePort, file: string, onSuperseded: () => void): Promise<Writer> {
  const { run, fail } = requestsOver(port, file, onSuperseded);
  port.on('close', () => fail(new Error('its thread ended')));
  await run({ sql: 'select 1' });
  return {
    ...{ run, lock: fifoLock() },
    share: () => {
      throw new Error('only the thread that started the writer can share it');
    },
    close: async () => port.close(),
  };
}

function requestsOver(port: Worker | MessagePort, file: string, onSuperseded: () => void) {
  const waiting: { resolve(answer: WriterAnswer): void; reject(error: Error): void }[] = [];
  let broken: Error | undefined;
  const fail = (error: Error) => {
    broken ??= new DatabaseUnavailable(`the SQLite writer stopped: ${error.message}`, { cause: error });
    for (const call of waiting.splice(0)) call.reject(broken);
  };
  port.on('message', (reply: Reply) => {
    const call = waiting.shift();
    if (!('failed' in reply)) return call?.resolve(reply);
    const error = toError(reply.failed, file);
    if (error instanceof SchemaSuperseded) onSuperseded();
    call?.reject(error);
  });

  const run = (request: WriterRequest): Promise<WriterAnswer> =>
    new Promise((resolve, reject) => {
      if (broken) return reject(broken);
      send(port, request);
      waiting.push({ resolve, reject });
    });
  return { run, fail };
}

/**
 * Every request becomes one message, and so one reply: otherwise later replies would go to the wrong callers. One
 * that cannot be sent is sent as a failure, or the commit that may already be behind it would leave it out.
 */
function send(port: Worker | MessagePort, request: WriterRequest): void {
  try {
    port.postMessage(request);
  } catch (error) {
    const unsendable = (error as Error).message;
    port.postMessage({ sql: String(request.sql), unsendable } satisfies WriterRequest);
  }
}

async function closeWorker(worker: Worker, run: Writer['run']): Promise<void> {
  await run({ sql: 'pragma optimize' }).catch(() => {});
  const exited = new Promise((resolve) => worker.once('exit', resolve));
  worker.postMessage('close' satisfies WriterOrder);
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

function toError({ message, errcode, replaced }: Failure, file: string): Error {
  if (errcode === SQLITE.CONSTRAINT_UNIQUE || errcode === SQLITE.CONSTRAINT_PRIMARYKEY) {
    return new UniqueViolation(message);
  }
  if (message === SUPERSEDED_MESSAGE) return new SchemaSuperseded();
  if (replaced) return new DatabaseUnavailable(message);
  const options = { cause: Object.assign(new Error(message), { errcode }) };
  switch (primaryCodeOf({ errcode })) {
    case SQLITE.READONLY:
      return new DatabaseUnavailable(`${file} is read-only: check its owner and permissions`, options);
    case SQLITE.FULL:
      return new DatabaseUnavailable(`the disk of ${file} is full`, options);
    case SQLITE.BUSY:
    case SQLITE.IOERR:
    case SQLITE.CANTOPEN:
      return new DatabaseUnavailable(message, options);
  }
  return nameDamage(Object.assign(new Error(message), { errcode }), file);
}
