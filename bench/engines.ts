import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDatabase } from '../test/support/databases.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { wantsEngine } from './flags.ts';

/** The variables of an installation that does not exist yet, with data of its own. */
type NewInstallation = () => Promise<Record<string, string>>;

type Run = (
  engine: string,
  environment: Record<string, string>,
  newInstallation: NewInstallation,
) => Promise<boolean>;

/** On SQLite, and then on a PostgreSQL of its own. The environment is that of the server to measure. */
export async function onBothEngines(run: Run): Promise<boolean> {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-engines-'));
  const newDirectory = () => ({ DOORLIST_DATA_DIR: mkdtempSync(path.join(directory, 'data-')) });
  try {
    const sqlite = !wantsEngine('sqlite') || (await run('SQLite', {}, async () => newDirectory()));
    if (!wantsEngine('postgres')) return sqlite;
    const server = await startPostgres();
    try {
      const newDatabase = async () => ({ DATABASE_URL: (await createDatabase(server.url)).url });
      const newInstallation = async () => ({ ...newDirectory(), ...(await newDatabase()) });
      return (await run('PostgreSQL', await newDatabase(), newInstallation)) && sqlite;
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
