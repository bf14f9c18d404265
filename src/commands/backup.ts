import { statSync } from 'node:fs';
import path from 'node:path';
import { isatty } from 'node:tty';
import type { Config } from '../config/config.ts';
import { type Database, DatabaseUnavailable } from '../db/database.ts';
import { SCHEMA_VERSION, schemaVersion } from '../db/migrate.ts';
import { dumpPostgres, requireOneMoment, requireTool } from '../db/postgres/backup.ts';
import { readSqliteSnapshot } from '../db/sqlite/backup.ts';
import { tryLock } from '../db/sqlite/lock.ts';
import { masterKeySource, openExistingDatabase } from '../installation/open.ts';
import { unavailable } from '../lib/errors.ts';
import { standardOutput } from '../lib/files.ts';
import { createLogger } from '../lib/log.ts';
import { VERSION } from '../lib/root.ts';
import type { BackupAbout, PassphraseCost } from '../vault/backup-format.ts';
import {
  type BackupContent,
  refuseExisting,
  streamBackup,
  type WrittenBackup,
  writeBackup,
} from '../vault/backup-writer.ts';
import type { SealingKey } from '../vault/crypto.ts';
import { createKeyring } from '../vault/keyring.ts';
import { MasterKeyProblem, markMasterKeySaved } from '../vault/master-key.ts';
import { rememberBackup } from '../waitlist/upkeep/confirmations.ts';
import { backupName, deleteOlderBackups } from './backup-rotation.ts';
import { type Command, type Flags, type Outcome, parseWhole, UsageProblem } from './command.ts';
import { newPassphrase } from './passphrase.ts';
import { restore, withStandardInput } from './restore.ts';

export const backups: Command[] = [
  {
    name: 'backup',
    about:
      'Write an encrypted backup of the database to a new file, to a directory, or to standard output (-). The server can keep running.',
    operands: ['FILE'],
    flags: {
      keep: {
        value: 'COUNT',
        about: 'In a directory: delete older backups of this installation, but this many.',
      },
      'with-master-key': { about: 'Include the master key (default if the key is in a file).' },
      'without-master-key': { about: 'Leave the master key out (default if DOORLIST_MASTER_KEY is set).' },
    },
    raw: async (config, [file = ''], flags, { passphraseCost }) => {
      const target = targetOf(file, flags);
      return backUp(config, target, includesMasterKey(config, flags), passphraseCost);
    },
  },
  {
    name: 'restore',
    about:
      'Restore a backup, from a file or standard input (-), into an empty data directory or an empty PostgreSQL database.',
    operands: ['FILE'],
    flags: {
      'end-access': {
        about:
          'End all sessions, one-time links and admin tokens in it, because ended ones would work again.',
      },
    },
    raw: async (config, [file = ''], flags) => {
      const endsAccess = flags['end-access'] === true;
      if (file !== '-') return restore(config, file, endsAccess);
      return withStandardInput(config, (kept) => restore(config, kept, endsAccess));
    },
  },
];

/** Where a backup goes: to a file, to a new one in a directory, or to standard output. */
type Target = { file: string } | { directory: string; keep: number | undefined } | 'standard output';

const KEEP_RANGE = { from: 1, to: 10_000 };

function targetOf(file: string, flags: Flags): Target {
  const keep = parseWhole(flags, 'keep', KEEP_RANGE);
  if (file !== '-' && isDirectory(file)) return { directory: file, keep };
  if (keep !== undefined) throw new UsageProblem('--keep: needs a directory that exists');
  if (file !== '-') return { file };
  if (flags.json) throw new UsageProblem('--json: standard output has the backup');
  if (isatty(1)) throw new UsageProblem('a backup is not written to a terminal: pipe it, or name a file');
  return 'standard output';
}

