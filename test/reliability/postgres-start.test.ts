import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { SCHEMA_LOCK } from '../../src/db/postgres/schema-lock.ts';
import { CITUS_URL } from '../support/citus.ts';
import { freePort } from '../support/free-port.ts';
import { clientFor, eventually } from '../support/harness.ts';
import { startCommand, startProcess } from '../support/process.ts';
import { scriptOf } from '../support/program.ts';
import { type Proxied, proxiedPostgres } from '../support/proxied.ts';
import { createStorage } from '../support/storage.ts';

const SERVE = scriptOf('serve-process');

describe('a start on PostgreSQL', () => {
  let dataDir: string;
  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'doorlist-test-'));
  });
  after(() => rmSync(dataDir, { recursive: true, force: true }));

  const asking = (port: number) => {
    const client = clientFor(`http://127.0.0.1:${port}`);
    return async (wanted: number) => {
      const ask = () => client.request('GET', '/readyz').catch(() => undefined);
      return (await eventually(ask, (answer) => answer?.status === wanted))?.status;
    };
  };

  it('waits for a server that is not up yet, then serves, and does not end when it is lost again at once', async () => {
    const { storage, proxy, close }: Proxied = await proxiedPostgres();
    proxy.cut();
    const port = await freePort();
    const server = startCommand({ ...storage.environment, PORT: String(port) }, 'serve');
    try {
      const ready = asking(port);
      assert.equal(await ready(503), 503);
      proxy.restore();
      assert.equal(await ready(200), 200);
      proxy.cut();
      assert.equal(await ready(503), 503);
      proxy.restore();
      assert.equal(await ready(200), 200);
      server.child.kill('SIGTERM');
      const { code, stdout } = await server.finished;
      assert.equal(code, 0);
      assert.match(stdout, /"level":"warn".*"reason":".+".*"msg":"database: unavailable"/);
    } finally {
      server.child.kill('SIGKILL');
      await close();
    }
  });

  it('gives up after DOORLIST_START_TIMEOUT with a clear message', async () => {
    const url = `postgres://nobody@127.0.0.1:${await freePort()}/nothing`;
    const server = startCommand(
      { DOORLIST_DATA_DIR: dataDir, DATABASE_URL: url, PORT: '0', DOORLIST_START_TIMEOUT: '1s' },
      'serve',
    );
    const { code, stderr } = await server.finished;
    assert.equal(code, 75);
    assert.match(stderr, /^doorlist: The database was not available within 1 s\. .*refused/);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
  });

  const refusals: [string, (url: URL) => void][] = [
    [
      'a wrong password',
      (url) => {
        url.password = 'wrong';
      },
    ],
    [
      'a database that does not exist',
      (url) => {
        url.pathname = '/nowhere';
      },
    ],
  ];
  for (const [what, change] of refusals) {
    const skip = CITUS_URL !== undefined && what === 'a wrong password' && 'the cluster asks for no password';
    it(`does not wait for ${what}`, { skip }, async () => {
      const url = new URL(process.env.DOORLIST_TEST_POSTGRES_URL ?? '');
      change(url);
      const environment = { DOORLIST_DATA_DIR: dataDir, DATABASE_URL: url.href, PORT: '0' };
      // It would wait for longer than the test may take.
      const server = startCommand({ ...environment, DOORLIST_START_TIMEOUT: '1h' }, 'serve');
      try {
        assert.equal((await server.finished).code, 75);
      } finally {
        server.child.kill('SIGKILL');
      }
    });
  }

  it('waits for the migration of another instance beyond the statement timeout of requests', async () => {
    const storage = await createStorage('postgres');
    const migrating = new pg.Client({ connectionString: storage.environment.DATABASE_URL });
    await migrating.connect();
    await migrating.query('select pg_advisory_lock($1)', [SCHEMA_LOCK]);
    const limits = { connectMs: 20_000, statementMs: 1_000, silenceMs: 1_500, idleInTransactionMs: 20_000 };
    const starting = startProcess(
      { ...storage.environment, LIMITS: JSON.stringify({ limits }) },
      { script: SERVE },
    );
    try {
      const isWaiting = async () => {
        const { rows } =
          await migrating.query(`select from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' and clock_timestamp() - state_change > interval '3 seconds'`);
        return rows.length > 0;
      };
      for (const giveUpAt = performance.now() + 60_000; !(await isWaiting()); )
        assert.ok(performance.now() < giveUpAt, 'nobody waits');
      await migrating.end();
      const server = await starting;
      assert.equal((await server.stop()).code, 0);
    } finally {
      await migrating.end();
      await (await starting).stop('SIGKILL');
      await storage.remove();
    }
  });
});
