import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import { postgresDialect } from '../../src/db/postgres/dialect.ts';
import { openPostgres } from '../../src/db/postgres/open.ts';
import { findDueTargets, firstDueAt } from '../../src/outbox/target.ts';
import { JOB_KINDS } from '../../src/server/background.ts';
import { createJobRunner } from '../../src/waitlist/jobs/job-runner.ts';
import { createUpkeep } from '../../src/waitlist/upkeep/upkeep.ts';
import { CITUS_URL } from '../support/citus.ts';
import { startFakePooler } from '../support/fake-pooler.ts';
import { type Service, startService } from '../support/harness.ts';
import { createStorage, type Storage } from '../support/storage.ts';

/** PostgreSQL's default for `jit_above_cost`. */
const COMPILED_ABOVE = 100_000;

describe('behind a pooler, where every statement may run in another session', () => {
  let storage: Storage;
  let pooler: Awaited<ReturnType<typeof startFakePooler>>;
  let db: Database;
  before(async () => {
    storage = await createStorage('postgres', { migrated: true });
    const url = storage.environment.DATABASE_URL ?? '';
    await (await startService('postgres', { storage })).close(); // For the schema.
    const owner = new pg.Client({ connectionString: url });
    await owner.connect();
    await owner.query(`do $$ begin execute format(
      'alter database %I set statement_timeout = ''7s''', current_database()); end $$`);
    await owner.end();
    pooler = await startFakePooler(url);
    db = await openPostgres({ url: pooler.url, poolSize: 1, limits: { statementMs: 1_500 } });
  });
  after(async () => {
    await db.close();
    await pooler.close();
    await storage.remove();
  });

  const SETTINGS = sql<{ jit: string; timeout: string; scans: string }>`select current_setting('jit') as jit,
    current_setting('statement_timeout') as timeout, current_setting('enable_seqscan') as scans`;

  it('each one brings its settings, inside a transaction and outside', async () => {
    const ours = { jit: 'off', timeout: '1500ms', scans: 'off' };
    assert.deepEqual((await SETTINGS.execute(db.query)).rows, [ours]);
    assert.deepEqual((await db.transaction((trx) => SETTINGS.execute(trx))).rows, [ours]);
    assert.deepEqual((await SETTINGS.execute(db.unlimited.query)).rows, [{ ...ours, timeout: '0' }]);
    assert.deepEqual(await findDueTargets(db), []);
  });

  it('a failed one leaves the connection usable', async () => {
    await assert.rejects(sql`select 1 / 0`.execute(db.query), /division by zero/);
    await assert.rejects(sql`select pg_sleep(20)`.execute(db.query), /statement timeout/);
    assert.equal((await SETTINGS.execute(db.query)).rows[0]?.timeout, '1500ms');
    await db.query.updateTable('instance').set({ id: 1 }).execute();
  });
});

const ON_CITUS = CITUS_URL !== undefined && 'on Citus, other statements ask for the same';

describe('the statements of an idle server', () => {
  let service: Service;
  let client: pg.Client;
  before(async () => {
    service = await startService('postgres');
    client = new pg.Client({ connectionString: service.storage.environment.DATABASE_URL });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await service.close();
  });

  it('do not seem so costly that PostgreSQL compiles them, whatever the settings', {
    skip: ON_CITUS,
  }, async () => {
    const { context } = service;
    const tasks = [...createUpkeep(context).tasks, createJobRunner(context, JOB_KINDS).task];
    const asked = [firstDueAt, ...tasks.flatMap(({ dueAt }) => dueAt ?? [])];
    assert.ok(asked.length >= 4);
    for (const dueAt of asked) {
      const { sql: text, parameters } = sql`select ${dueAt(postgresDialect)}`.compile(context.db.query);
      const { rows } = await client.query(`explain (format json) ${text}`, [...parameters]);
      const cost = rows[0]['QUERY PLAN'][0].Plan['Total Cost'];
      assert.ok(cost < COMPILED_ABOVE / 10, `${cost}: ${text}`);
    }
  });
});
