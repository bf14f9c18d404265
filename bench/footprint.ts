import pg from 'pg';
import { startOutbox } from '../src/installation/start-outbox.ts';
import { parseEmail } from '../src/lib/email.ts';
import type { Metadata } from '../src/waitlist/people/person.ts';
import { openSignups } from '../src/waitlist/signup/signup.ts';
import { type List, type Service, startService } from '../test/support/harness.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { startReceiver } from '../test/support/receiver.ts';
import { createStorage } from '../test/support/storage.ts';
import { endpointFor, LOOPBACK } from '../test/support/webhooks.ts';

const METADATA = { plan: 'pro', source: 'launch', country: 'DE' };

interface Stored {
  tables: number;
  indexes: number;
  log: number;
}

/** How many bytes a signup leaves behind in a PostgreSQL of its own. There is no bar: the parts tell what to look at. */
export async function benchFootprint(): Promise<boolean> {
  const server = await startPostgres();
  const storage = await createStorage('postgres', { serverUrl: server.url });
  const service = await startService('postgres', { storage, startAt: Date.now(), environment: LOOPBACK });
  const client = new pg.Client({ connectionString: storage.environment.DATABASE_URL });
  await client.connect();
  try {
    await measureAll(service, client);
    return true;
  } finally {
    await client.end();
    await service.close();
    await storage.remove();
    await server.stop();
  }
}

async function measureAll(service: Service, client: pg.Client): Promise<void> {
  const { rows } = await client.query('select version()');
  process.stdout.write(`\nBytes of each signup, on ${rows[0].version.split(' on ')[0]}\n`);
  const signUp = signUpTo(service);
  const plain = await service.waitlist();
  await signUp(plain, 100, 32, null);
  await measure(client, 'an email, 32 in a commit', 12_800, () => signUp(plain, 400, 32, null));
  await measure(client, 'an email, alone in its commit', 1_000, () => signUp(plain, 1_000, 1, null));
  const described = await service.waitlist();
  await signUp(described, 50, 32, METADATA);
  await measure(client, 'three values of metadata, 32 in a commit', 12_800, () =>
    signUp(described, 400, 32, METADATA),
  );
  const told = await service.waitlist();
  const receiver = await startReceiver();
  await endpointFor(service.context, await told.queue(), receiver.url);
  await signUp(told, 20, 32, null);
  await measure(client, 'an email and a webhook, 32 in a commit', 3_200, () => signUp(told, 100, 32, null));
  const outbox = await startOutbox(service.context, service.config, { pollMs: 100 });
  await measure(client, 'and its delivery', 3_840, () => untilDelivered(client));
  await outbox.stop();
  await receiver.close();
}

function signUpTo({ context }: Service) {
  const signups = openSignups(context, Number.POSITIVE_INFINITY);
  let people = 0;
  return async (list: List, commits: number, perCommit: number, metadata: Metadata | null): Promise<void> => {
    const queue = await list.queue();
    for (let commit = 0; commit < commits; commit += 1) {
      const batch = Array.from({ length: perCommit }, () => {
        people += 1;
        const email = parseEmail(`person.number${people}@example.com`) ?? null;
        return { email, phone: null, metadata, referrer: null };
      });
      await signups.submit(queue, batch);
    }
  };
}

async function measure(
  client: pg.Client,
  name: string,
  entries: number,
  work: () => Promise<void>,
): Promise<void> {
  await client.query('checkpoint');
  const before = await stored(client);
  await work();
  const after = await stored(client);
  const each = (part: keyof Stored) => `${Math.round((after[part] - before[part]) / entries)} B`.padStart(7);
  process.stdout.write(
    `  ${name.padEnd(42)} tables ${each('tables')}  indexes ${each('indexes')}  log ${each('log')}\n`,
  );
}

async function stored(client: pg.Client): Promise<Stored> {
  const { rows } =
    await client.query(`select sum(pg_table_size(relid)) as tables, sum(pg_indexes_size(relid)) as indexes,
    pg_current_wal_lsn() - '0/0'::pg_lsn as log from pg_stat_user_tables`);
  return { tables: Number(rows[0].tables), indexes: Number(rows[0].indexes), log: Number(rows[0].log) };
}

async function untilDelivered(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query('select from delivery where due_at is not null limit 1');
    if (rows.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
