import '../support/next-migrations.ts';

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { readConfig } from '../../src/config/config.ts';
import type { Database, Engine } from '../../src/db/database.ts';
import {
  migrate,
  requireCurrentSchema,
  SCHEMA_VERSION,
  schemaVersion,
  storedSchemaVersion,
} from '../../src/db/migrate.ts';
import { MIGRATIONS } from '../../src/db/migrations.ts';
import { SCHEMA } from '../../src/db/schema/schema.ts';
import { TABLES } from '../../src/db/tables.ts';
import { openDatabase } from '../../src/installation/open.ts';
import { createLogger } from '../../src/lib/log.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { createEarlier, EARLIER, type Installation, openStorage, versionOf } from '../support/earlier.ts';
import { forEachEngine, listOver, startService } from '../support/harness.ts';
import { NEXT_MIGRATIONS } from '../support/next-migrations.ts';
import { readAgain, readRows } from '../support/release-rows.ts';
import { createStorage, type Storage } from '../support/storage.ts';

/** The newest of this release, without what the next one could change. */
const OURS = SCHEMA_VERSION - NEXT_MIGRATIONS.length;

/** As at a start: without limits of time. */
async function open(storage: Storage): Promise<Database> {
  const db = await openDatabase(readConfig(storage.environment), createLogger('silent'));
  return db.unlimited;
}

async function openFresh(t: TestContext, engine: Engine): Promise<{ storage: Storage; db: Database }> {
  const storage = await createStorage(engine);
  const db = await open(storage);
  t.after(async () => {
    await db.close();
    await storage.remove();
  });
  return { storage, db };
}

/** As the engines call what the code knows. */
const COLUMN_TYPES: Record<string, string> = {
  int8: 'bigint',
  integer: 'bigint',
  text: 'text',
  bytea: 'bytes',
  blob: 'bytes',
};

/** Tables, columns and indexes, as the engine describes them. */
async function describeSchema(db: Database, engine: Engine): Promise<unknown[]> {
  const query =
    engine === 'sqlite'
      ? sql`select m.name, c.name as column_name, c.type, c."notnull", c.dflt_value, m.sql as definition
          from sqlite_master as m left join pragma_table_info(m.name) as c order by m.name, c.name`
      : sql`select table_name, column_name, data_type, is_nullable, column_default, null as definition
          from information_schema.columns where table_schema = 'public'
          union all select tablename, indexname, null, null, null, indexdef
          from pg_indexes where schemaname = 'public' order by 1, 2`;
  const { rows } = await query.execute(db.query);
  // A column that was added later stands in the same table, only written down in another way.
  return rows.map((row) => {
    const { definition, ...rest } = row as { definition: string | null };
    return { ...rest, definition: /^create table/i.test(definition ?? '') ? null : definition };
  });
}

