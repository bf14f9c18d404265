import '../support/next-migrations.ts';

import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import pg from 'pg';
import { SCHEMA_VERSION } from '../../src/db/migrate.ts';
import { afterTest } from '../support/cleanup.ts';
import { createEarlier, EARLIER, NEXT_RELEASE } from '../support/earlier.ts';
import { freePort } from '../support/free-port.ts';
import { eventually, forEachEngine } from '../support/harness.ts';
import { startCommandAs } from '../support/process.ts';
import type { Storage } from '../support/storage.ts';
import { typed } from '../support/terminal.ts';

/** A transaction of another program, which the migration has to wait for. */
async function holdTables({ engine, dataDir, environment }: Storage): Promise<() => Promise<void>> {
  if (engine === 'sqlite') {
    const db = new DatabaseSync(path.join(dataDir, 'doorlist.db'));
    db.exec('begin immediate');
    afterTest(() => db.isOpen && db.close());
    return async () => db.close();
  }
  const client = new pg.Client({ connectionString: environment.DATABASE_URL, application_name: 'a report' });
  await client.connect();
  await client.query('begin');
  await client.query('lock table queue in row exclusive mode');
  let open = true;
  const end = async () => {
    if (open) await client.end();
    open = false;
  };
  afterTest(end);
  return end;
}

forEachEngine('upgrades', (engine) => {
  describe('a migration that takes long', () => {
    it('tells from where to where it leads in /readyz and status, and in the log', async () => {
      const { storage } = await createEarlier(engine);
      const release = await holdTables(storage);
      const port = await freePort();
      const { child, finished } = startCommandAs(
        NEXT_RELEASE,
        { ...storage.environment, PORT: String(port) },
        'serve',
      );
      afterTest(() => {
        child.kill('SIGKILL');
        return finished;
      });
      let log = '';
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (chunk) => {
          log += chunk;
        });
      const ask = (where: string) =>
        fetch(`http://127.0.0.1:${port}${where}`)
          .then((answer) => answer.text())
          .catch(() => '');
      const steps = `from version ${EARLIER} to ${SCHEMA_VERSION}`;
      const told = await eventually(
        () => ask('/readyz'),
        (text) => text.includes(steps),
      );
      assert.match(told, new RegExp(`"unavailable".*updating the database schema ${steps}`));
      assert.doesNotMatch(await ask('/nowhere'), /version/);

      const status = await eventually(
        () => typed(storage.environment, 'status'),
        ({ out }) => out.includes('Another process is updating'),
      );
      assert.equal(status.code, 1);
      assert.match(status.out, new RegExp(`has schema version ${EARLIER}, .*Wait until it is done`));
      if (engine === 'postgres')
        await eventually(
          async () => log,
          (lines) => /"waitingFor":\["PostgreSQL process \d+ \(a report from/.test(lines),
        );
      await release();
      await eventually(
        async () => log,
        (lines) => lines.includes('ready at'),
      );
      child.kill('SIGTERM');
      const { code, stdout } = await finished;
      assert.equal(code, 0);
      assert.ok(stdout.includes(`updated the schema ${steps}`), stdout);
    });
  });
});
