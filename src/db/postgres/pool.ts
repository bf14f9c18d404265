import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import pg from 'pg';
import { type Changes, createChanges } from '../changes.ts';
import { type Connections, DatabaseUnavailable, SchemaSuperseded } from '../database.ts';
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

const AT_WORK = `select from pg_stat_activity where pid = $1 and state = 'active'`;

export type ConnectionState = 'ok' | 'unavailable';

export interface PoolOptions {
  servers: Servers;
  poolSize: number;
  limits: PostgresLimits;
  onState?: ((state: ConnectionState, error?: Error) => void) | undefined;
  /** Called once if connections to a public address are not encrypted. */
  onPlainText?: ((address: string) => void) | undefined;
}

/** What the driver's types leave out. */
export type Client = pg.PoolClient & {
  readonly connection: { readonly stream: Socket };
  readonly processID: number;
  /** False while a response is pending. */
  readonly readyForQuery: boolean;
  /** Of the server that it is connected to. */
  readonly serverUrl: string;
};

export interface Pool {
  readonly limits: PostgresLimits;
  /**
   * Whether there is a pooler such as PgBouncer in between. Then each transaction may run in a different
   * server session, so settings and prepared statements do not persist.
   */
  readonly throughPooler: boolean;
  /** What this server does not let us set. */
  readonly refusedSettings: ReadonlySet<OptionalSetting>;
  /** How statements are written. Known once the database was asked. */
  flavor: Flavor;
  /** Called when the server could not ask another one that has a part of the queues. */
  onWorkerLoss: () => void;
  /** What this process has written. */
  readonly changes: Changes;
  /** Aborted when a write met a newer schema. */
  readonly superseded: AbortSignal;
  connect(): Promise<Client>;
  /**
   * Lifts the limits on this client's statements until it is released, as long as the server is working on
   * them.
   */
  beginLongWork(client: Client, processId: number): void;
  connections(): Connections;
  /** For failures of statements in transactions. */
  noteFailure(error: unknown): void;
  /** For those outside: also reports a lost connection, and translates the error. */
  fail(error: Error): never;
  /** Returns the connection to the pool, or drops it because of an error. */
  release(client: Client, error?: unknown): void;
  close(): Promise<void>;
}

/** Connects to the server that accepts writes. */
function clientOf(servers: Servers): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config);
      // The driver gives up when it has no password, but leaves the connection open. The server would wait for a
      // minute, and so would the end of this process.
      this.connection.on('error', () => this.connection.stream.destroy());
      // Between the pool and its user nobody else listens, and an error would end the process. The next statement fails.
      this.on('error', () => {});
    }

    override connect(): Promise<pg.Client>;
    override connect(connected: (error: Error) => void): void;
    override connect(connected?: (error: Error) => void): Promise<pg.Client> | undefined {
      const connecting = servers.find().then(({ url }) => {
        if (this.connection.stream.destroyed)
          throw new Error('Connection terminated due to connection timeout');
        const isElsewhere = url !== servers.first.url;
        const { host, port } = isElsewhere ? new pg.Client({ connectionString: url }) : this;
        Object.assign(this, { serverUrl: url, host, port });
        return super.connect();
      });
      if (!connected) return connecting;
      connecting.then(() => connected(undefined as never), connected);
      return undefined;
    }
  };
}

