import {
  closeSync,
  createWriteStream,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isatty } from 'node:tty';
import type { Config } from '../config/config.ts';
import { SCHEMA_VERSION } from '../db/migrate.ts';
import { hasTables, requireTool, restorePostgres } from '../db/postgres/backup.ts';
import { SCHEMA } from '../db/schema/schema.ts';
import { damageOf } from '../db/sqlite/backup.ts';
import { SERVE_LOCK, tryLock } from '../db/sqlite/lock.ts';
import { removeDamageNote } from '../installation/damage-note.ts';
import { masterKeySource, openDatabase, openExisting } from '../installation/open.ts';
import { unavailable } from '../lib/errors.ts';
import { createDataFile } from '../lib/files.ts';
import { createLogger } from '../lib/log.ts';
import type { EndedAccess } from '../operators/sessions.ts';
import { type BackupHeader, BackupProblem, type BackupSecrets } from '../vault/backup-format.ts';
import { describeBackup, type OpenedBackup, openBackup } from '../vault/backup-reader.ts';
import { failToWrite, syncDirectory } from '../vault/backup-writer.ts';
import {
  MasterKeyProblem,
  markMasterKeySaved,
  masterKeyFromText,
  restoreMasterKey,
} from '../vault/master-key.ts';
import { rememberBackup } from '../waitlist/upkeep/confirmations.ts';
import { endAccess, inWords } from './access.ts';
import { type Outcome, UsageProblem } from './command.ts';
import { examine } from './doctor.ts';
import { knownPassphrase } from './passphrase.ts';

/** Puts nothing in place until the whole backup has been read and verified. */
export async function restore(config: Config, file: string, endsAccess: boolean): Promise<Outcome> {
  const about = await describeBackup(file);
  requireFit(config, about);
  if (endsAccess && about.schema < SCHEMA_VERSION)
    throw new BackupProblem(
      'this backup has an older schema: restore it without --end-access, run `migrate`, and then `operator end-access`',
    );
  if (config.databaseUrl === undefined) await restoreFile(config, file);
  else await restoreServer(config, config.databaseUrl, file);
  const { engine, createdAt, schema } = about;
  if (schema < SCHEMA_VERSION)
    return {
      json: { restored: { engine, createdAt, schema }, ended: null, doctor: null },
      text: `Restored the backup of ${createdAt}, with schema version ${schema}. Start the server or run \`migrate\` to update it to version ${SCHEMA_VERSION}, then run \`doctor\`.\n${REVIVED}`,
    };
  const ended = await settleRestored(config, endsAccess, Date.parse(createdAt));
  const examined = await examine(config, { waitlistId: undefined, repair: false, work: false });
  return {
    json: { restored: { engine, createdAt, schema }, ended, doctor: examined.json },
    text: `Restored the backup of ${createdAt}.\n${examined.text}\n${ended ? inWords(ended) : REVIVED}`,
    ...(examined.exitCode === undefined ? {} : { exitCode: examined.exitCode }),
  };
}

/** A backup is read several times, so what is piped in is kept in the data directory, as sealed as it is, until the end. */
export async function withStandardInput(
  { dataDir }: Config,
  work: (file: string) => Promise<Outcome>,
): Promise<Outcome> {
  if (isatty(0)) throw new UsageProblem('pipe a backup in, or name its file');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = path.join(dataDir, 'standard-input.backup.part');
  rmSync(file, { force: true }); // Left by a restore that was killed.
  try {
    const stream = createWriteStream('', { fd: createDataFile(file) });
    await pipeline(process.stdin, stream).catch((error) => failToWrite(file, error));
    return await work(file);
  } finally {
    rmSync(file, { force: true });
  }
}

const REVIVED =
  'Sessions, one-time links, admin tokens and server keys that ended after the backup work again. Run `operator end-access` to end all but server keys.';

/** The file was not finished when it was read into itself, so the restored database does not know of it. */
async function settleRestored(
  config: Config,
  endsAccess: boolean,
  backupAt: number,
): Promise<EndedAccess | null> {
  const context = await openExisting(config, createLogger('silent'));
  try {
    await rememberBackup(context.db, backupAt);
    return endsAccess ? await endAccess(context) : null;
  } finally {
    await context.db.close();
  }
}

