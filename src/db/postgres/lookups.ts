import { sql } from 'kysely';
import { DatabaseUnavailable } from '../database.ts';
import { type Lookup, type Statement, statement } from '../statement.ts';
import { ARRAY_TYPE } from './bulk.ts';
import { postgresDialect } from './dialect.ts';
import type { Runner } from './kysely.ts';

/** Takes the server some 20 ms, so those that come next do not wait for long. */
const KEYS_MAX = 200;
/** While the server works on one statement, the answer to another is read here. With more, each would have fewer keys. */
const IN_FLIGHT_MAX = 2;

interface Wanted<P, O> {
  readonly key: P;
  resolve(row: O | undefined): void;
  reject(error: unknown): void;
}

type Find = <P, O>(lookup: Lookup<P, O>, key: P) => Promise<O | undefined>;

/**
 * Everything that is looked for in one turn of the event loop becomes one statement per kind: starting one costs
 * the server more than finding a row with it. What comes while two are under way waits and shares the next one.
 */
export function openLookups(run: Runner): Find {
  const batchers = new Map<unknown, unknown>();
  return <P, O>(lookup: Lookup<P, O>, key: P) => {
    let batcher = batchers.get(lookup) as Batcher<P, O> | undefined;
    if (!batcher) {
      batcher = new Batcher(run, lookup);
      batchers.set(lookup, batcher);
    }
    return batcher.find(key);
  };
}

/** All lookups of one kind. Kinds do not wait for each other. */
class Batcher<P, O> {
  readonly #run: Runner;
  readonly #names: (keyof P & string)[];
  readonly #findAll: Statement<Columns, Numbered<O>>;
  #waiting: Wanted<P, O>[] = [];
  #inFlight = 0;
  #scheduled = false;

  constructor(run: Runner, lookup: Lookup<P, O>) {
    this.#run = run;
    this.#names = Object.keys(lookup.key) as (keyof P & string)[];
    this.#findAll = forManyKeys(lookup);
  }

  find(key: P): Promise<O | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#inFlight >= IN_FLIGHT_MAX) return;
    this.#scheduled = true;
    // Runs after all pending microtasks, so that the lookups of this turn are sent together.
    queueMicrotask(() => process.nextTick(() => this.#send()));
  }

  async #send(): Promise<void> {
    this.#scheduled = false;
    const wanted = this.#waiting.splice(0, KEYS_MAX);
    this.#inFlight += 1;
    this.#schedule();
    await this.#answer(wanted);
    this.#inFlight -= 1;
    this.#schedule();
  }

  async #answer(wanted: Wanted<P, O>[]): Promise<void> {
    try {
      const rows = await this.#read(wanted.map(({ key }) => key));
      const found = new Map(rows.map((row) => [row.key_number, row]));
      for (const [index, { resolve }] of wanted.entries()) resolve(found.get(index + 1));
    } catch (error) {
      const isOneAtFault = wanted.length > 1 && !(error instanceof DatabaseUnavailable);
      if (isOneAtFault) for (const one of wanted) await this.#answer([one]);
      else for (const { reject } of wanted) reject(error);
    }
  }

  async #read(keys: P[]): Promise<Numbered<O>[]> {
    const columns = Object.fromEntries(this.#names.map((name) => [name, keys.map((key) => key[name])]));
    const { name, sql: text, parameters } = this.#findAll.bind(postgresDialect, columns);
    return (await this.#run({ name, text, values: parameters })).rows as Numbered<O>[];
  }
}

/** The values of each part of the keys. */
type Columns = Record<string, readonly unknown[]>;
type Numbered<O> = O & { key_number: number };

/**
 * The planner must not see how many keys there are, hence the subqueries: it would find its reusable plan too costly
 * for a few keys, and plan each time.
 */
function forManyKeys<P, O>({ key, build }: Lookup<P, O>): Statement<Columns, Numbered<O>> {
  const types = Object.entries(key) as [keyof P & string, keyof typeof ARRAY_TYPE][];
  return statement((db, parameter) => {
    const arrays = types.map(
      ([name, type]) => sql`(select ${parameter(name)}::${sql.raw(ARRAY_TYPE[type])})`,
    );
    const names = [...types.map(([name]) => sql.ref(name)), sql.ref('key_number')];
    const found = build(db, (name) => sql.ref(`k.${name}`));
    const all = sql<Numbered<O>>`select k.key_number, found.* from unnest(${sql.join(arrays)}) with ordinality
      as k (${sql.join(names)}) cross join lateral ${found} as found`;
    return { compile: () => all.compile(db.query) };
  });
}
