import path from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import type { Config } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import { type MigrationWatch, SchemaTooOld, schemaVersion } from '../db/migrate.ts';
import { serverUrls } from '../db/postgres/url.ts';
import { openSqlite } from '../db/sqlite/open.ts';
import { tracedDatabase } from '../db/traced.ts';
import { type Counts, localCounts } from '../lib/counts.ts';
import { isThere } from '../lib/files.ts';
import type { Log } from '../lib/log.ts';
import { muteStates, reportState } from '../lib/state-log.ts';
import { type Meter, type Tracer, UNMETERED } from '../lib/telemetry.ts';
import type { Clock } from '../lib/time.ts';
import { mailListener } from '../mail/listener.ts';
import { createWakeUps, type WakeUps } from '../outbox/message.ts';
import type { Keyring } from '../vault/keyring.ts';
import { masterKeyFromEnvironment, masterKeyFromFile } from '../vault/master-key.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { createRegistry } from '../waitlist/queue/registry.ts';
import { openInstance, openPrepared } from '../waitlist/upkeep/instance.ts';
import { webhookListener } from '../webhooks/listener.ts';
import { noteDamage, removeDamageNote } from './damage-note.ts';
import { DATABASE_FILE, isServing, NothingThere, prepareDataDirectory } from './data-directory.ts';
import { logMigration, noteMigration, readMigrationNote, removeMigrationNote } from './log-migration.ts';
import type { PostgresOptions } from './open-postgres.ts';

interface OpenOptions extends PostgresOptions {
  watch?: MigrationWatch;
  meter?: Meter;
  counts?: Counts;
  tracer?: Tracer | undefined;
  /** Called when the data directory exists, and before the database is opened. Throws to prevent that. */
  beforeDatabase?: () => Promise<void>;
}

/**
 * Opens everything that the domain needs, updates the schema and creates what is missing: for `serve` and
 * `migrate`.
 */
export async function openContext(
  config: Config,
  log: Log,
  clock: Clock = Date.now,
  {
    watch = logMigration(log),
    meter = UNMETERED,
    counts = localCounts(),
    tracer,
    beforeDatabase = async () => {},
    ...options
  }: OpenOptions = {},
): Promise<Context> {
  const masterKey = masterKeySource(config);
  masterKey.load(); // Reports a malformed key before anything is created.
  prepareDataDirectory(config, log);
  await beforeDatabase();
  removeDamageNote(config);
  const db = await openDatabase(config, log, options);
  const note = config.databaseUrl === undefined ? noteMigration(config) : () => {};
  return openParts(db, { log, clock, meter, counts, tracer }, async () => {
    const keyring = await openInstance(db.unlimited, masterKey, clock(), (step) => {
      note(step);
      watch(step);
    });
    removeMigrationNote(config);
    return keyring;
  });
}

/**
 * For all other commands: in the wrong directory, or with the schema of another release, it fails and changes
 * nothing.
 */
export async function openExisting(config: Config, log: Log, clock: Clock = Date.now): Promise<Context> {
  const db = await openExistingDatabase(config, log);
  return openParts(db, { log, clock, meter: UNMETERED, counts: localCounts() }, () =>
    openPrepared(db.unlimited, masterKeySource(config)).catch((error: Error) => {
      throw error instanceof SchemaTooOld ? withNote(error, config) : error;
    }),
  );
}

interface ThreadOptions extends Pick<Context, 'meter' | 'counts' | 'tracer' | 'wakeUps'>, PostgresOptions {
  /** From the database of the main thread. */
  port: MessagePort | undefined;
}

/** On a further thread of a server, whose main thread has prepared everything and tells what there is to tell. */
export async function openForThread(
  config: Config,
  log: Log,
  { port, limits, connections, ...parts }: ThreadOptions,
): Promise<Context> {
  const db = await openEngine(config, log, { limits, connections, port, isQuiet: true });
  return openParts(db, { log, clock: Date.now, ...parts }, () =>
    openPrepared(db.unlimited, masterKeySource(config)),
  );
}

