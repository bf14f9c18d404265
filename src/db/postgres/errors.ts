import pg from 'pg';
import { DatabaseUnavailable, LockUnavailable, SchemaSuperseded, UniqueViolation } from '../database.ts';
import { isMisconfigured } from './explain.ts';
import { SUPERSEDED_STATE } from './schema-gate.ts';

const UNIQUE_VIOLATION = '23505';
const READ_ONLY = '25006';
/** A grant that is missing, which an operator can give while we run. */
const DENIED = '42501';
/** PostgreSQL itself only names the statement. */
const READ_ONLY_REASON =
  'PostgreSQL accepts no writes: it is a standby, or default_transaction_read_only is on';
/** Lock not available, deadlock. */
const LOCK_STATE = /^(55P03|40P01)$/;
/**
 * 08 connection, 40 rollback, 53 resources, 57 operator intervention, 25006 standby, 55P03 lock not
 * available.
 */
const UNAVAILABLE_STATE = /^(08|53|57|25006|55P03|40)/;
/** 08 connection, 57P shutting down or starting up, 53300 too many connections. */
const CONNECTION_STATE = /^(08|57P|53300)/;
/** Nothing is listening yet, or the name or route is not known yet. */
const NOT_THERE_YET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** Translates driver errors into our own. Errors that were already translated pass through. */
export function rethrow(error: Error): never {
  if (error instanceof DatabaseUnavailable) throw error;
  const state = sqlState(error);
  if (state === UNIQUE_VIOLATION) throw new UniqueViolation(error.message, { cause: error });
  if (state === READ_ONLY) throw new DatabaseUnavailable(READ_ONLY_REASON, { cause: error });
  if (state === SUPERSEDED_STATE) throw new SchemaSuperseded({ cause: error });
  if (state !== undefined && LOCK_STATE.test(state))
    throw new LockUnavailable(error.message, { cause: error });
  if (state === undefined || state === DENIED || UNAVAILABLE_STATE.test(state))
    throw new DatabaseUnavailable(error.message, { cause: error });
  throw error;
}

/** Whether the connection failed, and not the statement. */
export function isConnectionLoss(error: Error): boolean {
  const state = sqlState(error);
  return state === undefined || CONNECTION_STATE.test(state);
}

/** The server is there, and could not reach another one on which it has data, or waited for it in vain. */
export function isWorkerLoss(error: unknown): boolean {
  const origin = error instanceof DatabaseUnavailable ? error.cause : error;
  return (
    origin instanceof pg.DatabaseError && origin.severity === 'ERROR' && /^(08|57)/.test(origin.code ?? '')
  );
}

/** The server has become read-only, for example after a failover. Its successor may accept writes. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === READ_ONLY;
}

/** 40001 serialization failure, 40P01 deadlock: the server undid the transaction because of another one. */
const ROLLED_BACK = new Set(['40001', '40P01']);

export function isRolledBack(error: unknown): boolean {
  return ROLLED_BACK.has(sqlState(error) ?? '');
}

/** Whether waiting can help. A wrong password or certificate stays wrong. */
export function isWorthWaitingFor(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable) || error instanceof SchemaSuperseded) return false;
  if (isMisconfigured(error)) return false;
  const state = sqlState(error);
  if (state !== undefined) return UNAVAILABLE_STATE.test(state);
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return code === undefined || NOT_THERE_YET.has(code);
}

function sqlState(error: unknown): string | undefined {
  const origin = error instanceof DatabaseUnavailable ? error.cause : error;
  return origin instanceof pg.DatabaseError ? (origin.code ?? '') : undefined;
}
