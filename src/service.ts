import path from 'node:path';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { DATABASE_FILE, NothingThere, prepareDataDirectory } from './data-directory.ts';
import type { Database } from './db/database.ts';
import { schemaVersion } from './db/migrate.ts';
import { openPostgres } from './db/postgres.ts';
import type { PostgresLimits } from './db/postgres-pool.ts';
import { postgresTrouble } from './db/postgres-trouble.ts';
import { openSqlite } from './db/sqlite.ts';
import type { Log } from './log.ts';
import { mailListener } from './mail/listener.ts';
import { createWakeUps } from './outbox/wake-up.ts';
import { isThere } from './private-file.ts';
import { reportState } from './state-log.ts';
import { type MasterKeySource, masterKeyFromEnvironment, masterKeyFromFile } from './vault/master-key.ts';
import type { Context } from './waitlist/queue/context.ts';
import { createDirectory } from './waitlist/queue/directory.ts';
import { openInstance } from './waitlist/upkeep/instance.ts';
import { webhookListener } from './webhooks/listener.ts';

/** Opens everything that the domain needs and creates what is missing: for `serve` and `migrate`. */
export async function openContext(
  config: Config,
  log: Log,
  clock: Clock = Date.now,
  limits?: Partial<PostgresLimits>,
): Promise<Context> {
  const masterKey = masterKeySource(config);
  masterKey.load(); // Reports a malformed key before anything is created.
  prepareDataDirectory(config, log);
  return openParts(await openDatabase(config, log, limits), masterKey, log, clock);
}

/** For all other commands: in the wrong directory, it fails and creates nothing. */
export async function openExisting(config: Config, log: Log, clock: Clock = Date.now): Promise<Context> {
  return openParts(await openExistingDatabase(config, log), masterKeySource(config), log, clock);
}

export async function openExistingDatabase(config: Config, log: Log): Promise<Database> {
  const dataDir = path.resolve(config.dataDir);
  if (config.databaseUrl === undefined && !isThere(databaseFile(config))) throw nothingIn(dataDir);
  const db = await openDatabase(config, log);
  try {
    if ((await schemaVersion(db)) > 0) return db;
    throw config.databaseUrl === undefined ? nothingIn(dataDir) : emptyDatabase(config.databaseUrl);
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function openParts(db: Database, masterKey: MasterKeySource, log: Log, clock: Clock): Promise<Context> {
  try {
    const keyring = await openInstance(db.patient, masterKey, clock());
    return {
      ...{ db, keyring, clock, log },
      directory: createDirectory(db, keyring),
      wakeUps: createWakeUps(db),
      listeners: [webhookListener(log), mailListener(log)],
    };
  } catch (error) {
    await db.close();
    throw error;
  }
}

function nothingIn(dataDir: string): NothingThere {
  return new NothingThere(
    `There is no Doorlist in ${dataDir}. Set DOORLIST_DATA_DIR to the data directory of your installation, or create a new one there with \`migrate\` or \`serve\`.`,
  );
}

function emptyDatabase(url: string): NothingThere {
  const { host, pathname } = new URL(url);
  return new NothingThere(
    `There is no Doorlist in database "${pathname.slice(1)}" at ${decodeURIComponent(host)}. Point DATABASE_URL at your installation's database, or create a new one there with \`migrate\` or \`serve\`.`,
  );
}

export function masterKeySource(config: Config) {
  return config.masterKey === undefined
    ? masterKeyFromFile(config.dataDir)
    : masterKeyFromEnvironment(config.masterKey, config.masterKeyNext);
}

/** For commands and upkeep, whose statements may take longer than a request's. */
export function withoutTimeLimits(context: Context): Context {
  return { ...context, db: context.db.patient };
}

export function openDatabase(config: Config, log: Log, limits?: Partial<PostgresLimits>): Promise<Database> {
  const { databaseUrl } = config;
  if (databaseUrl === undefined) return openSqlite(databaseFile(config));
  return openPostgres({
    url: databaseUrl,
    poolSize: config.databasePool,
    listenUrl: config.databaseListenUrl,
    limits,
    onState: (state, error) =>
      reportState(
        log,
        'database',
        state,
        error ? { reason: postgresTrouble(error, databaseUrl) ?? error.message } : {},
      ),
    onPlainText: (address) =>
      log.warn(
        { address },
        'the connection to PostgreSQL crosses a public network without TLS: add sslmode=verify-full to DATABASE_URL',
      ),
  });
}

function databaseFile(config: Config): string {
  return path.join(config.dataDir, DATABASE_FILE);
}
