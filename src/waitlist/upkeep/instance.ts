import { requireNoMark } from '../../db/copy/copy-mark.ts';
import type { Database, Trx } from '../../db/database.ts';
import {
  type MigrationWatch,
  migrate,
  requireCurrentSchema,
  SCHEMA_VERSION,
  schemaVersion,
} from '../../db/migrate.ts';
import type { SealingKey } from '../../vault/crypto.ts';
import { createKeyring, type Keyring } from '../../vault/keyring.ts';
import { MasterKeyProblem, type MasterKeySource } from '../../vault/master-key.ts';
import { INSTALLATION_TAG } from '../../vault/vault.ts';
import { changeSettings, requireMaster } from '../queue/change-settings.ts';

const FIRST_ENVIRONMENTS = ['production', 'development'];

/**
 * Prepares an open database: the right master key, the latest schema, the first rows. Nothing is changed
 * until the master key has been verified.
 */
export async function openInstance(
  db: Database,
  source: MasterKeySource,
  now: number,
  watch?: MigrationWatch,
): Promise<Keyring> {
  if (await db.hasTable(db.query, 'copy_mark')) await requireNoMark(db.query);
  const keyring = createKeyring(source);
  const known = (await schemaVersion(db)) > 0 ? await readCheck(db) : undefined;
  if (known) {
    requireMaster(keyring, known);
    await migrate(db, SCHEMA_VERSION, watch);
    return keyring;
  }
  if (source.load().length === 0) source.create();
  await migrate(db, SCHEMA_VERSION, watch);
  await db.transaction((trx) => writeFirstRows(db, trx, keyring, now));
  const written = await readCheck(db);
  if (written) requireMaster(keyring, written); // Another process may have been first, with a different key.
  return keyring;
}

/** Opens a prepared database as it is: with the right master key and the latest schema, or not at all. */
export async function openPrepared(db: Database, source: MasterKeySource): Promise<Keyring> {
  await requireCurrentSchema(db);
  await requireNoMark(db.query);
  const keyring = createKeyring(source);
  const known = await readCheck(db);
  if (!known) throw new MasterKeyProblem('this database was never started: run `migrate` or `serve` first');
  requireMaster(keyring, known);
  return keyring;
}

/** The master key that opens the database: after an interrupted rotation, it may be the next one. */
export async function currentMasterKey({
  db,
  keyring,
}: {
  db: Database;
  keyring: Keyring;
}): Promise<SealingKey> {
  const check = await readCheck(db);
  if (check) return requireMaster(keyring, check);
  throw new MasterKeyProblem('there is no master key');
}

async function readCheck(db: Database): Promise<Uint8Array | undefined> {
  const row = await db.query.selectFrom('instance').select('master_key_check').executeTakeFirst();
  return row?.master_key_check;
}

async function writeFirstRows(db: Database, trx: Trx, keyring: Keyring, now: number): Promise<void> {
  await db.lockSchema(trx);
  if (await trx.selectFrom('instance').select('id').executeTakeFirst()) return;
  const [master] = keyring.source.load();
  if (!master) throw new MasterKeyProblem('there is no master key');
  await trx
    .insertInto('instance')
    .values({
      id: 1,
      master_key_id: master.id,
      master_key_check: keyring.makeCheck(master),
      settings_version: 1,
      installation_keys: keyring.wrapNewKeys(master, INSTALLATION_TAG),
      created_at: now,
    })
    .execute();
  await trx
    .insertInto('environment')
    .values(FIRST_ENVIRONMENTS.map((name) => ({ name, created_at: now })))
    .execute();
}

/** Wraps the keys of every queue and of the installation with a new master key. Sealed data is not changed. */
export async function rotateMasterKey(parts: {
  db: Database;
  keyring: Keyring;
}): Promise<{ queues: number; next: string }> {
  const { keyring } = parts;
  const next = keyring.source.prepareRotation();
  const queues = await changeSettings(parts, async (trx) => {
    const rows = await trx
      .selectFrom('queue as q')
      .innerJoin('waitlist as w', 'w.id', 'q.waitlist_id')
      .select(['q.id', 'q.code_tag', 'q.wrapped_keys'])
      .where('w.deleted_at', 'is', null)
      .execute();
    for (const { id, code_tag, wrapped_keys } of rows) {
      const rewrapped = keyring.rewrap(next, code_tag, wrapped_keys);
      await trx.updateTable('queue').set({ wrapped_keys: rewrapped }).where('id', '=', id).execute();
    }
    const { installation_keys } = await trx
      .selectFrom('instance')
      .select('installation_keys')
      .executeTakeFirstOrThrow();
    await trx
      .updateTable('instance')
      .set({
        master_key_id: next.id,
        master_key_check: keyring.makeCheck(next),
        installation_keys: installation_keys && keyring.rewrap(next, INSTALLATION_TAG, installation_keys),
      })
      .execute();
    return rows.length;
  });
  return { queues, next: keyring.source.finishRotation(next) };
}
