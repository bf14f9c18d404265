import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Changes, createChanges } from '../changes.ts';
import { type Connections, DatabaseUnavailable, SchemaSuperseded } from '../database.ts';
import { APPLICATION_NAME, type Client, clientOf, isAtWork, isPlainTextToPublic } from './client.ts';
import { isConnectionLoss, isReadOnly, isWorkerLoss, rethrow } from './errors.ts';
import { type Flavor, PLAIN } from './flavor.ts';
import type { Servers } from './servers.ts';
import { parserFor } from './session.ts';
import { findRefusedSettings, type OptionalSetting, setSession } from './settings.ts';

export interface PostgresLimits {
  /** To connect, and to wait for a free connection. */
  connectMs: number;
  /** The server cancels longer statements. */
  statementMs: number;
  /**
   * A connection without traffic for this long is considered dead. Longer than `statementMs`, so that a slow
   * server can respond first.
   */
  silenceMs: number;
  /** The server ends transactions of processes that hang or are unreachable, to release their locks. */
  idleInTransactionMs: number;
}

export const LIMITS: PostgresLimits = {
  connectMs: 5_000,
  statementMs: 10_000,
  silenceMs: 12_000,
  idleInTransactionMs: 15_000,
};
const KEEP_ALIVE_AFTER_MS = 10_000;
/** Connections that have not closed properly by then are destroyed. */
const CLOSE_MS = 1_000;

export type ConnectionState = 'ok' | 'unavailable';

export interface PoolOptions {
  servers: Servers;
  poolSize: number;
  limits: PostgresLimits;
  onState?: ((state: ConnectionState, error?: Error) => void) | undefined;
  /** Called once if connections to a public address are not encrypted. */
  onPlainText?: ((address: string) => void) | undefined;
}

export class Pool {
  readonly limits: PostgresLimits;
  /** What this process has written. */
  readonly changes: Changes = createChanges();
  /** How statements are written. Known once the database was asked. */
  flavor: Flavor = PLAIN;
  /** Called when the server could not ask another one that has a part of the queues. */
  onWorkerLoss: () => void = () => {};
  readonly #options: PoolOptions;
  readonly #pool: pg.Pool;
  readonly #open = new Set<Client>();
  readonly #idle = new Set<Client>();
  readonly #longWork = new Map<Client, number>();
  readonly #superseding = new AbortController();
  #state: ConnectionState = 'ok';
  #throughPooler = false;
  #refusedSettings: ReadonlySet<OptionalSetting> | undefined;
  #hasWarnedOfPlainText = false;

