import { setTimeout as pause } from 'node:timers/promises';
import type { Trx } from '../database.ts';
import type { NamedQuery } from '../statement.ts';
import { type OpenTrx, openTrx } from '../trx.ts';
import type { Client } from './client.ts';
import { isReadOnly, isRolledBack, rethrow } from './errors.ts';
import type { Flavor } from './flavor.ts';
import { PostgresConnection, queriesOver } from './kysely.ts';
import type { Pool } from './pool.ts';
import { type Answer, type Command, isWrite, Session } from './session.ts';
import { type Settings, setLocal, setTransaction } from './settings.ts';

interface TransactionOptions {
  /** No time limit; otherwise each statement has the limit of a request. */
  long?: boolean;
  /** Reads one snapshot, blocks nothing, and may scan large parts of a table. */
  snapshot?: boolean;
}

interface Connected extends OpenTrx {
  session: Session;
  flavor: Flavor;
}

/** Kept for the lifetime of the connection, with its prepared statements. */
const connected = new WeakMap<Client, Connected>();

function sessionOf(pool: Pool, client: Client): Connected {
  const known = connected.get(client);
  const { flavor } = pool;
  if (known?.flavor === flavor) return known;
  const session = new Session(client, !pool.throughPooler);
  const connection = new PostgresConnection((command) => session.run(command));
  const execute = async <O>(query: NamedQuery<O>) => (await connection.executeQuery<O>(query)).rows;
  const fresh = { session, flavor, ...openTrx(queriesOver(connection), { ...flavor, execute }) };
  connected.set(client, fresh);
  return fresh;
}

const BEGIN = { text: 'begin', name: 'begin' };
const BEGIN_SNAPSHOT = { text: 'begin isolation level repeatable read read only' };
/** Without statistics, as right after an import, the planner would join a table to itself row by row. */
const READ_WHOLE_TABLES: Settings = { enable_seqscan: 'on', enable_nestloop: 'off' };
const TAKE_YOUR_TIME: Settings = { statement_timeout: '0' };
const WHO_AM_I = { text: 'select pg_backend_pid() as pid' };
const COMMIT = { text: 'commit', name: 'commit' };
const ROLLBACK = { text: 'rollback', name: 'rollback' };

export async function inTransaction<T>(
  pool: Pool,
  work: (trx: Trx, session: Session) => Promise<T>,
  { long = false, snapshot = false }: TransactionOptions = {},
): Promise<T> {
  const client = await pool.connect();
  const { session, trx, begin, failure } = sessionOf(pool, client);
  begin();
  session.wrote = false;
  let lost: Error | undefined;
  const onError = (error: Error) => {
    lost = error;
  };
  client.on('error', onError); // Without a listener, a lost connection would end the process.
  try {
    sendAhead(session, snapshot ? BEGIN_SNAPSHOT : BEGIN);
    const { refusedSettings } = pool;
    if (pool.throughPooler) sendAhead(session, setTransaction(pool.limits, refusedSettings));
    if (snapshot) sendAhead(session, setLocal(READ_WHOLE_TABLES, refusedSettings));
    if (long) {
      sendAhead(session, setLocal(TAKE_YOUR_TIME, refusedSettings));
      const { rows } = await session.run(WHO_AM_I).catch(rethrow);
      pool.beginLongWork(client, rows[0]?.pid as number);
    }
    const result = await work(trx, session);
    // If a statement failed, the server responds to the commit with ROLLBACK.
    const { command } = await session.run(COMMIT).catch(rethrow);
    if (command !== 'COMMIT') throw new Error('the transaction failed before its commit');
    if (session.wrote) pool.changes.tell();
    return result;
  } catch (thrown) {
    const error = failure() ?? thrown;
    await session.run(ROLLBACK).catch((rollbackError: Error) => {
      lost ??= rollbackError; // The state of the session is unknown, so it must not be used again.
    });
    if (isReadOnly(error)) lost ??= error as Error;
    pool.noteFailure(error);
    throw error;
  } finally {
    client.off('error', onError);
    pool.release(client, lost);
  }
}

/**
 * One statement outside a transaction. Behind a pooler it brings its settings: both run in one transaction, because
 * they are sent before the server answers.
 */
export async function runAlone(pool: Pool, command: Command): Promise<Answer> {
  const client = await pool.connect();
  const { session } = sessionOf(pool, client);
  let lost: Error | undefined;
  const onError = (error: Error) => {
    lost = error;
  };
  client.on('error', onError);
  try {
    if (pool.throughPooler) sendAhead(session, setTransaction(pool.limits, pool.refusedSettings));
    const answer = await session.run(command).catch((error) => pool.fail(error));
    if (isWrite(answer)) pool.changes.tell();
    return answer;
  } catch (error) {
    if (isReadOnly(error)) lost ??= error as Error;
    throw error;
  } finally {
    client.off('error', onError);
    pool.release(client, lost);
  }
}

const ATTEMPTS_MAX = 5;
/** Doubles with each attempt: together less than 0.2 s, so that a request has time left. */
const FIRST_PAUSE_MS = 10;

/**
 * Repeats a transaction after a deadlock or a serialization failure: the server has undone it, and without its
 * rivals it succeeds. The pauses are random, so that rivals do not meet again.
 */
export async function repeatRolledBack<T>(attempt: () => Promise<T>): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRolledBack(error) || number === ATTEMPTS_MAX) throw error;
      const longest = FIRST_PAUSE_MS * 2 ** (number - 1);
      await pause(longest * (0.5 + Math.random() / 2));
    }
  }
}

/** Sent together with the next statement, which fails for the same reason. */
function sendAhead(session: Session, command: Command): void {
  session.run(command).catch(() => {});
}