forEachEngine('upgrades', (engine) => {
  describe('migrations', () => {
    it('are numbered without a gap', () => {
      assert.deepEqual(
        MIGRATIONS.map(({ version }) => version),
        MIGRATIONS.map((_, at) => SCHEMA.version + at + 1),
      );
    });

    it("create today's schema in an empty database, in one step and those after it", async (t) => {
      const { db } = await openFresh(t, engine);
      assert.equal(await schemaVersion(db), 0);
      assert.deepEqual(await migrate(db), [SCHEMA.version, ...later(SCHEMA.version)]);
      assert.equal(await schemaVersion(db), SCHEMA_VERSION);
      assert.deepEqual(await migrate(db), []);
    });

    it('lead from release 0.1.0 to the same schema, keep all data, and leave a working service', async () => {
      const { storage, installation } = await createEarlier(engine);
      const older = await openStorage(storage);
      assert.equal(await schemaVersion(older), EARLIER);
      const filled = await readRows(older);
      for (const [table, rows] of filled) assert.ok(rows.length > 0, table);
      assert.deepEqual(await migrate(older), later(EARLIER));
      assert.deepEqual(await describeSchema(older, engine), await newestSchema(engine));
      assert.deepEqual(await readAgain(older, filled), filled);
      await assertServes(engine, storage, installation);
    });

    it('refuse a schema that was never released, and say what to start before', async (t) => {
      const { db } = await openFresh(t, engine);
      await migrate(db, SCHEMA.version);
      for (const version of [1, SCHEMA.version - 1]) {
        await sql`update schema_version set version = ${sql.lit(version)}`.execute(db.query);
        const refusal = {
          name: 'SchemaTooOld',
          message: new RegExp(
            `schema version ${version}, .*Nothing was changed.*from before 0\\.1\\.0's schema once, which updates it to version ${SCHEMA.version}`,
          ),
        };
        await assert.rejects(migrate(db), refusal);
        await assert.rejects(requireCurrentSchema(db), refusal);
        assert.equal(await storedSchemaVersion(db), version);
      }
    });

    if (engine === 'postgres')
      it('leave no check that each signup would make for each of its rows', async (t) => {
        const { db } = await openFresh(t, engine);
        await migrate(db);
        const { rows } = await sql`select conname from pg_constraint where contype = 'f'
          and conrelid in ('entry'::regclass, 'metadata_pair'::regclass, 'rank_count'::regclass)`.execute(
          db.query,
        );
        assert.deepEqual(rows, []);
      });

    it('match the tables described in the code', async (t) => {
      const { db } = await openFresh(t, engine);
      await migrate(db, OURS);
      const tables = await db.query.introspection.getTables();
      const found = tables.filter(({ name }) => name !== 'schema_version');
      const columnsOf = (columns: readonly { name: string; dataType: string }[]) =>
        Object.fromEntries(columns.map(({ name, dataType }) => [name, COLUMN_TYPES[dataType.toLowerCase()]]));
      const described = Object.entries(TABLES).map(([name, columns]) => [
        name,
        Object.fromEntries(Object.entries(columns).map(([column, { type }]) => [column, type])),
      ]);
      assert.deepEqual(
        Object.fromEntries(found.map(({ name, columns }) => [name, columnsOf(columns)])),
        Object.fromEntries(described),
      );
    });

    it('run once when several connections start at once', async (t) => {
      const { storage, db: first } = await openFresh(t, engine);
      const others = await Promise.all([1, 2, 3].map(() => open(storage)));
      const migrating = Promise.all([first, ...others].map((db) => migrate(db)));
      const applied = await migrating.finally(() => Promise.all(others.map((db) => db.close())));
      assert.deepEqual(
        applied.flat().sort((a, b) => a - b),
        [SCHEMA.version, ...later(SCHEMA.version)],
      );
    });

    it('are all or nothing: one that fails half-way leaves schema and data as they were', async () => {
      const { storage } = await createEarlier(engine);
      const db = await openStorage(storage);
      await migrate(db, OURS);
      const filled = await readRows(db);
      // The way of the last statement of the first migration.
      await sql`alter table queue_state add column colors text`.execute(db.query);
      const before = await describeSchema(db, engine);
      await assert.rejects(migrate(db));
      assert.equal(await schemaVersion(db), OURS);
      assert.deepEqual(await describeSchema(db, engine), before);
      assert.deepEqual(await readAgain(db, filled), filled);

      await sql`alter table queue_state drop column colors`.execute(db.query);
      assert.deepEqual(await migrate(db), later(OURS));
      assert.deepEqual(await readAgain(db, filled), filled);
    });

    it('of an empty database are all or nothing, too', async (t) => {
      const { db } = await openFresh(t, engine);
      await sql`create table copy_mark (id integer)`.execute(db.query);
      await assert.rejects(migrate(db));
      assert.equal(await schemaVersion(db), 0);
      assert.equal(await db.hasTable(db.query, 'instance'), false);
      await sql`drop table copy_mark`.execute(db.query);
      assert.deepEqual(await migrate(db), [SCHEMA.version, ...later(SCHEMA.version)]);
    });

    it('each commit on their own, with their version', async () => {
      const { storage } = await createEarlier(engine);
      const db = await openStorage(storage);
      await sql`create table entry_count (queue_id integer)`.execute(db.query); // The way of the second one.
      await assert.rejects(migrate(db));
      assert.equal(await versionOf(storage), SCHEMA_VERSION - 1);
    });
  });

  describe('a database at the version of this release', () => {
    it('goes on as it is', async () => {
      const { storage } = await createEarlier(engine);
      const db = await openStorage(storage);
      const before = [await describeSchema(db, engine), await readRows(db)];
      assert.deepEqual(await migrate(db, EARLIER), []);
      assert.deepEqual([await describeSchema(db, engine), await readRows(db)], before);
      assert.deepEqual(before[0], await newestSchema(engine, EARLIER), 'and has the schema of new ones');
    });
  });
});

function later(version: number): number[] {
  return MIGRATIONS.map((migration) => migration.version).filter((each) => each > version);
}

async function newestSchema(engine: Engine, upTo = SCHEMA_VERSION): Promise<unknown[]> {
  const storage = await createStorage(engine);
  const db = await open(storage);
  try {
    await migrate(db, upTo);
    return await describeSchema(db, engine);
  } finally {
    await db.close();
    await storage.remove();
  }
}

/** Who was on the list is found with key, place and invite, and others join behind. */
async function assertServes(engine: Engine, storage: Storage, installation: Installation): Promise<void> {
  const service = await startService(engine, { storage });
  try {
    const queue = await service.context.registry.queue(installation.waitlistId, 'production');
    assert.ok(queue);
    assert.deepEqual((await recountQueue(service.context, queue, false)).findings, [], 'counters are right');
    const list = listOver(service, installation.waitlistId, installation.key);
    const ann = await list.lookup('ann@example.com');
    assert.deepEqual([ann.status, ann.body.referrals, ann.body.position], [200, 1, 1], ann.text);
    assert.equal((await service.check(installation.code)).body.valid, true);
    assert.equal((await list.signup({ email: 'ann@example.com' })).body.skipped, 1);
    assert.equal((await list.signup({ email: 'cleo@example.com' })).status, 201);
    assert.equal((await list.lookup('cleo@example.com')).body.position, 3);
    const another = await service.waitlist();
    assert.equal((await another.signup({ email: 'ann@example.com' })).status, 201);
  } finally {
    await service.close();
  }
}
