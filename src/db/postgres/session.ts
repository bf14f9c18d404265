import pg from 'pg';
import { numberText } from '../kept-numbers.ts';
import { arrayOf } from './arrays.ts';

/** A statement for the server. Named statements stay prepared in their session. */
export interface Command {
  readonly text: string;
  readonly name?: string;
  readonly values?: readonly unknown[];
}

export interface Answer {
  readonly rows: Record<string, unknown>[];
  /** What the server did, such as `COMMIT`. */
  readonly command: string;
  readonly count: number;
}

const WRITES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE', 'COPY']);

export function isWrite({ command, count }: Pick<Answer, 'command' | 'count'>): boolean {
  return count > 0 && WRITES.has(command);
}

interface Sent extends Required<Command> {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

interface Column {
  readonly name: string;
  parse(text: string): unknown;
}

/**
 * One connection. Statements that are sent before the first response share one write and one round trip. If
 * one fails, the server skips those after it.
 */
export class Session {
  readonly #client: pg.PoolClient;
  readonly #prepared = new Map<string, Column[]>();
  readonly #keepsPrepared: boolean;
  #waiting: Sent[] = [];
  #busy = false;
  #scheduled = false;
  /** Whether anything was written since this was last reset. */
  wrote = false;

  /** Behind a pooler nothing stays prepared, because the next transaction may run in another session. */
  constructor(client: pg.PoolClient, keepsPrepared: boolean) {
    this.#client = client;
    this.#keepsPrepared = keepsPrepared;
  }

  run(command: Command): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { text, values = [] } = command;
      // The driver also prepares statements, outside transactions, and could use the same name.
      const name = command.name === undefined || !this.#keepsPrepared ? '' : `session ${command.name}`;
      const answered = (answer: Answer) => {
        if (isWrite(answer)) this.wrote = true;
        resolve(answer);
      };
      this.#waiting.push({ text, values, name, resolve: answered, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      // Runs after all pending microtasks, so that their statements are sent together.
      queueMicrotask(() => process.nextTick(() => this.#flush()));
    });
  }

  #flush(): void {
    this.#scheduled = false;
    if (this.#busy || this.#waiting.length === 0) return;
    this.#busy = true;
    const batch = new Batch(this.#waiting, this.#prepared, () => {
      this.#busy = false;
      this.#flush();
    });
    this.#waiting = [];
    this.#client.query(batch);
  }
}

/** Implements the extended query protocol through the driver's interface for custom queries. */
class Batch implements pg.Submittable {
  readonly #statements: Sent[];
  readonly #prepared: Map<string, Column[]>;
  readonly #ended: () => void;
  #current = 0;
  #columns: Column[] = [];
  #rows: Record<string, unknown>[] = [];

  constructor(statements: Sent[], prepared: Map<string, Column[]>, ended: () => void) {
    this.#statements = statements;
    this.#prepared = prepared;
    this.#ended = ended;
  }

  submit(connection: pg.Connection): void {
    const values = this.#statements.map((statement) => statement.values.map(encode));
    connection.stream.cork();
    for (const [index, { text, name }] of this.#statements.entries()) {
      if (!this.#prepared.has(name)) {
        const statement = { type: 'S', name };
        if (name !== '') connection.close(statement, true); // It may be left over from a failed attempt.
        connection.parse({ text, name, types: [] }, true);
        connection.describe(statement, true);
      }
      connection.bind({ statement: name, values: values[index] }, true);
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parserFor(dataTypeID) }));
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const columns = this.#rows.length > 0 ? this.#columns : this.#currentColumns();
    const row: Record<string, unknown> = {};
    for (const [index, { name, parse }] of columns.entries()) {
      const text = fields[index] ?? null;
      row[name] = text === null ? null : parse(text);
    }
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }): void {
    const { name, resolve } = this.#statements[this.#current] as Sent;
    if (name !== '') this.#prepared.set(name, this.#currentColumns());
    const words = text.split(' ');
    resolve({ rows: this.#rows, command: words[0] ?? '', count: Number(words.at(-1)) || 0 });
    this.#current += 1;
    this.#columns = [];
    this.#rows = [];
  }

  handleError(error: Error): void {
    for (const { reject } of this.#statements.slice(this.#current)) reject(error);
    this.#ended();
  }

  handleReadyForQuery(): void {
    this.#ended();
  }

  /** The columns as reported by the server now, or when the statement was prepared. */
  #currentColumns(): Column[] {
    const { name } = this.#statements[this.#current] as Sent;
    this.#columns = this.#prepared.get(name) ?? this.#columns;
    return this.#columns;
  }
}

/** Reads bigint as a number: larger ones are not written. */
export function parserFor(type: number, format: 'text' | 'binary' = 'text'): (text: string) => unknown {
  return type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format as 'text');
}

function encode(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (typeof value === 'number') return numberText(value);
  return Array.isArray(value) ? arrayOf(value) : String(value);
}
