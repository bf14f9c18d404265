import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import pg from 'pg';
import { refuseBesideServers } from '../../src/db/postgres/citus-distribute.ts';
import { LISTENER } from '../../src/db/postgres/listen.ts';
import { openPostgres } from '../../src/db/postgres/open.ts';
import { SCHEMA } from '../../src/db/schema/schema.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { CITUS_URL, WITHOUT_CITUS } from '../support/citus.ts';
import { createCitusDatabase } from '../support/citus-template.ts';
import { afterTest } from '../support/cleanup.ts';
import { startService } from '../support/harness.ts';
import { runCommand } from '../support/process.ts';
import { without } from '../support/programs.ts';
import { query } from '../support/query.ts';
import { createStorage, type Storage } from '../support/storage.ts';
import { until } from '../support/webhooks.ts';

const STILL_CONNECTED =
  /Doorlist is still connected to this database, from (127\.0\.0\.1|::1|a local socket) \(\d+ connections?\): stop all servers/;

describe('distribute', () => {
  it('names the servers that are connected, by their pool or only listening', {
    skip: CITUS_URL !== undefined && 'the first test has it on Citus',
  }, async () => {
    const storage = await createStorage('postgres', { migrated: true });
    afterTest(storage.remove);
    const url = storage.environment.DATABASE_URL ?? '';
    const db = await openPostgres({ url, poolSize: 1, onState: () => {} });
    afterTest(db.close);
    const refuse = () => db.transaction((trx) => refuseBesideServers(trx));
    await refuse();
    for (const application_name of ['doorlist', LISTENER]) {
      const client = new pg.Client({ connectionString: url, application_name });
      await client.connect();
      await assert.rejects(refuse(), { code: 'unavailable', message: STILL_CONNECTED });
      await client.end();
      await until('it is gone', () =>
        refuse().then(
          () => true,
          () => false,
        ),
      );
    }
    const other = new pg.Client({ connectionString: url, application_name: 'psql' });
    await other.connect();
    await refuse();
    await other.end();
  });

  it('spreads an installation with its data, which goes on as it was', { skip: WITHOUT_CITUS }, async () => {
    const { url, drop } = await createCitusDatabase(CITUS_URL ?? '');
    afterTest(drop);
    const dataDir = mkdtempSync(path.join(tmpdir(), 'doorlist-citus-'));
    afterTest(() => rmSync(dataDir, { recursive: true, force: true }));
    const environment = { DOORLIST_DATA_DIR: dataDir, DATABASE_URL: url };
    const storage: Storage = { engine: 'postgres', dataDir, environment, remove: async () => {} };
    const first = await startService('postgres', { storage });
    const lists = [await first.waitlist(), await first.waitlist()];
    for (const list of lists) {
      await list.signup(
        { email: 'ada@example.com', metadata: { plan: 'pro' } },
        { email: 'ben@example.com' },
      );
      await list.signup({ email: 'cleo@example.com', referredBy: 'ben@example.com' });
      await first.accept((await list.invite('ada@example.com')).code);
    }
    const refused = await runCommand(environment, 'distribute', '--shards', '4');
    assert.equal(refused.code, 75, refused.stderr);
    assert.match(refused.stderr, STILL_CONNECTED);
    assert.equal((await lists[0]?.lookup('ada@example.com'))?.status, 200);
    const before = await Promise.all(lists.map((list) => list.walk({ limit: 10 })));
    await first.close();

    const spread = await runCommand(environment, 'distribute', '--shards', '4');
    assert.equal(spread.code, 0, spread.stderr);
    assert.match(spread.stdout, /^Spread \d+ tables by queue\./);
    const again = await runCommand(environment, 'distribute');
    assert.match(again.stdout, /^All tables were distributed already\./);
    for (const name of ['status', 'doctor']) {
      const { stdout } = await runCommand(environment, name);
      assert.match(stdout, /cluster: .*:\d+ has \d queues?/, name);
      assert.doesNotMatch(stdout, /^WRONG {2}(?!emails)/m, name); // Nobody sends those of the test.
    }

    const second = await startService('postgres', { storage });
    afterTest(second.close);
    for (const [at, created] of lists.entries()) {
      const list = second.existing(created);
      assert.deepEqual(await list.walk({ limit: 10 }), before[at]);
      assert.equal((await list.signup({ email: 'dora@example.com' })).status, 201);
      assert.equal((await list.lookup('dora@example.com')).body.position, 3);
      assert.deepEqual((await recountQueue(second.context, await list.queue(), false)).findings, []);
    }
  });

  it('also spreads what a later migration creates', { skip: WITHOUT_CITUS }, async () => {
    const storage = await createStorage('postgres', { migrated: true, serverUrl: CITUS_URL ?? '' });
    afterTest(storage.remove);
    const url = storage.environment.DATABASE_URL ?? '';
    const created = SCHEMA.statements.find((text) => text.startsWith('create table mail_sending'));
    const db = await openPostgres({ url, poolSize: 1, onState: () => {} });
    afterTest(db.close);
    // As a migration would create it.
    await query(url, 'drop table mail_sending');
    await query(url, db.spell(created ?? ''));
    const { stdout, stderr } = await runCommand(storage.environment, 'distribute');
    assert.match(stdout, /^Spread 1 tables by queue\./, stderr);
    const rows = await query(
      url,
      `select from citus_tables where table_name in ('mail_sending'::regclass, 'wave'::regclass)
      and citus_table_type = 'distributed' and colocation_id =
        (select colocation_id from citus_tables where table_name = 'queue_state'::regclass)`,
    );
    assert.equal(rows.length, 2);
  });

  it('refuses an engine and a server without workers, with a sentence', async () => {
    const storage = await createStorage('sqlite', { migrated: true });
    afterTest(storage.remove);
    const { code, stderr } = await runCommand(storage.environment, 'distribute');
    assert.equal(code, 1);
    assert.match(stderr, /SQLite has no workers to spread queues over/);
  });

  it('refuses a PostgreSQL without Citus, and an older schema', {
    skip: CITUS_URL !== undefined && 'the server of this run has Citus',
  }, async () => {
    const storage = await createStorage('postgres', { migrated: true });
    afterTest(storage.remove);
    assert.match(
      (await runCommand(storage.environment, 'distribute')).stderr,
      /this PostgreSQL has no Citus/,
    );
    const empty = await createStorage('postgres');
    afterTest(empty.remove);
    assert.match(
      (await runCommand(empty.environment, 'distribute')).stderr,
      /create a new one there with `migrate`/,
    );
  });
});

