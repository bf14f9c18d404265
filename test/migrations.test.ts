import assert from 'node:assert/strict';
import { before, describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { readConfig } from '../src/config/config.ts';
import type { Database, Engine } from '../src/db/database.ts';
import { MIGRATIONS, migrate, SCHEMA_VERSION, schemaVersion } from '../src/db/migrate.ts';
import { makers } from '../src/db/migrations/0019-makers.ts';
import { MOVED_COLUMNS } from '../src/db/migrations/0037-queue-states.ts';
import { TABLES } from '../src/db/tables.ts';
import { openDatabase } from '../src/installation/open.ts';
import { createLogger } from '../src/lib/log.ts';
import { recountQueue } from '../src/waitlist/upkeep/recount-queue.ts';
import { forEachEngine, listOver, startService } from './support/harness.ts';
import { createStorage, type Storage } from './support/storage.ts';
import {
  createInstallation,
  fillEarlierVersion,
  type Installation,
  readAgain,
} from './support/upgrade-rows.ts';

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

forEachEngine((engine) => {
  describe('migrations', () => {
    it('are numbered without a gap', () => {
      assert.deepEqual(
        MIGRATIONS.map(({ version }) => version),
        Array.from({ length: SCHEMA_VERSION }, (_, i) => i + 1),
      );
    });

    describe('from an earlier version', () => {
      let wanted: unknown[];
      let installation: Installation;
      before(async () => {
        wanted = await newestSchema(engine);
        installation = await createInstallation();
      });

      for (let from = 1; from < SCHEMA_VERSION; from += 1)
        it(`lead from ${from} to the same schema, keep all data, and leave a working service`, async (t) => {
          const { storage, db: older } = await openFresh(t, engine);
          await migrate(older, from);
          assert.equal(await schemaVersion(older), from);
          const filled = await fillEarlierVersion(older, storage, installation);
          const rest = MIGRATIONS.slice(from).map(({ version }) => version);
          assert.deepEqual(await migrate(older), rest);
          assert.deepEqual(await describeSchema(older, engine), wanted);
          assert.deepEqual(await readAgain(older, filled), filled);
          await assertServes(engine, storage, installation);
        });
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

    it('keep the content of events, except test emails that no erasure would find', async (t) => {
      const { db } = await openFresh(t, engine);
      await migrate(db, 4);
      const event = { queue_id: 1, body: Buffer.from('sealed'), created_at: 0 };
      const [tied, untied, other] = [1, 2, 3].map((byte) => Buffer.alloc(16, byte)) as [
        Buffer,
        Buffer,
        Buffer,
      ];
      await db.transaction(async (trx) => {
        trx.insert('event', [
          { ...event, id: tied, kind: 'email.invite' },
          { ...event, id: untied, kind: 'email.invite' },
          { ...event, id: other, kind: 'signup.created' },
        ]);
        trx.insert('event_subject', [{ queue_id: 1, subject: Buffer.alloc(16, 9), event_id: tied }]);
      });
      await migrate(db);
      const events = await db.query.selectFrom('event').select('body').orderBy('id').execute();
      assert.deepEqual(
        events.map(({ body }) => body !== null),
        [true, false, true],
      );
    });

    it('end one-time links from before a role changed, and limit the others to the role of their operator', async (t) => {
      const { db } = await openFresh(t, engine);
      await migrate(db, makers.version - 1);
      const hash = (byte: number) => Buffer.alloc(32, byte);
      const id = Buffer.alloc(16, 1);
      const record = { actor: 'command-line', details: hash(0), hash: hash(0) };
      const insert = db.query.insertInto('operator_link' as never);
      const link = { operator_id: id, kind: 'invitation', expires_at: 900 };
      await db.query
        .insertInto('operator')
        .values({ id, email_hash: hash(0), profile: hash(0), role: 'support', created_at: 0 })
        .execute();
      await insert.values({ ...link, token_hash: hash(1), created_at: 100 } as never).execute();
      await insert.values({ ...link, token_hash: hash(2), created_at: 300 } as never).execute();
      await db.query
        .insertInto('audit')
        .values([
          { ...record, seq: 1, at: 200, action: 'operator.role_changed' },
          { ...record, seq: 2, at: 400, action: 'session.created' },
        ])
        .execute();
      await migrate(db);
      const left = await db.query
        .selectFrom('operator_link')
        .select(['created_at', 'created_by', 'max_role'])
        .execute();
      assert.deepEqual(
        left.map(({ created_at, created_by, max_role }) => [created_at, created_by, max_role]),
        [[300, null, 'support']],
      );
    });

    it('match the tables described in the code', async (t) => {
      const { db } = await openFresh(t, engine);
      await migrate(db);
      const tables = await db.query.introspection.getTables();
      const found = tables.filter(({ name }) => name !== 'schema_version');
      const columnsOf = (columns: readonly { name: string; dataType: string }[]) =>
        Object.fromEntries(columns.map(({ name, dataType }) => [name, COLUMN_TYPES[dataType.toLowerCase()]]));
      const described = Object.entries(TABLES).map(([name, columns]) => [
        name,
        Object.fromEntries(Object.entries(columns).map(([column, { type }]) => [column, type])),
      ]);
      const left = (table: string, column: string) => table === 'queue' && MOVED_COLUMNS.includes(column);
      assert.deepEqual(
        Object.fromEntries(
          found.map(({ name, columns }) => [
            name,
            columnsOf(columns.filter((column) => !left(name, column.name))),
          ]),
        ),
        Object.fromEntries(described),
      );
    });

    it('run once when several connections start at once', async (t) => {
      const { storage, db: first } = await openFresh(t, engine);
      const others = await Promise.all([1, 2, 3].map(() => open(storage)));
      const migrating = Promise.all([first, ...others].map((db) => migrate(db)));
      const applied = await migrating.finally(() => Promise.all(others.map((db) => db.close())));
      assert.equal(applied.flat().length, SCHEMA_VERSION);
    });

    it('are all or nothing: one that fails half-way leaves schema and data as they were', async (t) => {
      const { storage, db } = await openFresh(t, engine);
      await migrate(db, 3);
      const filled = await fillEarlierVersion(db, storage, await createInstallation());
      // The last table that version 4 creates, behind columns, indexes and another table.
      await sql`create table mail_suppression (queue_id integer)`.execute(db.query);
      const before = await describeSchema(db, engine);
      await assert.rejects(migrate(db));
      assert.equal(await schemaVersion(db), 3);
      assert.deepEqual(await describeSchema(db, engine), before);
      assert.equal(await db.hasTable(db.query, 'mail_part'), false);
      assert.deepEqual(await readAgain(db, filled), filled);

      await sql`drop table mail_suppression`.execute(db.query);
      assert.deepEqual(await migrate(db), later(3));
      assert.deepEqual(await readAgain(db, filled), filled);
    });
  });
});

function later(version: number): number[] {
  return MIGRATIONS.slice(version).map((migration) => migration.version);
}

async function newestSchema(engine: Engine): Promise<unknown[]> {
  const storage = await createStorage(engine);
  const db = await open(storage);
  try {
    assert.equal(await schemaVersion(db), 0);
    assert.equal((await migrate(db)).length, SCHEMA_VERSION);
    assert.deepEqual(await migrate(db), []);
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
