import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Engine } from '../../src/db/database.ts';
import { DATABASE_FILE } from '../../src/installation/data-directory.ts';
import { createDatabase } from './databases.ts';

/** The data of one installation: a new directory, and on PostgreSQL a new database. */
export interface Storage {
  readonly engine: Engine;
  readonly dataDir: string;
  /** The variables that make a process use it. */
  readonly environment: Record<string, string>;
  remove(): Promise<void>;
}

interface StorageOptions {
  /** With the schema already. */
  migrated?: boolean;
  /** Where its directory is created. */
  within?: string;
  /** Of a PostgreSQL server, if not that of this run. */
  serverUrl?: string;
}

export async function createStorage(
  engine: Engine,
  { migrated = false, within = tmpdir(), serverUrl }: StorageOptions = {},
): Promise<Storage> {
  const dataDir = mkdtempSync(path.join(within, 'doorlist-test-'));
  const { sqliteFile, postgresDatabase } = migrated ? templates() : {};
  const database =
    engine === 'postgres'
      ? await createDatabase(serverUrl ?? postgresServerUrl(), postgresDatabase)
      : undefined;
  if (engine === 'sqlite' && sqliteFile) copyFileSync(sqliteFile, path.join(dataDir, DATABASE_FILE));
  return {
    engine,
    dataDir,
    environment: {
      DOORLIST_DATA_DIR: dataDir,
      ...(database ? { DATABASE_URL: database.url } : {}),
    },
    remove: async () => {
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Databases with the current schema and no rows. */
export interface Templates {
  sqliteFile?: string;
  postgresDatabase?: string;
}

/** Those of this run. There are none when a file runs without `npm test`, and the service migrates instead. */
function templates(): Templates {
  return JSON.parse(process.env.DOORLIST_TEST_TEMPLATES ?? '{}');
}

export function postgresServerUrl(): string {
  const url = process.env.DOORLIST_TEST_POSTGRES_URL;
  if (!url) throw new Error('there is no PostgreSQL: run tests with `npm test`, or `npm test -- FILE…`');
  return url;
}

/** A name that no other test has. */
export function unique(prefix: string): string {
  return `${prefix}${randomBytes(5).toString('hex')}`;
}
