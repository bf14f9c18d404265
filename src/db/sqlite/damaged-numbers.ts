import type { StatementSync } from 'node:sqlite';

/**
 * All rows of a read. Numbers that JavaScript cannot hold exactly, with which it would fail, are read as the nearest
 * ones, as they are from PostgreSQL: a damaged row must not hide the others.
 */
export function readAll(statement: StatementSync, parameters: readonly unknown[]): unknown[] {
  try {
    return statement.all(...(parameters as never[]));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_OUT_OF_RANGE') throw error;
    return readNearest(statement, parameters);
  }
}

/** For a statement that writes and must not run twice. */
export function readNearest(statement: StatementSync, parameters: readonly unknown[]): unknown[] {
  statement.setReadBigInts(true);
  try {
    return statement.all(...(parameters as never[])).map((row) => withNumbers(row));
  } finally {
    statement.setReadBigInts(false);
  }
}

function withNumbers(row: object): object {
  if (Array.isArray(row)) return row.map(toNumber);
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toNumber(value)]));
}

function toNumber(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
