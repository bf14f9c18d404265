import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import pg from 'pg';
import { readConfig } from '../../src/config/config.ts';
import type { Database, Engine } from '../../src/db/database.ts';
import { migrate, SCHEMA_VERSION } from '../../src/db/migrate.ts';
import { DATABASE_FILE } from '../../src/installation/data-directory.ts';
import { openDatabase } from '../../src/installation/open.ts';
import { createLogger } from '../../src/lib/log.ts';
import { afterTest } from './cleanup.ts';
import { createStorage, type Storage } from './storage.ts';
import { createInstallation, fillEarlierVersion, type Installation } from './upgrade-rows.ts';

/** For another process's view of the storage. */
export async function openStorage(storage: Storage): Promise<Database> {
  const db = await openDatabase(readConfig(storage.environment), createLogger('silent'));
  afterTest(() => db.close());
  return db;
}

/** An installation as an earlier release left it, with rows in every table. */
export async function createEarlier(
  engine: Engine,
  version: number,
): Promise<{ storage: Storage; installation: Installation }> {
  const storage = await createStorage(engine);
  afterTest(storage.remove);
  const installation = await createInstallation();
  const db = await openDatabase(readConfig(storage.environment), createLogger('silent'));
  try {
    await migrate(db, version);
    await fillEarlierVersion(db, storage, installation);
  } finally {
    await db.close();
  }
  return { storage, installation };
}

export async function versionOf(storage: Storage): Promise<number> {
  const db = await openDatabase(readConfig(storage.environment), createLogger('silent'));
  try {
    const { rows } = await sql<{ version: number }>`select version from schema_version`.execute(db.query);
    return rows[0]?.version ?? 0;
  } finally {
    await db.close();
  }
}

/** As a release after this one does it. */
export async function updateByNewerRelease(storage: Storage, release = '9.9.9'): Promise<void> {
  const db = await openDatabase(readConfig(storage.environment), createLogger('silent'));
  try {
    await db.transaction(async (trx) => {
      await sql`update schema_version set version = ${SCHEMA_VERSION + 1}, release = ${release}`.execute(trx);
      await db.closeToEarlier(trx, SCHEMA_VERSION + 1);
    });
  } finally {
    await db.close();
  }
}

/** A connection as releases open it that know nothing of later schemas. */
interface EarlierRelease {
  run(statement: string): Promise<unknown[]>;
}

export async function connectAsEarlier({ engine, dataDir, environment }: Storage): Promise<EarlierRelease> {
  if (engine === 'sqlite') {
    const db = new DatabaseSync(path.join(dataDir, DATABASE_FILE), { timeout: 10_000 });
    afterTest(() => db.close());
    return { run: async (statement) => db.prepare(statement).all() };
  }
  const client = new pg.Client({
    connectionString: environment.DATABASE_URL,
    application_name: 'doorlist',
  });
  await client.connect();
  afterTest(() => client.end());
  return { run: async (statement) => (await client.query(statement)).rows };
}
