import pg from 'pg';
import { DatabaseUnavailable, UniqueViolation } from './database.ts';

const UNIQUE_VIOLATION = '23505';
const READ_ONLY = '25006';
/** 08 connection, 40 rollback, 53 resources, 57 operator intervention, 25006 a standby, 55P03 a lock not to be had. */
const UNAVAILABLE_STATE = /^(08|53|57|25006|55P03|40)/;
/** 08 connection, 57P shutting down or starting up, 53300 too many connections. */
const CONNECTION_STATE = /^(08|57P|53300)/;
/** Nobody listens yet, or the name or the route is not known yet. */
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

/** Throws what the rest of the code knows; what was translated before stays as it is. */
export function rethrow(error: Error): never {
  if (error instanceof DatabaseUnavailable) throw error;
  const state = sqlState(error);
  if (state === UNIQUE_VIOLATION) throw new UniqueViolation(error.message, { cause: error });
  if (state === undefined || UNAVAILABLE_STATE.test(state))
    throw new DatabaseUnavailable(error.message, { cause: error });
  throw error;
}

/** Whether the connection failed, and not what was asked over it. */
export function isConnectionLoss(error: Error): boolean {
  const state = sqlState(error);
  return state === undefined || CONNECTION_STATE.test(state);
}

/** The session leads to a server that takes no writes any more, although its successor may. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === READ_ONLY;
}

/** Whether a database that failed like this may be there in a moment; a wrong password or certificate stays wrong. */
export function isWorthWaitingFor(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable)) return false;
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return code === undefined || sqlState(error) !== undefined || NOT_THERE_YET.has(code);
}

function sqlState(error: unknown): string | undefined {
  const origin = error instanceof DatabaseUnavailable ? error.cause : error;
  return origin instanceof pg.DatabaseError ? (origin.code ?? '') : undefined;
}
