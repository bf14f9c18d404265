import type { Config } from '../config/config.ts';
import { parseWorkers, ROLES, type Role, WORKERS_RULE } from '../config/variables.ts';
import { SCHEMA_VERSION, schemaVersion } from '../db/migrate.ts';
import { lockForMigrating, prepareDataDirectory, type SchemaState } from '../installation/data-directory.ts';
import { logMigration, readMigrationNote } from '../installation/log-migration.ts';
import { holdingRotation } from '../installation/master-key-rotation.ts';
import { openContext, openDatabase } from '../installation/open.ts';
import { createLogger } from '../lib/log.ts';
import { generateMasterKey, markMasterKeySaved } from '../vault/master-key.ts';
import { rememberBackup } from '../waitlist/upkeep/confirmations.ts';
import { currentMasterKey, rotateMasterKey } from '../waitlist/upkeep/instance.ts';
import type { BackupOutcome } from './backup.ts';
import { type Command, type Flags, type Terminal, textOr, UsageProblem } from './command.ts';
import { examine } from './doctor.ts';
import { showStatus } from './status.ts';

export const operations: Command[] = [
  {
    name: 'serve',
    about: 'Start the server. It runs until it gets SIGTERM or SIGINT.',
    flags: {
      role: {
        value: 'ROLE',
        about:
          'What this instance does: api answers requests, worker sends webhooks and emails and runs jobs, all does both.',
      },
      workers: {
        value: 'NUMBER',
        about: 'How many threads answer requests: 1 to 16, or auto, which depends on the processors.',
      },
    },
    raw: async (config, _operands, flags) => {
      const chosen = { role: roleOf(config, flags), workers: workersOf(config, flags) };
      // Loaded on demand: other commands start in half the time without it.
      const { serve } = await import('../server/serve.ts');
      // For people: standard output has the log, in JSON.
      const exitCode = await serve({ ...config, ...chosen }, (text) => process.stderr.write(`${text}\n`));
      return { json: null, text: '', exitCode };
    },
  },
  {
    name: 'migrate',
    about: 'Update the database schema to this release. `serve` also does this when it starts.',
    flags: { backup: { value: 'FILE', about: 'Write an encrypted backup to this file first.' } },
    raw: async (config, _operands, flags, terminal) => {
      const from = await currentSchema(config);
      const file = textOr(flags, 'backup', undefined);
      const backup = file === undefined ? undefined : await backUpBefore(config, from, file, terminal);
      await updateSchema(config, from, terminal, backup);
      const text =
        from === SCHEMA_VERSION
          ? `The schema is up to date (version ${SCHEMA_VERSION}).`
          : `Updated the schema from version ${from} to ${SCHEMA_VERSION}.`;
      return {
        json: { from, schema: SCHEMA_VERSION, ...(backup ? { backup: backup.json } : {}) },
        text: backup ? `${backup.text}\n${text}` : text,
      };
    },
  },
  {
    name: 'doctor',
    about: 'Check the configuration, database, keys and counters, and report problems.',
    flags: {
      queue: { value: 'WAITLIST_ID', about: 'Check only this waitlist.' },
      repair: { about: 'Repair wrong counters and ranks.' },
    },
    raw: async (config, _, flags, { openDns }) =>
      examine(config, {
        waitlistId: textOr(flags, 'queue', undefined),
        repair: flags.repair === true,
        work: true,
        openDns,
      }),
  },
  {
    name: 'status',
    about: 'Show the state of the database, disk, deliveries, emails and jobs. Exits with 1 on a problem.',
    raw: (config) => showStatus(config),
  },
  {
    name: 'master-key generate',
    about: 'Print a new master key for DOORLIST_MASTER_KEY or DOORLIST_MASTER_KEY_NEXT.',
    raw: async () => {
      const key = generateMasterKey();
      return { json: { key }, text: key };
    },
  },
  {
    name: 'master-key show',
    about: 'Print the current master key, so that you can store it in a safe place.',
    run: async (context, _operands, _flags, config) => {
      const master = await currentMasterKey(context);
      if (config.masterKey === undefined) markMasterKeySaved(config.dataDir, master);
      const key = master.key.toString('base64');
      return { json: { key }, text: key };
    },
  },
  {
    name: 'master-key rotate',
    about: 'Replace the master key and re-wrap all keys. Data stays readable throughout.',
    run: async (context, _operands, _flags, config) => {
      const { queues, next } = await holdingRotation(config, () => rotateMasterKey(context));
      return {
        json: { queues },
        text: `Re-wrapped the keys of ${queues} queues with the new master key. ${next}`,
      };
    },
  },
];

/** A database that was never migrated has nothing to back up. */
async function backUpBefore(
  config: Config,
  from: number,
  file: string,
  { passphraseCost }: Terminal,
): Promise<BackupOutcome | undefined> {
  if (from === 0) return undefined;
  const { backUp, includesMasterKey } = await import('./backup.ts');
  return backUp(config, { file }, includesMasterKey(config, {}), passphraseCost);
}

async function updateSchema(
  config: Config,
  from: number,
  { error: print }: Terminal,
  backup: BackupOutcome | undefined,
): Promise<void> {
  const release =
    from === SCHEMA_VERSION ? () => {} : await lockForMigrating(config, () => lookAtSchema(config));
  const line = (_: object, text: string) => print(text);
  try {
    const watch = logMigration({ info: line, warn: line });
    const context = await openContext(config, createLogger('silent'), Date.now, { watch });
    // An earlier schema had no place for it.
    if (backup) await rememberBackup(context.db, Date.parse(backup.json.createdAt)).finally(context.db.close);
    else await context.db.close();
  } finally {
    release();
  }
}

async function lookAtSchema(config: Config): Promise<SchemaState> {
  const version = await currentSchema(config);
  if (version === SCHEMA_VERSION) return 'current';
  return version === 0 || readMigrationNote(config) !== undefined ? 'updating' : 'earlier';
}

async function currentSchema(config: Config): Promise<number> {
  prepareDataDirectory(config, createLogger('silent'));
  const db = await openDatabase(config, createLogger('silent'));
  try {
    return await schemaVersion(db);
  } finally {
    await db.close();
  }
}

function workersOf(config: Config, flags: Flags): Config['workers'] {
  const given = textOr(flags, 'workers', undefined);
  const workers = given === undefined ? config.workers : parseWorkers(given);
  if (workers === undefined) throw new UsageProblem(`--workers: ${WORKERS_RULE}`);
  return workers;
}

/** SQLite has one server, which does everything. */
function roleOf(config: Config, flags: Flags): Role {
  const given = textOr(flags, 'role', undefined);
  const role = ROLES.find((each) => each === (given ?? config.role));
  if (role === undefined) throw new UsageProblem(`--role: must be one of ${ROLES.join(', ')}`);
  if (role !== 'all' && config.databaseUrl === undefined)
    throw new UsageProblem(
      `${given === undefined ? 'DOORLIST_ROLE' : '--role'}: must be all with SQLite, where one server does everything. Set DATABASE_URL to PostgreSQL to divide the work`,
    );
  return role;
}
