import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { afterTest } from '../support/cleanup.ts';
import { freePort } from '../support/free-port.ts';
import { clientFor, eventually, forEachEngine } from '../support/harness.ts';
import { runCommand, startProcess } from '../support/process.ts';
import { query } from '../support/query.ts';
import { createStorage, type Storage } from '../support/storage.ts';
import { jsonOf, runHere } from '../support/terminal.ts';

/** On a fixed port, somebody answers before everything is open. */
async function fixedPort(): Promise<{ PORT: string }> {
  return { PORT: String(await freePort()) };
}

async function change({ dataDir, environment }: Storage, statement: string): Promise<void> {
  if (environment.DATABASE_URL !== undefined) {
    await query(environment.DATABASE_URL, statement);
    return;
  }
  const database = new DatabaseSync(path.join(dataDir, 'doorlist.db'));
  database.exec(statement);
  database.close();
}

forEachEngine('start', (engine) => {
  describe('a start that fails', () => {
    const prepare = async () => {
      const storage = await createStorage(engine);
      afterTest(storage.remove);
      await jsonOf(storage.environment, 'migrate');
      return storage;
    };

    for (const workers of ['1', '2'])
      it(`at the work in the background ends the process, with ${workers} threads`, async () => {
        const storage = await prepare();
        await change(storage, 'drop table mail_pause');
        const environment = { ...storage.environment, ...(await fixedPort()), DOORLIST_WORKERS: workers };
        const { code, stderr } = await runCommand(environment, 'serve');
        assert.match(stderr, /mail_pause/);
        assert.equal(code, 1, stderr);
      });

    it('at the metrics port ends the process, and names that port or its host', async () => {
      const storage = await prepare();
      const other = createServer().listen(0, '127.0.0.1');
      afterTest(() => other.close());
      await once(other, 'listening');
      const { port } = other.address() as { port: number };
      const wrong = [
        [
          { DOORLIST_METRICS_PORT: String(port) },
          new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is already in use\\. .*DOORLIST_METRICS_PORT`),
        ],
        [
          { DOORLIST_METRICS_PORT: '0', DOORLIST_METRICS_HOST: 'nowhere.invalid' },
          /^doorlist: Cannot listen on nowhere\.invalid: .*Set DOORLIST_METRICS_HOST to an address/,
        ],
      ] as const;
      for (const [variables, wanted] of wrong) {
        const environment = { ...storage.environment, ...(await fixedPort()), ...variables };
        const { code, stderr } = await runCommand(environment, 'serve');
        assert.match(stderr, wanted);
        assert.equal(code, 1, stderr);
      }
    });
  });
});

describe('a start on a PostgreSQL database that is read-only', () => {
  it('succeeds, and the server works once it may write', async () => {
    const storage = await createStorage('postgres');
    afterTest(storage.remove);
    await jsonOf(storage.environment, 'migrate');
    const url = storage.environment.DATABASE_URL ?? '';
    const name = new URL(url).pathname.slice(1);
    await query(url, `alter database ${name} set default_transaction_read_only = on`);
    const server = await startProcess(storage.environment);
    afterTest(() => server.stop('SIGKILL'));
    const client = clientFor(server.url);
    assert.equal((await client.request('GET', '/readyz')).status, 503);
    const { code, stdout } = await runHere(storage.environment, 'status');
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^WRONG {2}database: PostgreSQL accepts no writes: .*default_transaction_read_only/m,
    );
    await query(
      url,
      `begin; set transaction read write; alter database ${name} reset default_transaction_read_only; commit`,
    );
    const ready = await eventually(
      () => client.request('GET', '/readyz'),
      ({ status }) => status === 200,
    );
    assert.equal(ready.status, 200);
    assert.equal((await server.stop()).code, 0);
  });
});