describe('a backup of queues on Citus', { skip: WITHOUT_CITUS || without('pg_dump and its server') }, () => {
  it('needs all servers stopped, and is spread again after it was restored', async () => {
    const storage = await createStorage('postgres', { migrated: true, serverUrl: CITUS_URL ?? '' });
    afterTest(storage.remove);
    const environment = {
      ...storage.environment,
      DOORLIST_BACKUP_PASSPHRASE: 'correct horse battery staple',
    };
    const first = await startService('postgres', { storage });
    afterTest(first.close);
    const lists = [await first.waitlist(), await first.waitlist()];
    for (const list of lists)
      await list.signup(
        { email: 'ada@example.com', metadata: { plan: 'pro' } },
        { email: 'ben@example.com' },
      );
    const before = await Promise.all(lists.map((list) => list.walk({ limit: 10 })));
    const file = path.join(storage.dataDir, 'doorlist.backup');
    const refused = await runCommand(environment, 'backup', file);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /Stop all its servers/);
    await first.close();
    const written = await runCommand(environment, 'backup', file);
    assert.equal(written.code, 0, written.stderr);
    assert.match(written.stdout, /after a `restore`, run `distribute`/);

    const { url, drop } = await createCitusDatabase(CITUS_URL ?? '');
    afterTest(drop);
    const dataDir = mkdtempSync(path.join(tmpdir(), 'doorlist-citus-'));
    afterTest(() => rmSync(dataDir, { recursive: true, force: true }));
    const elsewhere = { ...environment, DOORLIST_DATA_DIR: dataDir, DATABASE_URL: url };
    const restored = await runCommand(elsewhere, 'restore', file);
    assert.match(restored.stdout, /^Restored the backup/, restored.stderr);
    const spread = await runCommand(elsewhere, 'distribute', '--shards', '4');
    assert.match(spread.stdout, /^Spread \d+ tables by queue\./, spread.stderr);
    const second = await startService('postgres', {
      storage: { engine: 'postgres', dataDir, environment: elsewhere, remove: async () => {} },
    });
    afterTest(second.close);
    for (const [at, created] of lists.entries()) {
      const list = second.existing(created);
      assert.deepEqual(await list.walk({ limit: 10 }), before[at]);
      assert.equal((await list.signup({ email: 'cleo@example.com' })).status, 201);
    }
    assert.equal((await (await second.waitlist()).signup({ email: 'ada@example.com' })).status, 201);
  });
});
