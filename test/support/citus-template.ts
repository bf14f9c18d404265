import { migrate } from '../../src/db/migrate.ts';
import { openPostgres } from '../../src/db/postgres/open.ts';
import { nodesOf, onNode } from './citus.ts';
import { createDatabase } from './databases.ts';
import { query } from './query.ts';

/** Few, because each is a table on a worker, and tests have few queues. */
const SHARDS = 4;

/** An empty database that knows the workers. Nothing is spread yet. */
export async function createCitusDatabase(serverUrl: string): ReturnType<typeof createDatabase> {
  const { url, drop } = await createDatabase(serverUrl, 'template1', { everywhere: true });
  const nodes = await nodesOf(serverUrl);
  for (const node of nodes) await query(onNode(url, node), 'create extension citus');
  for (const { isCoordinator, host, port } of nodes)
    await query(
      url,
      isCoordinator
        ? `select citus_set_coordinator_host('${host}', ${port})`
        : `select citus_add_node('${host}', ${port})`,
    );
  return { url, drop };
}

/** A database with the schema, spread over the workers. It can be copied: nobody is connected to it. */
export async function createCitusTemplate(
  serverUrl: string,
  { shards = SHARDS } = {},
): Promise<{ name: string; drop(): Promise<void> }> {
  const { url, drop } = await createCitusDatabase(serverUrl);
  const name = new URL(url).pathname.slice(1);
  const db = await openPostgres({ url, poolSize: 1, onState: () => {} });
  await migrate(db);
  await db.unlimited.transaction((trx) => db.distribute(trx, shards));
  await db.close();
  for (const node of await nodesOf(serverUrl)) {
    await query(onNode(serverUrl, node), `alter database ${name} allow_connections false`);
    await query(
      onNode(serverUrl, node),
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
  }
  return { name, drop };
}
