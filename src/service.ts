import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { openPostgres } from './db/postgres.ts';
import type { PostgresLimits } from './db/postgres-pool.ts';
import { openSqlite } from './db/sqlite.ts';
import { createBell } from './events/outbox/bell.ts';
import { reportState } from './state-log.ts';
import { masterKeyFromEnvironment, masterKeyFromFile } from './vault/master-key.ts';
import type { Clock, Context, Log } from './waitlist/context.ts';
import { createDirectory } from './waitlist/directory.ts';
import { openInstance } from './waitlist/instance.ts';

/** Opens everything that the domain works with; the server and the command line both start here. */
export async function openContext(
  config: Config,
  log: Log,
  clock: Clock = Date.now,
  limits?: Partial<PostgresLimits>,
): Promise<Context> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const masterKey = masterKeySource(config);
  masterKey.load(); // A malformed key is told before anything is created.
  const db = await openDatabase(config, log, limits);
  try {
    const keyring = await openInstance(db.patient, masterKey, clock());
    return { db, keyring, clock, log, directory: createDirectory(db, keyring), bell: createBell(db) };
  } catch (error) {
    await db.close();
    throw error;
  }
}

export function masterKeySource(config: Config) {
  return config.masterKey === undefined
    ? masterKeyFromFile(config.dataDir)
    : masterKeyFromEnvironment(config.masterKey, config.masterKeyNext);
}

/** For commands and upkeep, whose statements may take longer than those of a request. */
export function withoutTimeLimits(context: Context): Context {
  return { ...context, db: context.db.patient };
}

export function openDatabase(config: Config, log: Log, limits?: Partial<PostgresLimits>): Promise<Database> {
  if (config.databaseUrl === undefined) return openSqlite(path.join(config.dataDir, 'doorlist.db'));
  return openPostgres({
    url: config.databaseUrl,
    poolSize: config.databasePool,
    listenUrl: config.databaseListenUrl,
    limits,
    onState: (state, error) => reportState(log, 'database', state, error ? { reason: inWords(error) } : {}),
  });
}

/** What is wrong with the database, for the log. */
export function inWords(error: Error): string {
  return error.message;
}
