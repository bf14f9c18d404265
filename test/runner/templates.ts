import { chmodSync } from 'node:fs';
import path from 'node:path';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPostgres } from '../../src/db/postgres/open.ts';
import { openSqlite } from '../../src/db/sqlite/open.ts';
import { DATABASE_FILE } from '../../src/installation/data-directory.ts';
import { CITUS_URL } from '../support/citus.ts';
import { createCitusTemplate } from '../support/citus-template.ts';
import { createDatabase } from '../support/databases.ts';
import type { Templates } from '../support/storage.ts';

/** For the processes that this one starts. Copying a database takes a fifth of the time of the migrations. */
export async function createTemplates(serverUrl: string, directory: string): Promise<() => Promise<void>> {
  const sqliteFile = path.join(directory, DATABASE_FILE);
  await migrateAndClose(await openSqlite(sqliteFile));
  chmodSync(sqliteFile, 0o600);
  if (serverUrl === CITUS_URL) {
    const { name, drop } = await createCitusTemplate(serverUrl);
    process.env.DOORLIST_TEST_TEMPLATES = JSON.stringify({ sqliteFile, postgresDatabase: name });
    return drop;
  }
  const { url, drop } = await createDatabase(serverUrl);
  await migrateAndClose(await openPostgres({ url, poolSize: 1, onState: () => {} }));
  const created: Templates = { sqliteFile, postgresDatabase: new URL(url).pathname.slice(1) };
  process.env.DOORLIST_TEST_TEMPLATES = JSON.stringify(created);
  return drop;
}

async function migrateAndClose(db: Database): Promise<void> {
  await migrate(db);
  await db.close();
}
