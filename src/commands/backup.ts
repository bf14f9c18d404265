import path from 'node:path';
import type { Config } from '../config/config.ts';
import { type Database, DatabaseUnavailable } from '../db/database.ts';
import { SCHEMA_VERSION, schemaVersion } from '../db/migrate.ts';
import { dumpPostgres, requireOneMoment, requireTool } from '../db/postgres/backup.ts';
import { readSqliteSnapshot } from '../db/sqlite/backup.ts';
import { tryLock } from '../db/sqlite/lock.ts';
import { masterKeySource, openExistingDatabase } from '../installation/open.ts';
import { unavailable } from '../lib/errors.ts';
import { createLogger } from '../lib/log.ts';
import { VERSION } from '../lib/version.ts';
import type { PassphraseCost } from '../vault/backup-format.ts';
import { refuseExisting, type WrittenBackup, writeBackup } from '../vault/backup-writer.ts';
import type { SealingKey } from '../vault/crypto.ts';
import { createKeyring } from '../vault/keyring.ts';
import { MasterKeyProblem } from '../vault/master-key.ts';
import { markMasterKeySaved } from '../vault/master-key-saved.ts';
import { rememberBackup } from '../waitlist/upkeep/confirmations.ts';
import { type Command, type Flags, type Outcome, UsageProblem } from './command.ts';
import { newPassphrase } from './passphrase.ts';
import { restore } from './restore.ts';

export const backups: Command[] = [
  {
    name: 'backup',
    about: 'Write an encrypted backup of the database. The server can keep running.',
    operands: ['FILE'],
    flags: {
      'with-master-key': { about: 'Include the master key (default if the key is in a file).' },
      'without-master-key': { about: 'Leave the master key out (default if DOORLIST_MASTER_KEY is set).' },
    },
    raw: async (config, [file = ''], flags, { passphraseCost }) =>
      backUp(config, file, includesMasterKey(config, flags), passphraseCost),
  },
  {
    name: 'restore',
    about: 'Restore a backup into an empty data directory or an empty PostgreSQL database.',
    operands: ['FILE'],
    flags: {
      'end-access': {
        about:
          'End all sessions, one-time links and admin tokens in it, because ended ones would work again.',
      },
    },
    raw: async (config, [file = ''], flags) => restore(config, file, flags['end-access'] === true),
  },
];

/** A key stored next to the database would be lost with it. One from a secret store is already safe. */
export function includesMasterKey(config: Config, flags: Flags): boolean {
  if (flags['with-master-key'] && flags['without-master-key'])
    throw new UsageProblem('use --with-master-key or --without-master-key, not both');
  if (flags['with-master-key']) return true;
  return !flags['without-master-key'] && config.masterKey === undefined;
}

export async function backUp(
  config: Config,
  file: string,
  withMasterKey: boolean,
  cost: PassphraseCost | undefined,
): Promise<Outcome> {
  const db = await openExistingDatabase(config, createLogger('silent'));
  try {
    refuseExisting(file);
    if (config.databaseUrl !== undefined) {
      await requireTool('pg_dump', db);
      await requireOneMoment(db);
    }
    const schema = await schemaVersion(db);
    const master = await masterKeyOf(db, config);
    const passphrase = await newPassphrase(config);
    const about = {
      engine: config.databaseUrl === undefined ? ('sqlite' as const) : ('postgres' as const),
      schema,
      createdAt: new Date().toISOString(),
      release: VERSION,
      hasMasterKey: withMasterKey,
    };
    const secrets = {
      masterKeyId: master.id.toString('hex'),
      masterKey: withMasterKey ? master.key.toString('base64') : null,
    };
    const data = unlessRotated(readDatabase(config), master, () => masterKeyOf(db, config));
    const written = await writeBackup(file, passphrase, { about, secrets, data, cost });
    if (withMasterKey && config.masterKey === undefined) markMasterKeySaved(config.dataDir, master);
    // A backup of an earlier schema, or of a database that cannot be written, is as good.
    if (schema === SCHEMA_VERSION)
      await rememberBackup(db, Date.parse(about.createdAt)).catch(tolerateUnwritable);
    return {
      json: { file, ...about, ...written },
      text: describeBackup(file, withMasterKey, written) + (db.isSpread ? SPREAD : ''),
    };
  } finally {
    await db.close();
  }
}

const SPREAD = '\nThe queues are spread over workers: after a `restore`, run `distribute`.';

function tolerateUnwritable(error: Error): void {
  if (!(error instanceof DatabaseUnavailable)) throw error;
}

function describeBackup(file: string, withMasterKey: boolean, { bytes, checksum }: WrittenBackup): string {
  const key = withMasterKey
    ? 'It contains the master key: the file and its passphrase are all you need to restore.'
    : 'It does not contain the master key: you also need the key to restore.';
  return `Wrote ${file} (${bytes} bytes). ${key}\nSHA-256 ${checksum}`;
}

/** Reads without opening the instance, because that would create a key. */
async function masterKeyOf(db: Database, config: Config): Promise<SealingKey> {
  const row = await db.query.selectFrom('instance').select('master_key_check').executeTakeFirst();
  const master = row && createKeyring(masterKeySource(config)).masterFor(row.master_key_check);
  if (master) return master;
  throw new MasterKeyProblem('the master key does not match this database');
}

async function* readDatabase({ databaseUrl, dataDir }: Config): AsyncGenerator<Buffer> {
  if (databaseUrl !== undefined) return yield* dumpPostgres(databaseUrl);
  const release = tryLock(dataDir, 'backup.lock');
  if (!release) throw unavailable('another backup of this data directory is running');
  try {
    yield* readSqliteSnapshot(path.join(dataDir, 'doorlist.db'));
  } finally {
    release();
  }
}

/** The key was read before the backup's snapshot. If it was rotated in between, it does not fit. */
async function* unlessRotated(
  data: AsyncGenerator<Buffer>,
  master: SealingKey,
  current: () => Promise<SealingKey>,
): AsyncGenerator<Buffer> {
  yield* data;
  if (!(await current()).id.equals(master.id))
    throw unavailable('the master key was rotated during the backup: run the backup again');
}
