import pg from 'pg';
import { between, type Run } from './scenario.ts';
import type { Site } from './site.ts';

export async function restartPostgres({ site, random, rounds, postgres }: Run): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await between(random, 300, 800);
    site.ledger.fault();
    await postgres.restart();
  }
}

const OTHERS = `from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;

async function inDatabase<T>(site: Site, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: site.storage.environment.DATABASE_URL });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export function terminateSessions({ site, random, rounds }: Run): Promise<void> {
  return inDatabase(site, async (client) => {
    for (let round = 0; round < rounds; round += 1) {
      await between(random, 100, 500);
      site.ledger.fault();
      await client.query(`select pg_terminate_backend(pid) ${OTHERS}`);
    }
  });
}

/** Others have taken every connection that the server allows. */
export function takeConnections({ site, random, rounds, postgres }: Run): Promise<void> {
  return inDatabase(site, async (client) => {
    for (let round = 0; round < rounds; round += 1) {
      await between(random, 200, 600);
      site.ledger.fault();
      const taken: pg.Client[] = [];
      for (const until = performance.now() + 500 + random() * 1_500; performance.now() < until; ) {
        const other = new pg.Client({ connectionString: postgres.url });
        other.on('error', () => {});
        const connected = await other.connect().then(
          () => true,
          () => false,
        );
        if (connected) taken.push(other);
        else await client.query(`select pg_terminate_backend(pid) ${OTHERS}`);
      }
      await Promise.all(taken.map((other) => other.end()));
    }
  });
}

/** As on a primary that became a standby. */
export function turnReadOnly({ site, random, rounds }: Run): Promise<void> {
  return inDatabase(site, async (client) => {
    const { rows } = await client.query('select current_database() as name');
    const readOnly = (state: string) =>
      `alter database ${rows[0].name} set default_transaction_read_only = ${state}`;
    for (let round = 0; round < rounds; round += 1) {
      await between(random, 200, 600);
      site.ledger.fault();
      await client.query(readOnly('on'));
      await client.query(`select pg_terminate_backend(pid) ${OTHERS}`);
      await between(random, 300, 1_500);
      await client.query('set transaction_read_only = off');
      await client.query(readOnly('off'));
    }
  });
}

/** The primary dies, and after a while its standby is promoted. */
export async function failOver({ site, random, pair }: Run): Promise<void> {
  await between(random, 500, 1_500);
  await pair?.primary.kill();
  site.ledger.fault();
  await between(random, 500, 1_500);
  await pair?.promote();
  await between(random, 1_000, 3_000);
}
