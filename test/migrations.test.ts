import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { readConfig } from '../src/config.ts';
import type { Database, Engine } from '../src/db/database.ts';
import { MIGRATIONS, migrate, SCHEMA_VERSION, schemaVersion } from '../src/db/migrate.ts';
import { createLogger } from '../src/log.ts';
import { openDatabase } from '../src/service.ts';
import { forEachEngine, startService } from './support/harness.ts';
import { createStorage, type Storage } from './support/storage.ts';

const open = (storage: Storage) => openDatabase(readConfig(storage.environment), createLogger('silent'));

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

forEachEngine((engine) => {
  describe('migrations', () => {
    it('are numbered without a gap', () => {
      assert.deepEqual(
        MIGRATIONS.map(({ version }) => version),
        Array.from({ length: SCHEMA_VERSION }, (_, i) => i + 1),
      );
    });

    it('lead from every earlier version to the same schema, on which the service works', async () => {
      const fresh = await createStorage(engine);
      const db = await open(fresh);
      assert.equal(await schemaVersion(db), 0);
      assert.equal((await migrate(db)).length, SCHEMA_VERSION);
      assert.deepEqual(await migrate(db), []);
      const wanted = await describeSchema(db, engine);
      await db.close();
      await fresh.remove();
      for (let from = 1; from < SCHEMA_VERSION; from += 1) {
        const storage = await createStorage(engine);
        const older = await open(storage);
        await migrate(older, from);
        assert.equal(await schemaVersion(older), from);
        const rest = MIGRATIONS.slice(from).map(({ version }) => version);
        assert.deepEqual(await migrate(older), rest);
        assert.deepEqual(await describeSchema(older, engine), wanted, `from version ${from}`);
        await older.close();
        const service = await startService(engine, { storage });
        const list = await service.waitlist();
        assert.equal((await list.signup({ email: 'a@example.com' })).status, 201);
        await service.close();
        await storage.remove();
      }
    });

    it('are done once when several connections start at once', async () => {
      const storage = await createStorage(engine);
      const databases = await Promise.all(Array.from({ length: 4 }, () => open(storage)));
      const applied = await Promise.all(databases.map((db) => migrate(db)));
      assert.equal(applied.flat().length, SCHEMA_VERSION);
      await Promise.all(databases.map((db) => db.close()));
      await storage.remove();
    });

    it('are all or nothing', async () => {
      const storage = await createStorage(engine);
      const db = await open(storage);
      await assert.rejects(
        db.transaction(async (trx) => {
          await sql`create table half (id integer)`.execute(trx);
          await sql`create table half (id integer)`.execute(trx);
        }),
      );
      assert.equal(await db.hasTable(db.query, 'half'), false);
      await db.close();
      await storage.remove();
    });
  });
});
