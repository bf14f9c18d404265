import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Row } from '../../src/db/bulk.ts';
import type { Database } from '../../src/db/database.ts';
import { insertOf } from '../../src/db/postgres/bulk.ts';
import { openPostgres } from '../../src/db/postgres/open.ts';
import { LIMITS } from '../../src/db/postgres/pool.ts';
import { type Service, startService } from '../support/harness.ts';
import { startRenamingProxy } from '../support/renaming-proxy.ts';
import { createStorage, type Storage } from '../support/storage.ts';

/** Other names of the same length, which no server knows. */
const UNKNOWN = { jit: 'jot', lock_timeout: 'lack_timeout', work_mem: 'work_min' };

describe('a server that knows fewer settings than PostgreSQL', () => {
  let storage: Storage;
  let proxy: Awaited<ReturnType<typeof startRenamingProxy>>;
  let service: Service;
  before(async () => {
    storage = await createStorage('postgres');
    proxy = await startRenamingProxy(storage.environment.DATABASE_URL ?? '', UNKNOWN);
    const environment = { ...storage.environment, DATABASE_URL: proxy.url };
    // From the first migration on.
    service = await startService('postgres', { storage: { ...storage, environment } });
  });
  after(async () => {
    await service.close();
    await proxy.close();
    await storage.remove();
  });

  it('serves all the same, with the settings that it knows', async () => {
    const list = await service.waitlist();
    assert.equal((await list.signup({ email: 'ada@example.com' })).status, 201);
    assert.equal((await list.lookup('ada@example.com')).status, 200);
    assert.equal((await service.request('GET', '/readyz')).status, 200);
    const { db } = service.context;
    const { rows } = await sql`select current_setting('enable_seqscan') as scan,
      current_setting('statement_timeout') as timeout`.execute(db.query);
    assert.deepEqual(rows, [{ scan: 'off', timeout: `${LIMITS.statementMs / 1_000}s` }]);
    const queues = await db.snapshot((trx) => trx.selectFrom('queue').select('id').execute());
    assert.ok(queues.length > 0);
    assert.ok(proxy.renamed() > 0);
  });
});

describe('the readiness check', () => {
  let storage: Storage;
  let db: Database;
  before(async () => {
    storage = await createStorage('postgres', { migrated: true });
    db = await openPostgres({ url: storage.environment.DATABASE_URL ?? '', poolSize: 2 });
  });
  after(async () => {
    await db.close();
    await storage.remove();
  });

  it('is an ordinary write that leaves no lock behind, and that nobody takes for a change', async () => {
    let changes = 0;
    const end = db.onChange(() => {
      changes += 1;
    });
    const written = async () => {
      const { rows } = await sql<{ xmin: string }>`select xmin::text from schema_version`.execute(db.query);
      return rows[0]?.xmin;
    };
    const earlier = await written();
    await db.probe();
    assert.notEqual(await written(), earlier);
    await Promise.all([db.probe(), db.probe(), db.probe()]);
    assert.equal(changes, 0);
    end();
  });

  it('asks for no function that only PostgreSQL has', async () => {
    await sql`create schema if not exists shadow`.execute(db.query);
    await db.transaction(async (trx) => {
      // A server without generate_series, as far as this session can see.
      await sql`create function shadow.generate_series(integer, integer) returns setof integer language plpgsql as
        $$ begin raise exception 'not supported' using errcode = '0A000'; end $$`.execute(trx);
      await sql
        .raw(`do $$ begin execute format('alter database %I set search_path = shadow, pg_catalog, public',
        current_database()); end $$`)
        .execute(trx);
    });
    const modest = await openPostgres({ url: storage.environment.DATABASE_URL ?? '', poolSize: 2 });
    try {
      await assert.rejects(
        sql`select count(*) from generate_series(1, 2)`.execute(modest.query),
        /not supported/,
      );
      await modest.probe();
      await modest.probe();
    } finally {
      await modest.close();
    }
  });
});

describe('generated ids', () => {
  it('are overridden only by a copy, which brings them', () => {
    const text = (table: 'waitlist' | 'event', row: Row) => insertOf(table, [row], undefined).sql;
    assert.doesNotMatch(text('event', { queue_id: 1, id: Buffer.alloc(1) }), /overriding/);
    assert.doesNotMatch(text('waitlist', { public_id: 'wl_a' }), /overriding/);
    assert.match(text('waitlist', { id: 1, public_id: 'wl_a' }), /overriding system value/);
  });
});
