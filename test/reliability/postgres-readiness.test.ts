import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { readConfig } from '../../src/config/config.ts';
import { openDatabase } from '../../src/installation/open.ts';
import { createLogger } from '../../src/lib/log.ts';
import { reportedStates } from '../../src/lib/state-log.ts';
import { createDatabase } from '../support/databases.ts';
import { assertError, eventually, type Service, startService } from '../support/harness.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { createStorage, type Storage } from '../support/storage.ts';

const readiness = async (service: Service, wanted: number) => {
  const answer = await eventually(
    () => service.request('GET', '/readyz'),
    ({ status }) => status === wanted,
  );
  if (wanted === 503) assertError(answer, 503, 'unavailable');
  assert.equal(answer.status, wanted, answer.text);
};

async function command(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const END_SESSIONS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

/** On a server that goes away with all that it has. */
async function onServer(server: PostgresServer): Promise<Storage> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'doorlist-test-'));
  const { url } = await createDatabase(server.url);
  const remove = async () => rmSync(dataDir, { recursive: true, force: true });
  return {
    engine: 'postgres',
    dataDir,
    environment: { DOORLIST_DATA_DIR: dataDir, DATABASE_URL: url },
    remove,
  };
}

describe('the state of PostgreSQL', () => {
  it('is well again as soon as an older connection answers, not only after a new one', async () => {
    const storage = await createStorage('postgres');
    const log = createLogger('silent');
    const db = await openDatabase(readConfig(storage.environment), log);
    const state = () => reportedStates(log).find(({ name }) => name === 'database')?.state;
    try {
      await db.transaction(async (trx) => {
        await db.transaction((other) => sql`select 1`.execute(other)); // Leaves a second connection behind.
        await sql.raw(END_SESSIONS).execute(trx);
        await eventually(
          async () => state(),
          (now) => now === 'unavailable',
        );
        assert.equal(state(), 'unavailable');
        await sql`select 1`.execute(trx);
      });
      assert.equal(state(), 'ok');
    } finally {
      await db.close();
      await storage.remove();
    }
  });
});

describe('readiness on PostgreSQL', () => {
  it('ends on a read-only database, and returns over new sessions', async () => {
    const storage = await createStorage('postgres', { migrated: true });
    const service = await startService('postgres', { storage });
    const url = storage.environment.DATABASE_URL ?? '';
    const readOnly = (state: string) => `do $$ begin execute format(
      'alter database %I set default_transaction_read_only = ${state}', current_database()); end $$`;
    try {
      const list = await service.waitlist();
      await readiness(service, 200);
      await command(url, readOnly('on'), END_SESSIONS);
      await readiness(service, 503);
      assertError(await list.signup({ email: 'a@example.com' }), 503, 'unavailable');
      assert.equal((await service.request('GET', '/healthz')).status, 200);
      // The sessions there are stay read-only; only new ones are not.
      await command(url, 'set default_transaction_read_only = off', readOnly('off'));
      await readiness(service, 200);
      assert.equal((await list.signup({ email: 'a@example.com' })).status, 201);
    } finally {
      await service.close();
      await storage.remove();
    }
  });

  it('queries the database at most once a second, however many clients ask', async () => {
    const service = await startService('postgres');
    try {
      const { db } = service.context;
      let asked = 0;
      const { probe } = db;
      db.probe = () => {
        asked += 1;
        return probe();
      };
      const startedAt = performance.now();
      await Promise.all(Array.from({ length: 50 }, () => service.request('GET', '/readyz')));
      const most = 1 + Math.floor((performance.now() - startedAt) / 1_000);
      assert.ok(asked >= 1 && asked <= most, `${asked} times, ${most} are allowed`);
    } finally {
      await service.close();
    }
  });

  it('ends on a standby and without a server, and returns when one is promoted', async () => {
    const server = await startPostgres({ durable: false });
    const storage = await onServer(server);
    const service = await startService('postgres', { storage });
    try {
      const list = await service.waitlist();
      assert.equal((await list.signup({ email: 'a@example.com' })).status, 201);
      await server.restartAsStandby();
      const read = await eventually(
        () => list.lookup('a@example.com'),
        ({ status }) => status === 200,
      );
      assert.equal(read.status, 200, 'a standby can be read');
      await readiness(service, 503);
      assertError(await list.signup({ email: 'b@example.com' }), 503, 'unavailable');
      await command(server.url, 'select pg_promote()');
      await readiness(service, 200);
      assert.equal((await list.signup({ email: 'b@example.com' })).status, 201);
      await server.pause();
      await readiness(service, 503);
      await server.start();
      await readiness(service, 200);
    } finally {
      await service.close();
      await server.stop();
      await storage.remove();
    }
  });

  it('ends on a full disk, and returns when there is space', async (test) => {
    const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-small-'));
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'tmpfs', directory]).status === 0;
    if (!mounted) {
      rmSync(directory, { recursive: true });
      return test.skip('needs a small file system, and only root may mount one');
    }
    test.after(() => {
      spawnSync('umount', [directory]);
      rmSync(directory, { recursive: true, force: true });
    });
    await chmod(directory, 0o755);
    const server = await startPostgres({ durable: false, within: directory });
    const storage = await onServer(server);
    const service = await startService('postgres', { storage });
    try {
      await service.waitlist();
      await readiness(service, 200);
      const ballast = path.join(directory, 'ballast');
      spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=4k']); // Until there is no room for more.
      await readiness(service, 503);
      rmSync(ballast);
      await readiness(service, 200);
    } finally {
      await service.close();
      await server.stop();
      await storage.remove();
    }
  });
});
