import type { Config } from '../config/config.ts';
import { tryLock } from '../db/sqlite/lock.ts';
import { conflict } from '../lib/errors.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Finding } from '../waitlist/upkeep/health.ts';
import { currentMasterKey } from '../waitlist/upkeep/instance.ts';

const ROTATION_LOCK = 'master-key.lock';

/** Two rotations at once could each replace the key file of the other. */
export async function holdingRotation<T>(config: Config, work: () => Promise<T>): Promise<T> {
  const release = lockKeyFile(config);
  if (!release) throw conflict('another rotation of the master key is running: wait until it is done');
  return work().finally(release);
}

function lockKeyFile({ masterKey, dataDir }: Config): (() => void) | undefined {
  return masterKey === undefined ? tryLock(dataDir, ROTATION_LOCK) : () => {};
}

/** Names a rotation that has begun and not ended. Returns nothing if there is none. */
export async function checkRotation(context: Context, config: Config): Promise<Finding[]> {
  const [first, next] = context.keyring.source.load();
  if (!first || !next || first.id.equals(next.id)) return [];
  const isNext = (await currentMasterKey(context)).id.equals(next.id);
  const what = 'master key rotation';
  if (config.masterKey !== undefined) {
    const detail = isNext
      ? 'the database uses DOORLIST_MASTER_KEY_NEXT: set DOORLIST_MASTER_KEY to its value, unset DOORLIST_MASTER_KEY_NEXT, and restart'
      : 'DOORLIST_MASTER_KEY_NEXT is set, and the database still uses DOORLIST_MASTER_KEY: run `master-key rotate`';
    return [{ what, ok: true, detail }];
  }
  const release = lockKeyFile(config);
  if (!release) return [{ what, ok: true, detail: 'running' }];
  release();
  const detail = isNext
    ? 'interrupted: the database uses the key in master.key.next. Keep both files, and run `master-key rotate` to finish'
    : 'interrupted before anything was changed: run `master-key rotate` to finish';
  return [{ what, ok: false, detail }];
}
