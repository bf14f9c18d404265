import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import pg from 'pg';
import type { Servers } from './servers.ts';

export const APPLICATION_NAME = 'doorlist';
const AT_WORK = `select from pg_stat_activity where pid = $1 and state = 'active'`;

/** What the driver's types leave out. */
export type Client = pg.PoolClient & {
  readonly connection: { readonly stream: Socket };
  readonly processID: number;
  /** False while a response is pending. */
  readonly readyForQuery: boolean;
  /** Of the server that it is connected to. */
  readonly serverUrl: string;
};

/** Connects to the server that accepts writes. */
export function clientOf(servers: Servers): typeof pg.Client {
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

/** Asked over another connection: a long statement and a dead connection look the same from here. */
export async function isAtWork(url: string, processId: number, connectMs: number): Promise<boolean> {
  const asking = new pg.Client({
    connectionString: url,
    application_name: APPLICATION_NAME,
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
}

/** Not for private networks, this machine, or sockets of the file system. */
export function isPlainTextToPublic(stream: Pick<Socket, 'remoteAddress'>): boolean {
  const { remoteAddress = '', encrypted } = stream as { remoteAddress?: string; encrypted?: boolean };
  return !encrypted && ipaddr.isValid(remoteAddress) && ipaddr.process(remoteAddress).range() === 'unicast';
}
