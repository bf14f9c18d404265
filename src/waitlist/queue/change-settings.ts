import { sql } from 'kysely';
import type { Database, Trx } from '../../db/database.ts';
import type { SealingKey } from '../../vault/crypto.ts';
import type { Keyring } from '../../vault/keyring.ts';
import { MasterKeyProblem } from '../../vault/master-key.ts';
import type { Registry } from './registry.ts';

/**
 * Every change to waitlists, environments, queues and keys starts here: it locks the instance row,
 * invalidates every cache, and provides the current master key, even if it was rotated a moment ago.
 */
export async function changeSettings<T>(
  { db, keyring, registry }: { db: Database; keyring: Keyring; registry?: Registry },
  work: (trx: Trx, master: SealingKey) => Promise<T>,
): Promise<T> {
  const attempt = async (trx: Trx) => {
    const row = await trx
      .updateTable('instance')
      .set({ settings_version: sql`settings_version + 1` })
      .returning('master_key_check')
      .executeTakeFirstOrThrow();
    return work(trx, requireMaster(keyring, row.master_key_check));
  };
  const result = await db.transaction(attempt);
  registry?.recheck();
  return result;
}

export function requireMaster(keyring: Keyring, check: Uint8Array): SealingKey {
  let master: SealingKey | undefined;
  try {
    master = keyring.masterFor(check);
  } catch {
    master = undefined;
  }
  if (master) return master;
  const { missing } = keyring.source;
  if (missing && keyring.source.load().length === 0) throw new MasterKeyProblem(missing);
  throw new MasterKeyProblem(
    'the master key does not match this database: restore the right master.key, ' +
      'or set DOORLIST_MASTER_KEY to it. Nothing was changed.',
  );
}