function isDirectory(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** A key stored next to the database would be lost with it. One from a secret store is already safe. */
export function includesMasterKey(config: Config, flags: Flags): boolean {
  if (flags['with-master-key'] && flags['without-master-key'])
    throw new UsageProblem('use --with-master-key or --without-master-key, not both');
  if (flags['with-master-key']) return true;
  return !flags['without-master-key'] && config.masterKey === undefined;
}

export interface BackupOutcome extends Outcome {
  json: BackupAbout & WrittenBackup & { file: string | null; deleted: string[] };
}

export async function backUp(
  config: Config,
  target: Target,
  withMasterKey: boolean,
  cost: PassphraseCost | undefined,
): Promise<BackupOutcome> {
  const db = await openExistingDatabase(config, createLogger('silent'));
  try {
    if (target !== 'standard output' && 'file' in target) refuseExisting(target.file);
    if (config.databaseUrl !== undefined) {
      await requireTool('pg_dump', db);
      await requireOneMoment(db);
    }
    const schema = await schemaVersion(db);
    const { master, installedAt } = await instanceOf(db, config);
    const passphrase = await newPassphrase(config);
    const about = {
      engine: config.databaseUrl === undefined ? ('sqlite' as const) : ('postgres' as const),
      schema,
      createdAt: new Date().toISOString(),
      release: VERSION,
      hasMasterKey: withMasterKey,
      installedAt,
    };
    const secrets = {
      masterKeyId: master.id.toString('hex'),
      masterKey: withMasterKey ? master.key.toString('base64') : null,
    };
    const data = unlessRotated(
      readDatabase(config),
      master,
      async () => (await instanceOf(db, config)).master,
    );
    const file = fileOf(target, about.createdAt);
    const content = { about, secrets, data, cost };
    const written =
      file === null ? await writeToOutput(passphrase, content) : await writeBackup(file, passphrase, content);
    if (withMasterKey && config.masterKey === undefined) markMasterKeySaved(config.dataDir, master);
    // A backup of an earlier schema, or of a database that cannot be written, is as good.
    if (schema === SCHEMA_VERSION)
      await rememberBackup(db, Date.parse(about.createdAt)).catch(tolerateUnwritable);
    const deleted =
      target !== 'standard output' && 'directory' in target && target.keep !== undefined
        ? await deleteOlderBackups(target.directory, target.keep, installedAt)
        : [];
    return {
      json: { file, ...about, ...written, deleted },
      text: describeBackup(file, withMasterKey, written, deleted) + (db.isSpread ? SPREAD : ''),
      ...(file === null ? { outputIsData: true } : {}),
    };
  } finally {
    await db.close();
  }
}

/** null for standard output. */
function fileOf(target: Target, createdAt: string): string | null {
  if (target === 'standard output') return null;
  return 'file' in target ? target.file : path.join(target.directory, backupName(createdAt));
}

/** Whoever stops reading has no backup, whatever that means for other commands. */
function writeToOutput(passphrase: string, content: BackupContent): Promise<WrittenBackup> {
  const output = standardOutput();
  output.removeAllListeners('error').on('error', () => {});
  return streamBackup(output, passphrase, content);
}

const SPREAD = '\nThe queues are spread over workers: after a `restore`, run `distribute`.';

function tolerateUnwritable(error: Error): void {
  if (!(error instanceof DatabaseUnavailable)) throw error;
}

function describeBackup(
  file: string | null,
  withMasterKey: boolean,
  { bytes, checksum }: WrittenBackup,
  deleted: readonly string[],
): string {
  const key = withMasterKey
    ? 'It contains the master key: the file and its passphrase are all you need to restore.'
    : 'It does not contain the master key: you also need the key to restore.';
  const gone =
    deleted.length === 0
      ? ''
      : `\nDeleted ${deleted.length} older ${deleted.length === 1 ? 'backup' : 'backups'}: ${deleted.join(', ')}`;
  return `Wrote ${file ?? 'the backup to standard output'} (${bytes} bytes). ${key}\nSHA-256 ${checksum}${gone}`;
}

/** Reads without opening the instance, because that would create a key. */
async function instanceOf(
  db: Database,
  config: Config,
): Promise<{ master: SealingKey; installedAt: string }> {
  const row = await db.query
    .selectFrom('instance')
    .select(['master_key_check', 'created_at'])
    .executeTakeFirst();
  const master = row && createKeyring(masterKeySource(config)).masterFor(row.master_key_check);
  if (master) return { master, installedAt: new Date(row.created_at).toISOString() };
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
