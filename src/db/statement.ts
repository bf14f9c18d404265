import { createHash } from 'node:crypto';
import { type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';
import type { Tables } from './tables.ts';

/** A compiled query that the engines may keep prepared under its name. */
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

/**
 * A query that is built and compiled once for each database and run many times with other values:
 * building the same query for every request costs more than running it.
 */
export function statement<P extends object, O>(
  build: (db: Database, parameter: Parameters<P>) => { compile(): CompiledQuery<O> },
): (db: Database, executor: Kysely<Tables>, values: P) => Promise<O[]> {
  const compiledFor = new WeakMap<Database, NamedQuery<O>>();
  return async (db, executor, values) => {
    let compiled = compiledFor.get(db);
    if (!compiled) {
      compiled = named(build(db, (name) => sql.val(new Parameter(name)) as RawBuilder<never>).compile());
      compiledFor.set(db, compiled);
    }
    const lookup = values as Record<string, unknown>;
    const parameters = compiled.parameters.map((p) => (p instanceof Parameter ? lookup[p.name] : p));
    const bound: NamedQuery<O> = { ...compiled, parameters };
    return (await executor.executeQuery<O>(bound)).rows;
  };
}

export function named<O>(query: CompiledQuery<O>): NamedQuery<O> {
  return { ...query, name: createHash('sha256').update(query.sql).digest('base64url').slice(0, 20) };
}
