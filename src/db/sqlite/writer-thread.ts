import { chmodSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { unkeptNumber } from '../kept-numbers.ts';
import { checkpointsBeside } from './checkpoints.ts';
import { readAll, readNearest } from './damaged-numbers.ts';
import { primaryCodeOf, SQLITE } from './error-codes.ts';
import { fairTurns } from './fairness.ts';
import { DatabaseReplaced, watchIdentity } from './identity.ts';
import { declareSchema, watchSchema } from './known-schema.ts';
import {
  LOG_LIMIT_BYTES,
  type Reply,
  WRITER_CHECKPOINT_PAGES,
  type WriterAnswer,
  type WriterData,
  type WriterOrder,
  type WriterRequest,
} from './writer.ts';
import { shareConnection } from './writer-clients.ts';

/** Longer than any of our transactions takes. After this, the caller is told to retry. */
const BUSY_TIMEOUT_MS = 10_000;
const CACHE_KIB = 24 * 1024;
const MOST_PREPARED = 500;

interface Prepared {
  statement: StatementSync;
  /** Whether it returns rows. */
  answers: boolean;
}

function serveWriter(port: MessagePort, { file, schema }: WriterData): void {
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
  /** From the request that begins a transaction to the one that ends it, also if it failed. */
  let isHeld = false;
  const turns = fairTurns(BUSY_TIMEOUT_MS);
  const checkpoint = (mode: string) =>
    db.prepare(`pragma wal_checkpoint(${mode})`).get() as { log: number; checkpointed: number };
  const checkpoints = checkpointsBeside(file, {
    pages: () => checkpoint('noop').log,
    pagesToCopy: () => {
      const { log, checkpointed } = checkpoint('noop');
      return log - checkpointed;
    },
    copy: () => checkpoint('passive'),
  });
  const execute = ({ sql, parameters = [], rows }: WriterRequest): WriterAnswer => {
    const unkept = unkeptNumber(rows ?? parameters);
    if (unkept !== undefined) throw new Error(unkept);
    const waiting = <T>(work: () => T): T => (db.isTransaction ? work() : turns.wait(work));
    const { statement, answers } = waiting(() => prepare(sql));
    if (rows) {
      for (const row of rows) waiting(() => statement.run(...(row as never[])));
      return { rows: [], changes: rows.length };
    }
    if (answers) {
      const readRows = isWrite(sql) ? readNearest : readAll;
      const found = waiting(() => readRows(statement, parameters));
      return { rows: found, changes: found.length };
    }
    const { changes } = waiting(() => statement.run(...(parameters as never[])));
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
      isHeld = false;
      if (!db.isTransaction) return { rows: [], changes: 0 };
    }
    if (aborted) throw aborted;
    const begins = request.sql === 'begin immediate';
    if (begins) {
      isHeld = true;
      turns.letOthersGo();
    }
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
      } else if (within && !db.isTransaction) {
        isHeld = false;
        turns.ended();
      }
      return answered;
    } catch (error) {
      if (primaryCodeOf(error) === SQLITE.READONLY) readOnly = true;
      if (within) aborted = error;
      throw error;
    }
  };

  const reply = (client: MessagePort, request: WriterRequest) => {
    try {
      client.postMessage(answer(request) satisfies Reply);
    } catch (error) {
      const { message, errcode = 0 } = error as Error & { errcode?: number };
      const replaced = error instanceof DatabaseReplaced;
      client.postMessage({ failed: { message, errcode, replaced } } satisfies Reply);
    }
    if (request.sql === 'commit' && !db.isTransaction) checkpoints.advance();
  };
  const clients = shareConnection<WriterRequest>({
    isHeld: () => isHeld,
    rollBack: () => void answer({ sql: 'rollback' }),
  });
  const first = clients.add((request) => reply(port, request));
  const others: MessagePort[] = [];
  const addClient = (other: MessagePort) => {
    const { take, remove } = clients.add((request) => reply(other, request));
    others.push(other.on('message', take).on('close', remove));
  };
  port.on('message', async (message: WriterRequest | WriterOrder) => {
    if (message === 'close') {
      await checkpoints.close();
      db.close();
      for (const each of [port, ...others]) each.close();
    } else if ('client' in message) addClient(message.client);
    else first.take(message);
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

if (parentPort) serveWriter(parentPort, workerData);
