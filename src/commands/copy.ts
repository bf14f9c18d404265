import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { type CopyResult, copyDatabase } from '../db/copy/copy-database.ts';
import type { Database } from '../db/database.ts';
import { normalPostgresUrl, postgresUrlProblem } from '../db/postgres/url.ts';
import { isSqliteInUse } from '../db/sqlite/lock.ts';
import { DATABASE_FILE, prepareDataDirectory } from '../installation/data-directory.ts';
import { explainError } from '../installation/explain-error.ts';
import { masterKeySource, openDatabase, openExistingDatabase } from '../installation/open.ts';
import { invalid, unavailable } from '../lib/errors.ts';
import { createLogger } from '../lib/log.ts';
import type { SealingKey } from '../vault/crypto.ts';
import { restoreMasterKey } from '../vault/master-key.ts';
import { currentMasterKey, openPrepared } from '../waitlist/upkeep/instance.ts';
import { type Command, textOr, UsageProblem } from './command.ts';
import { progressLine } from './progress.ts';

const log = createLogger('silent');

export const copy: Command[] = [
  {
    name: 'copy',
    about: 'Copy everything to another, empty database. Stop the server first.',
    flags: {
      to: {
        value: 'DATABASE_URL',
        about:
          'Target: postgres://… or sqlite:/DATA_DIRECTORY. Put a URL with a password into DOORLIST_COPY_TO instead.',
      },
    },
    raw: async (config, _, flags) => {
      const to = textOr(flags, 'to', config.copyTo);
      if (to === undefined) throw new UsageProblem('--to or DOORLIST_COPY_TO is required');
      const target = targetOf(config, to);
      const { source, master } = await openSource(config);
      const result = await copyTo(source, target).finally(() => source.close());
      if (config.masterKey === undefined) copyMasterKey(config, target, master);
      return { json: result, text: describeCopy(result, config, target) };
    },
  },
];

/** The configuration of an installation on the target. */
function targetOf(config: Config, url: string): Config {
  if (/^postgres(ql)?:/.test(url)) {
    const problem = postgresUrlProblem(url);
    if (problem) throw new UsageProblem(`--to: ${problem}`);
    const databaseUrl = normalPostgresUrl(url);
    if (databaseUrl === config.databaseUrl) throw invalid('the target is the same database as the source');
    return { ...config, databaseUrl };
  }
  const location = url.startsWith('sqlite:') ? url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '') : '';
  if (location === '') throw new UsageProblem('--to: must be postgres://… or sqlite:/DATA_DIRECTORY');
  const dataDir = path.basename(location) === DATABASE_FILE ? path.dirname(location) : location;
  if (config.databaseUrl === undefined && path.resolve(dataDir) === path.resolve(config.dataDir))
    throw invalid('the target is the same database as the source');
  return { ...config, databaseUrl: undefined, dataDir };
}

async function openSource(config: Config): Promise<{ source: Database; master: SealingKey }> {
  const file = path.join(config.dataDir, DATABASE_FILE);
  if (config.databaseUrl === undefined && existsSync(file) && isSqliteInUse(file))
    throw invalid('the source is in use: stop the server, then run this again');
  const source = await openExistingDatabase({ ...config, databasePool: 1 }, log);
  try {
    const keyring = await openPrepared(source, masterKeySource(config));
    return { source, master: await currentMasterKey({ db: source, keyring }) };
  } catch (error) {
    await source.close();
    throw error;
  }
}

async function copyTo(source: Database, config: Config): Promise<CopyResult> {
  prepareDataDirectory(config, log);
  const target = await openDatabase(config, log).catch((error: Error) => {
    const words = explainError(error, config)?.replaceAll('DATABASE_URL', 'the URL of the target');
    throw words === undefined ? error : unavailable(words);
  });
  try {
    return await copyDatabase(source, target, (step, table, rows) =>
      progressLine(`${step === 'copy' ? 'Copying' : 'Verifying'} ${table}: ${rows} rows`),
    );
  } finally {
    progressLine('');
    await target.close();
  }
}

/** A new data directory also needs the master key to open what is sealed. */
function copyMasterKey({ dataDir }: Config, target: Config, master: SealingKey): void {
  if (path.resolve(dataDir) === path.resolve(target.dataDir)) return;
  restoreMasterKey(target.dataDir, master.key.toString('base64'));
  const kept = masterKeySource(target).load();
  if (!kept.some(({ id }) => id.equals(master.id)))
    throw invalid(
      `${path.join(target.dataDir, 'master.key')} contains a different master key: remove it, and run this again`,
    );
}

function describeCopy({ tables, rows }: CopyResult, source: Config, target: Config): string {
  const next =
    target.databaseUrl === undefined
      ? `DOORLIST_DATA_DIR=${target.dataDir} and no DATABASE_URL`
      : 'DATABASE_URL set to the target';
  const key = source.masterKey === undefined ? ' The master key stays the same.' : '';
  return `Copied and verified ${rows} rows in ${tables.length} tables.${key}\nStart the server with ${next}.`;
}
