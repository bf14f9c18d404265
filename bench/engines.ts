import { createDatabase } from '../test/support/databases.ts';
import { startPostgres } from '../test/support/postgres.ts';

type Run = (engine: string, environment: Record<string, string>) => Promise<boolean>;

/** On SQLite, and then on a PostgreSQL of its own. The environment is that of the server to measure. */
export async function onBothEngines(run: Run): Promise<boolean> {
  const sqlite = await run('SQLite', {});
  const server = await startPostgres();
  try {
    const { url } = await createDatabase(server.url);
    return (await run('PostgreSQL', { DATABASE_URL: url })) && sqlite;
  } finally {
    await server.stop();
  }
}