export function openPool({ servers, poolSize, limits, onState, onPlainText }: PoolOptions): Pool {
  const address = { connectionString: servers.first.url, application_name: 'doorlist' };
  const open = new Set<Client>();
  const idle = new Set<Client>();
  const longWork = new Map<Client, number>();
  let throughPooler = false;
  let refusedSettings: ReadonlySet<OptionalSetting> | undefined;
  let warnOfPlainText = onPlainText;
  let state: ConnectionState = 'ok';
  const report = (next: ConnectionState, error?: Error) => {
    if (next === 'unavailable') servers.doubt();
    state = next;
    onState?.(next, error);
  };
  const superseding = new AbortController();
  const noteFailure = (error: unknown) => {
    if (error instanceof SchemaSuperseded) superseding.abort();
    if (opened.flavor.isDistributed && isWorkerLoss(error)) opened.onWorkerLoss();
  };

  /**
   * When one connection fails, the idle ones have probably failed too. Reconnecting is faster than timing out
   * on each.
   */
  const dropIdle = () => {
    servers.doubt();
    for (const client of idle) client.connection.stream.destroy();
  };
  const fail = (error: Error): never => {
    if (isReadOnly(error)) dropIdle();
    else if (isConnectionLoss(error) && !(opened.flavor.isDistributed && isWorkerLoss(error)))
      report('unavailable', error);
    try {
      return rethrow(error);
    } catch (translated) {
      noteFailure(translated);
      throw translated;
    }
  };
  /** Whatever the reason, such as a password that was changed: there is no database for now. */
  const failToConnect = (error: Error): never => {
    report('unavailable', error);
    throw error instanceof DatabaseUnavailable
      ? error
      : new DatabaseUnavailable(error.message, { cause: error });
  };
  /** Asked over another connection: a long statement and a dead connection look the same from here. */
  const isAtWork = async ({ serverUrl }: Client, processId: number) => {
    const { connectMs } = limits;
    const asking = new pg.Client({
      ...address,
      connectionString: serverUrl,
      connectionTimeoutMillis: connectMs,
      query_timeout: connectMs,
    });
    asking.on('error', () => {});
    try {
      await asking.connect();
      return (await asking.query(AT_WORK, [processId])).rows.length > 0;
    } catch {
      return false;
    } finally {
      asking.connection.stream.destroy();
    }
  };
  const prepare = async (client: Client) => {
    const { stream } = client.connection;
    open.add(client);
    client.once('end', () => open.delete(client));
    stream.setTimeout(limits.silenceMs);
    stream.on('timeout', async () => {
      const processId = longWork.get(client);
      const alive = client.readyForQuery || (processId !== undefined && (await isAtWork(client, processId)));
      if (alive) {
        stream.setTimeout(limits.silenceMs);
        return;
      }
      stream.destroy(new Error('the database stopped answering'));
      dropIdle();
    });
    refusedSettings ??= await findRefusedSettings(client);
    const { rows } = await client.query(setSession(client.processID, limits, refusedSettings));
    throughPooler = rows.length === 0;
    if (isPlainTextToPublic(stream)) {
      warnOfPlainText?.(stream.remoteAddress ?? '');
      warnOfPlainText = undefined;
    }
    report('ok');
  };

  const pool = new pg.Pool({
    ...address,
    Client: clientOf(servers),
    max: poolSize,
    min: 1, // An idle server looks for work now and then, and need not connect each time.
    connectionTimeoutMillis: limits.connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    types: { getTypeParser: parserFor },
    // Awaited by the pool, although the type does not say so.
    onConnect: (client) => prepare(client as Client),
  });
  pool.on('error', (error) => report('unavailable', error));
  pool.on('acquire', (client) => idle.delete(client as Client));
  pool.on('release', (error, client) => {
    if (error) return;
    idle.add(client as Client);
    if (state !== 'ok') report('ok'); // It has just answered.
  });
  pool.on('remove', (client) => idle.delete(client as Client));

  const connect = async (): Promise<Client> => {
    for (;;) {
      const client = (await pool.connect().catch(failToConnect)) as Client;
      if (!client.connection.stream.destroyed) return client;
      client.release(true); // Dropped a moment ago, which the pool does not know yet.
    }
  };

  const opened: Pool = {
    limits,
    changes: createChanges(),
    onWorkerLoss: () => {},
    get throughPooler() {
      return throughPooler;
    },
    flavor: PLAIN,
    get refusedSettings() {
      return refusedSettings ?? new Set();
    },
    superseded: superseding.signal,
    connect,
    noteFailure,
    fail,
    beginLongWork: (client, processId) => longWork.set(client, processId),
    release: (client, error) => {
      longWork.delete(client);
      if (isReadOnly(error)) dropIdle();
      else if (error !== undefined) servers.doubt();
      client.release(error !== undefined);
    },
    connections: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: async () => {
      const tearDown = setTimeout(() => {
        for (const client of open) client.connection.stream.destroy();
      }, CLOSE_MS);
      await pool.end();
      while (open.size > 0) await pause(5);
      clearTimeout(tearDown);
    },
  };
  return opened;
}

/** Not for private networks, this machine, or sockets of the file system. */
export function isPlainTextToPublic(stream: Pick<Socket, 'remoteAddress'>): boolean {
  const { remoteAddress = '', encrypted } = stream as { remoteAddress?: string; encrypted?: boolean };
  return !encrypted && ipaddr.isValid(remoteAddress) && ipaddr.process(remoteAddress).range() === 'unicast';
}
