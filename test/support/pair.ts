import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { createDatabase } from './databases.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';
import type { Storage } from './storage.ts';

/** A primary with a synchronous standby, and storage whose URL names both. */
export interface Pair {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  readonly storage: Storage;
  /** Makes the standby the primary. */
  promote(): Promise<void>;
  close(): Promise<void>;
}

export async function startPair(): Promise<Pair> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'doorlist-test-'));
  // The standby has every commit, so none of them has to wait for the disk.
  const primary = await startPostgres({ settings: { fsync: 'off', full_page_writes: 'off' } });
  const { url } = await createDatabase(primary.url);
  const standby = await primary.addStandby();
  const { host } = new URL(standby.url);
  // The standby comes first: what accepts writes decides, not the order.
  const both = url.replace('@', `@${host},`);
  return {
    primary,
    standby,
    storage: {
      engine: 'postgres',
      dataDir,
      environment: { DOORLIST_DATA_DIR: dataDir, DATABASE_URL: `${both}&target_session_attrs=read-write` },
      remove: async () => rmSync(dataDir, { recursive: true, force: true }),
    },
    promote: async () => {
      const client = new pg.Client({ connectionString: standby.url });
      await client.connect();
      await client.query('select pg_promote()');
      await client.end();
    },
    close: async () => {
      await Promise.all([primary.stop(), standby.stop()]);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
