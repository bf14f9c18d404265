import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { MIGRATE_LOCK, SERVE_LOCK, tryLock } from '../db/sqlite/lock.ts';
import { unavailable } from '../lib/errors.ts';

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
