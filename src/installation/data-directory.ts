import { chmodSync, closeSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { MIGRATE_LOCK, SERVE_LOCK, tryLock } from '../db/sqlite/lock.ts';
import { unavailable } from '../lib/errors.ts';
import { createDataFile, isThere } from '../lib/files.ts';
import type { Log } from '../lib/log.ts';

/** There is no installation in the directory. */
export class NothingThere extends Error {
  override name = 'NothingThere';
}

export const DATABASE_FILE = 'doorlist.db';
/** Only the owner may read these, whatever the mode of the directory. */
const PRIVATE_FILES = [
  DATABASE_FILE,
  `${DATABASE_FILE}-wal`,
  `${DATABASE_FILE}-shm`,
  'master.key',
  'master.key.next',
  SERVE_LOCK,
  MIGRATE_LOCK,
];

/**
 * Creates the data directory and an empty database file for the owner only, and tightens permissions that are
 * too open.
 */
export function prepareDataDirectory(config: Pick<Config, 'dataDir' | 'databaseUrl'>, log: Log): void {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  if (config.databaseUrl === undefined) createEmpty(path.join(config.dataDir, DATABASE_FILE));
  for (const name of PRIVATE_FILES) tighten(path.join(config.dataDir, name), log);
}

/**
 * SQLite would create it with 0644, and -wal and -shm get the mode of the database. An existing file is not
 * even opened: closing it would release the locks that this process holds on it through SQLite.
 */
function createEmpty(file: string): void {
  if (isThere(file)) return;
  try {
    closeSync(createDataFile(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // Another process was first.
  }
}

function tighten(file: string, log: Log): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & 0o077) === 0) return;
  const was = (mode & 0o777).toString(8).padStart(4, '0');
  try {
    chmodSync(file, 0o600);
    log.warn({ file, was }, 'a private file was readable by others: changed its mode to 0600');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    log.warn({ file, was, code }, 'a private file is readable by others, and its mode cannot be changed');
  }
}

const RETRY_AFTER_MS = 50;

type Release = () => void;

const NOTHING: Release = () => {};

/**
 * SQLite allows one writer, so two servers on one file would only wait for each other. Waits for `migrate`,
 * which ends, and refuses to start beside a server.
 */
export async function lockForServing({ databaseUrl, dataDir }: Config): Promise<Release> {
  if (databaseUrl !== undefined) return NOTHING;
  for (;;) {
    const before = isHeld(dataDir, MIGRATE_LOCK);
    const release = tryLock(dataDir, SERVE_LOCK);
    if (release) return release;
    if (!before && !isHeld(dataDir, MIGRATE_LOCK))
      throw unavailable(
        `another Doorlist server is already running on ${dataDir}: stop it first, set DOORLIST_DATA_DIR to another directory, or set DATABASE_URL to run several servers on PostgreSQL`,
      );
    await pause(RETRY_AFTER_MS);
  }
}

/** What the schema is while a server holds the lock. */
export type SchemaState = 'current' | 'updating' | 'earlier';

/** Waits while another process updates the schema. Refuses beside a server that uses an earlier one. */
export async function lockForMigrating(
  { databaseUrl, dataDir }: Config,
  look: () => Promise<SchemaState>,
): Promise<Release> {
  if (databaseUrl !== undefined) return NOTHING;
  let migrating = tryLock(dataDir, MIGRATE_LOCK);
  for (; !migrating; migrating = tryLock(dataDir, MIGRATE_LOCK)) await pause(RETRY_AFTER_MS);
  const releaseMigrating = migrating;
  for (;;) {
    const serving = tryLock(dataDir, SERVE_LOCK);
    const release = () => {
      serving?.();
      releaseMigrating();
    };
    const state = serving ? 'current' : await look();
    if (state === 'current') return release;
    if (state === 'earlier') {
      release();
      throw unavailable(
        `a Doorlist server is running on ${dataDir}: stop it first. The server of this release updates the schema when it starts.`,
      );
    }
    await pause(RETRY_AFTER_MS);
  }
}

export function isServing({ dataDir }: Config): boolean {
  return isHeld(dataDir, SERVE_LOCK);
}

function isHeld(dataDir: string, name: string): boolean {
  const release = tryLock(dataDir, name);
  release?.();
  return release === undefined;
}
