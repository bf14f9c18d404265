import { createHash } from 'node:crypto';
import { type CompiledQuery, type OperationNodeSource, type RawBuilder, sql } from 'kysely';
import type { ColumnType } from './column.ts';
import type { Dialect } from './dialect.ts';

/** A compiled query that an engine can keep prepared under its name. */
export interface NamedQuery<O = unknown> extends CompiledQuery<O> {
  readonly name: string;
}

class Parameter {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

type Parameters<P> = <K extends keyof P & string>(name: K) => RawBuilder<P[K]>;

type Build<P, Query> = (db: Dialect, parameter: Parameters<P>) => Query;

export interface Statement<P, O> {
  bind(dialect: Dialect, values: P): NamedQuery<O>;
}

/** Finds the row at a key, if there is one. `Database.find` can look for many at once. */
export interface Lookup<P, O> extends Statement<P, O> {
  readonly key: Readonly<Record<keyof P & string, ColumnType>>;
  /** With the key taken from elsewhere, such as the columns of a table of keys. */
  readonly build: Build<P, OperationNodeSource>;
}

export function lookup<P extends object, O>(
  key: Lookup<P, O>['key'],
  build: Build<P, OperationNodeSource & { compile(): CompiledQuery<O> }>,
): Lookup<P, O> {
  return { ...statement(build), key, build };
}

/**
 * A query that is built and compiled once per engine and run many times: building it for every request costs
 * more than running it.
 */
export function statement<P extends object, O>(
  build: Build<P, { compile(): CompiledQuery<O> }>,
): Statement<P, O> {
  const compiledFor = new WeakMap<Dialect, NamedQuery<O>>();
  const compile = (dialect: Dialect): NamedQuery<O> => {
    const parameter = (name: string) => sql.val(new Parameter(name)) as RawBuilder<never>;
    const compiled = named(build(dialect, parameter).compile());
    compiledFor.set(dialect, compiled);
    return compiled;
  };
  const bind = (dialect: Dialect, values: P): NamedQuery<O> => {
    const compiled = compiledFor.get(dialect) ?? compile(dialect);
    const lookup = values as Record<string, unknown>;
    const parameters = compiled.parameters.map((parameter) => {
      if (!(parameter instanceof Parameter)) return parameter;
      const value = lookup[parameter.name];
      return Array.isArray(value) ? dialect.list(value) : value;
    });
    return {
      sql: compiled.sql,
      query: compiled.query,
      queryId: compiled.queryId,
      name: compiled.name,
      parameters,
    };
  };
  return { bind };
}

const names = new Map<string, string>();

/** For queries whose number of different texts is fixed by the code. */
export function named<O>({ sql: text, query, queryId, parameters }: CompiledQuery<O>): NamedQuery<O> {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 20);
    names.set(text, name);
  }
  return { sql: text, query, queryId, parameters, name };
}