function requireFit(config: Config, { engine }: BackupHeader): void {
  const here = config.databaseUrl === undefined ? 'sqlite' : 'postgres';
  if (engine === 'postgres' && here === 'sqlite')
    throw new BackupProblem('this is a backup of PostgreSQL: set DATABASE_URL to an empty database');
  if (engine === 'sqlite' && here === 'postgres')
    throw new BackupProblem(
      'this is a backup of SQLite: unset DATABASE_URL, restore it, and use `copy` to move it',
    );
}

/** Only what the passphrase has authenticated can be believed. */
function requireKnownSchema({ about: { schema } }: OpenedBackup): void {
  if (schema < SCHEMA.version)
    throw new BackupProblem(
      `this backup has schema version ${schema}, from before 0.1.0's schema: restore it with a checkout of Doorlist from before that. docs/upgrade.md says how`,
    );
  if (schema > SCHEMA_VERSION)
    throw new BackupProblem(
      `this backup has schema version ${schema}, but this release supports only ${SCHEMA_VERSION}: use a newer release`,
    );
}

async function restoreFile(config: Config, file: string): Promise<void> {
  const database = path.join(config.dataDir, 'doorlist.db');
  refuseDatabase(database);
  const backup = await openBackup(file, await knownPassphrase(config));
  requireKnownSchema(backup);
  requireMasterKey(config, backup.secrets);
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const release = tryLock(config.dataDir, SERVE_LOCK);
  if (!release) throw unavailable(`a Doorlist server is running on ${config.dataDir}: stop it first`);
  const part = `${database}.restore`;
  try {
    rmSync(part, { force: true }); // Left by a restore that was killed.
    await writeWhole(part, backup);
    const damage = damageOf(part);
    if (damage) throw new BackupProblem(`the database in this backup is damaged: ${damage}`);
    // Left by another database.
    for (const suffix of ['-wal', '-shm']) rmSync(`${database}${suffix}`, { force: true });
    removeDamageNote(config);
    putMasterKey(config, backup.secrets);
    refuseDatabase(database);
    linkSync(part, database); // Unlike a rename, this never replaces an existing file.
    await syncDirectory(config.dataDir);
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${part}${suffix}`, { force: true });
    release();
  }
}

function refuseDatabase(database: string): void {
  if (existsSync(database))
    throw new BackupProblem(
      `${database} already exists: move it away, or restore into another data directory`,
    );
}

async function writeWhole(file: string, backup: OpenedBackup): Promise<void> {
  const handle = createDataFile(file);
  try {
    for await (const chunk of backup.data()) named(file, () => writeFileSync(handle, chunk));
    named(file, () => fsyncSync(handle));
  } finally {
    closeSync(handle);
  }
}

function named(file: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    failToWrite(file, error as NodeJS.ErrnoException);
  }
}

async function restoreServer(config: Config, url: string, file: string): Promise<void> {
  const db = await openDatabase(config, createLogger('silent'));
  try {
    await requireTool('pg_restore', db);
    if (await hasTables(db))
      throw new BackupProblem('the PostgreSQL database is not empty: restore into a new one');
  } finally {
    await db.close();
  }
  const backup = await openBackup(file, await knownPassphrase(config));
  requireKnownSchema(backup);
  requireMasterKey(config, backup.secrets);
  for await (const _ of backup.data()); // Reads to the end, because pg_restore must not get half a backup.
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  putMasterKey(config, backup.secrets);
  await restorePostgres(url, backup.data());
}

/** Checks before writing that the current or restored key opens what is in the backup. */
function requireMasterKey(config: Config, { masterKey, masterKeyId }: BackupSecrets): void {
  const here = masterKeySource(config).load();
  if (here.some(({ id }) => id.toString('hex') === masterKeyId)) return;
  if (masterKey !== null && here.length === 0) {
    masterKeyFromText(masterKey, 'the master key in this backup');
    return;
  }
  const source = config.masterKey === undefined ? `master.key in ${config.dataDir}` : 'DOORLIST_MASTER_KEY';
  throw new MasterKeyProblem(
    here.length > 0
      ? `${source} is not the key of this backup: ${masterKey === null ? 'set the right key' : 'remove it to restore the key from the backup'}`
      : `this backup does not contain the master key: save it to ${path.join(config.dataDir, 'master.key')}, or set DOORLIST_MASTER_KEY`,
  );
}

/** The backup that it comes from is its backup. */
function putMasterKey({ masterKey: fromVariable, dataDir }: Config, { masterKey }: BackupSecrets): void {
  if (masterKey === null || fromVariable !== undefined) return;
  restoreMasterKey(dataDir, masterKey);
  markMasterKeySaved(dataDir, masterKeyFromText(masterKey, 'the master key in this backup'));
}
