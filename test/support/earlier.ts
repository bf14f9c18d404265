import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import pg from 'pg';
import { readConfig } from '../../src/config/config.ts';
import type { Database, Engine } from '../../src/db/database.ts';
import { SCHEMA_VERSION } from '../../src/db/migrate.ts';
import { KNOWN_SCHEMA } from '../../src/db/postgres/schema-gate.ts';
import { SCHEMA } from '../../src/db/schema/schema.ts';
import { declareSchema } from '../../src/db/sqlite/known-schema.ts';
import { DATABASE_FILE } from '../../src/installation/data-directory.ts';
import { openDatabase } from '../../src/installation/open.ts';
import { createLogger } from '../../src/lib/log.ts';
import { afterTest } from './cleanup.ts';
import { scriptOf } from './program.ts';
import { query } from './query.ts';
import { createStorage, type Storage } from './storage.ts';

/** Where `write-release.ts` has put schema and rows of a release. */
const RELEASE = path.join(import.meta.dirname, '../upgrades/0.1.0');
/** Of that release. */
export const EARLIER: number = SCHEMA.version;

/** For processes of the release after it. */
export const NEXT_RELEASE: { script: string } = { script: scriptOf('next-release') };

/** What a test needs to know of the rows. */
export interface Installation {
  waitlistId: string;
  queueId: number;
  key: string;
  code: string;
  masterKey: string;
}

/** For another process's view of the storage. */
export async function openStorage(storage: Storage): Promise<Database> {
  const db = await openDatabase(readConfig(storage.environment), createLogger('silent'));
  afterTest(() => db.close());
  return db;
}

/** An installation as release 0.1.0 left it, with rows in every table. */
export async function createEarlier(
  engine: Engine,
): Promise<{ storage: Storage; installation: Installation }> {
  const storage = await createStorage(engine);
  afterTest(storage.remove);
  return { storage, installation: await fillAsEarlier(storage) };
}

export async function fillAsEarlier(storage: Storage): Promise<Installation> {
  const { engine, dataDir, environment } = storage;
  const statements = readFileSync(path.join(RELEASE, `${engine}.sql`), 'utf8');
  if (engine === 'sqlite') {
    await withDatabase(storage, async () => {}); // Creates the file.
    const db = new DatabaseSync(path.join(dataDir, DATABASE_FILE));
    db.exec(statements);
    db.close();
  } else await query(environment.DATABASE_URL ?? '', statements);
  const installation = JSON.parse(readFileSync(path.join(RELEASE, 'installation.json'), 'utf8'));
  writeFileSync(path.join(dataDir, 'master.key'), `${installation.masterKey}\n`, { mode: 0o600 });
  return installation;
}

export function versionOf(storage: Storage): Promise<number> {
  return withDatabase(storage, async (db) => {
    const { rows } = await sql<{ version: number }>`select version from schema_version`.execute(db.query);
    return rows[0]?.version ?? 0;
  });
}

export async function setVersion(storage: Storage, version: number): Promise<void> {
  await withDatabase(storage, (db) => sql`update schema_version set version = ${version}`.execute(db.query));
}

/** As a release after this one does it. */
export async function updateByNewerRelease(storage: Storage, release = '9.9.9'): Promise<void> {
  await withDatabase(storage, (db) =>
    db.transaction(async (trx) => {
      await sql`update schema_version set version = ${SCHEMA_VERSION + 1}, release = ${release}`.execute(trx);
      await db.closeToEarlier(trx, SCHEMA_VERSION + 1);
    }),
  );
}

async function withDatabase<T>(storage: Storage, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase(readConfig(storage.environment), createLogger('silent'));
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** A connection as a server opens it that knows nothing of later schemas. */
interface EarlierRelease {
  run(statement: string): Promise<unknown[]>;
}

export async function connectAsEarlier({ engine, dataDir, environment }: Storage): Promise<EarlierRelease> {
  if (engine === 'sqlite') {
    const db = new DatabaseSync(path.join(dataDir, DATABASE_FILE), { timeout: 10_000 });
    declareSchema(db, EARLIER);
    afterTest(() => db.close());
    return { run: async (statement) => db.prepare(statement).all() };
  }
  const client = new pg.Client({
    connectionString: environment.DATABASE_URL,
    application_name: 'doorlist',
  });
  await client.connect();
  await client.query(`select set_config('${KNOWN_SCHEMA}', '${EARLIER}', false)`);
  afterTest(() => client.end());
  return { run: async (statement) => (await client.query(statement)).rows };
}
