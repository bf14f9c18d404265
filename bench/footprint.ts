import pg from 'pg';
import { startOutbox } from '../src/installation/start-outbox.ts';
import { parseEmail } from '../src/lib/email.ts';
import type { Metadata } from '../src/waitlist/people/metadata.ts';
import { openSignups } from '../src/waitlist/signup/signup.ts';
import { type List, startService } from '../test/support/harness.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { startReceiver } from '../test/support/receiver.ts';
import { createStorage } from '../test/support/storage.ts';
import { endpointFor, LOOPBACK } from '../test/support/webhooks.ts';

const METADATA = { plan: 'pro', source: 'launch', country: 'DE' };

/** `bin/node bench/footprint.ts`: how many bytes a signup leaves behind in a PostgreSQL of its own. */
const server = await startPostgres();
process.env.DOORLIST_TEST_POSTGRES_URL = server.url;
const storage = await createStorage('postgres');
const service = await startService('postgres', { storage, startAt: Date.now(), environment: LOOPBACK });
const client = new pg.Client({ connectionString: storage.environment.DATABASE_URL });
await client.connect();
const signups = openSignups(service.context, Number.POSITIVE_INFINITY);
let people = 0;

interface Stored {
  tables: number;
  indexes: number;
  log: number;
}

async function stored(): Promise<Stored> {
  const { rows } =
    await client.query(`select sum(pg_table_size(relid)) as tables, sum(pg_indexes_size(relid)) as indexes,
    pg_current_wal_lsn() - '0/0'::pg_lsn as log from pg_stat_user_tables`);
  return { tables: Number(rows[0].tables), indexes: Number(rows[0].indexes), log: Number(rows[0].log) };
}

async function signUp(
  list: List,
  commits: number,
  perCommit: number,
  metadata: Metadata | null,
): Promise<void> {
  const queue = await list.queue();
  for (let commit = 0; commit < commits; commit += 1) {
    const batch = Array.from({ length: perCommit }, () => {
      people += 1;
      const email = parseEmail(`person.number${people}@example.com`) ?? null;
      return { email, phone: null, metadata, referrer: null };
    });
    await signups.submit(queue, batch);
  }
}

async function measure(name: string, entries: number, work: () => Promise<void>): Promise<void> {
  await client.query('checkpoint');
  const before = await stored();
  await work();
  const after = await stored();
  const each = (part: keyof Stored) => `${Math.round((after[part] - before[part]) / entries)} B`.padStart(7);
  process.stdout.write(
    `${name.padEnd(40)} tables ${each('tables')}  indexes ${each('indexes')}  log ${each('log')}\n`,
  );
}

async function untilDelivered(): Promise<void> {
  for (;;) {
    const { rows } = await client.query('select from delivery where due_at is not null limit 1');
    if (rows.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

try {
  process.stdout.write(`Of each signup, on ${(await client.query('select version()')).rows[0].version}\n`);
  const plain = await service.waitlist();
  await signUp(plain, 100, 32, null);
  await measure('an email, 32 in a commit', 12_800, () => signUp(plain, 400, 32, null));
  await measure('an email, alone in its commit', 1_000, () => signUp(plain, 1_000, 1, null));
  const described = await service.waitlist();
  await signUp(described, 50, 32, METADATA);
  await measure('three values of metadata, 32 in a commit', 12_800, () =>
    signUp(described, 400, 32, METADATA),
  );
  const told = await service.waitlist();
  const receiver = await startReceiver();
  await endpointFor(service.context, await told.queue(), receiver.url);
  await signUp(told, 20, 32, null);
  await measure('an email and a webhook, 32 in a commit', 3_200, () => signUp(told, 100, 32, null));
  const outbox = await startOutbox(service.context, service.config, { pollMs: 100 });
  await measure('and its delivery', 3_840, untilDelivered);
  await outbox.stop();
  await receiver.close();
} finally {
  await client.end();
  await service.close();
  await storage.remove();
  await server.stop();
}