  constructor(options: PoolOptions) {
    const { servers, poolSize, limits } = options;
    this.limits = limits;
    this.#options = options;
    this.#pool = new pg.Pool({
      connectionString: servers.first.url,
      application_name: APPLICATION_NAME,
      Client: clientOf(servers),
      max: poolSize,
      min: 1, // An idle server looks for work now and then, and need not connect each time.
      connectionTimeoutMillis: limits.connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      types: { getTypeParser: parserFor },
      // Awaited by the pool, although the type does not say so.
      onConnect: (client) => this.#prepare(client as Client),
    });
    this.#pool.on('error', (error) => this.#report('unavailable', error));
    this.#pool.on('acquire', (client) => this.#idle.delete(client as Client));
    this.#pool.on('release', (error, client) => {
      if (error) return;
      this.#idle.add(client as Client);
      if (this.#state !== 'ok') this.#report('ok'); // It has just answered.
    });
    this.#pool.on('remove', (client) => this.#idle.delete(client as Client));
  }

  /**
   * Whether there is a pooler such as PgBouncer in between. Then each transaction may run in a different
   * server session, so settings and prepared statements do not persist.
   */
  get throughPooler(): boolean {
    return this.#throughPooler;
  }

  /** What this server does not let us set. */
  get refusedSettings(): ReadonlySet<OptionalSetting> {
    return this.#refusedSettings ?? new Set();
  }

  /** Aborted when a write met a newer schema. */
  get superseded(): AbortSignal {
    return this.#superseding.signal;
  }

  connections(): Connections {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  async connect(): Promise<Client> {
    for (;;) {
      const client = (await this.#pool.connect().catch((error) => this.#failToConnect(error))) as Client;
      if (!client.connection.stream.destroyed) return client;
      client.release(true); // Dropped a moment ago, which the pool does not know yet.
    }
  }

  /**
   * Lifts the limits on this client's statements until it is released, as long as the server is working on
   * them.
   */
  beginLongWork(client: Client, processId: number): void {
    this.#longWork.set(client, processId);
  }

  /** Returns the connection to the pool, or drops it because of an error. */
  release(client: Client, error?: unknown): void {
    this.#longWork.delete(client);
    if (isReadOnly(error)) this.#dropIdle();
    else if (error !== undefined) this.#options.servers.doubt();
    client.release(error !== undefined);
  }

  /** For failures of statements in transactions. */
  noteFailure(error: unknown): void {
    if (error instanceof SchemaSuperseded) this.#superseding.abort();
    if (this.flavor.isDistributed && isWorkerLoss(error)) this.onWorkerLoss();
  }

  /** For those outside: also reports a lost connection, and translates the error. */
  fail(error: Error): never {
    if (isReadOnly(error)) this.#dropIdle();
    else if (isConnectionLoss(error) && !(this.flavor.isDistributed && isWorkerLoss(error)))
      this.#report('unavailable', error);
    try {
      return rethrow(error);
    } catch (translated) {
      this.noteFailure(translated);
      throw translated;
    }
  }

  async close(): Promise<void> {
    const tearDown = setTimeout(() => {
      for (const client of this.#open) client.connection.stream.destroy();
    }, CLOSE_MS);
    await this.#pool.end();
    while (this.#open.size > 0) await pause(5);
    clearTimeout(tearDown);
  }

  async #prepare(client: Client): Promise<void> {
    this.#open.add(client);
    client.once('end', () => this.#open.delete(client));
    this.#watchSilence(client);
    this.#refusedSettings ??= await findRefusedSettings(client);
    const { rows } = await client.query(setSession(client.processID, this.limits, this.#refusedSettings));
    this.#throughPooler = rows.length === 0;
    const { stream } = client.connection;
    if (!this.#hasWarnedOfPlainText && isPlainTextToPublic(stream)) {
      this.#hasWarnedOfPlainText = true;
      this.#options.onPlainText?.(stream.remoteAddress ?? '');
    }
    this.#report('ok');
  }

  #watchSilence(client: Client): void {
    const { stream } = client.connection;
    const { silenceMs, connectMs } = this.limits;
    stream.setTimeout(silenceMs);
    stream.on('timeout', async () => {
      const processId = this.#longWork.get(client);
      const alive =
        client.readyForQuery ||
        (processId !== undefined && (await isAtWork(client.serverUrl, processId, connectMs)));
      if (alive) {
        stream.setTimeout(silenceMs);
        return;
      }
      stream.destroy(new Error('the database stopped answering'));
      this.#dropIdle();
    });
  }

  /** Whatever the reason, such as a password that was changed: there is no database for now. */
  #failToConnect(error: Error): never {
    this.#report('unavailable', error);
    throw error instanceof DatabaseUnavailable
      ? error
      : new DatabaseUnavailable(error.message, { cause: error });
  }

  /**
   * When one connection fails, the idle ones have probably failed too. Reconnecting is faster than timing out
   * on each.
   */
  #dropIdle(): void {
    this.#options.servers.doubt();
    for (const client of this.#idle) client.connection.stream.destroy();
  }

  #report(next: ConnectionState, error?: Error): void {
    const { servers, onState } = this.#options;
    if (next === 'unavailable') servers.doubt();
    this.#state = next;
    onState?.(next, error);
  }
}