/** Tells about the update that is running, if one is. */
function withNote(error: SchemaTooOld, config: Config): SchemaTooOld {
  if (config.databaseUrl !== undefined) return error;
  const note = isServing(config) ? readMigrationNote(config) : undefined;
  return note === undefined ? error : SchemaTooOld.whileUpdating(error.version, note);
}

export async function openExistingDatabase(config: Config, log: Log): Promise<Database> {
  if (config.databaseUrl === undefined && !isThere(databaseFile(config))) throw nothingIn(config);
  const db = await openDatabase(config, log);
  try {
    if ((await schemaVersion(db)) > 0) return db;
    throw config.databaseUrl === undefined ? nothingIn(config) : emptyDatabase(config, config.databaseUrl);
  } catch (error) {
    await db.close();
    throw error;
  }
}

type Parts = Pick<Context, 'log' | 'clock' | 'meter' | 'counts' | 'tracer'> & { wakeUps?: WakeUps };

async function openParts(
  db: Database,
  { wakeUps = createWakeUps(db), ...parts }: Parts,
  openKeyring: () => Promise<Keyring>,
): Promise<Context> {
  try {
    const keyring = await openKeyring();
    const { tracer, log, counts } = parts;
    return {
      ...{ ...parts, keyring, wakeUps },
      db: tracer ? tracedDatabase(db, tracer) : db,
      registry: createRegistry(db, keyring, counts),
      listeners: [webhookListener(log), mailListener(log)],
    };
  } catch (error) {
    await db.close();
    throw error;
  }
}

function settingsOf({ settingsFrom }: Config): string {
  return settingsFrom === undefined ? '' : ` ${settingsFrom}`;
}

function nothingIn(config: Config): NothingThere {
  const dataDir = path.resolve(config.dataDir);
  return new NothingThere(
    `There is no Doorlist in ${dataDir}. Set DOORLIST_DATA_DIR to the data directory of your installation, or create a new one there with \`migrate\` or \`serve\`.${settingsOf(config)}`,
  );
}

function emptyDatabase(config: Config, url: string): NothingThere {
  const servers = serverUrls(url).map((each) => new URL(each));
  const hosts = servers.map(({ host }) => decodeURIComponent(host)).join(' or ');
  return new NothingThere(
    `There is no Doorlist in database "${servers[0]?.pathname.slice(1)}" at ${hosts}. Point DATABASE_URL at your installation's database, or create a new one there with \`migrate\` or \`serve\`.${settingsOf(config)}`,
  );
}

export function masterKeySource(config: Config) {
  return config.masterKey === undefined
    ? masterKeyFromFile(config.dataDir)
    : masterKeyFromEnvironment(config.masterKey, config.masterKeyNext);
}

/** For commands and upkeep, whose statements may take longer than a request's. */
export function withoutTimeLimits(context: Context): Context {
  return { ...context, db: context.db.unlimited };
}

export async function openDatabase(
  config: Config,
  log: Log,
  options: PostgresOptions = {},
): Promise<Database> {
  const db = await openEngine(config, log, options);
  db.superseded.addEventListener('abort', () => {
    log.error(
      {},
      'a newer release of Doorlist has updated the database: this server no longer writes, answers 503 and is not ready. Stop it, and start the newer release',
    );
    muteStates(log); // All that fails from now on fails for this reason.
  });
  return db;
}

interface EngineOptions extends PostgresOptions {
  port?: MessagePort | undefined;
}

async function openEngine(config: Config, log: Log, options: EngineOptions): Promise<Database> {
  const { databaseUrl } = config;
  if (databaseUrl !== undefined) {
    // Only here: its driver takes a tenth of the time that a command takes on SQLite.
    const { openPostgresOf } = await import('./open-postgres.ts');
    return openPostgresOf(config, databaseUrl, log, options);
  }
  return openSqlite(path.resolve(databaseFile(config)), {
    port: options.port,
    onDamage: ({ message }) => {
      reportState(log, 'database file', 'damaged', { reason: message });
      noteDamage(config, message);
    },
  });
}

function databaseFile(config: Config): string {
  return path.join(config.dataDir, DATABASE_FILE);
}
