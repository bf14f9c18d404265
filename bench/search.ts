import { statement } from '../src/db/statement.ts';
import type { Person } from '../src/waitlist/people/person.ts';
import { createDatabase } from '../test/support/databases.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { flag, wantsEngine } from './flags.ts';
import { median, printTable, type Row } from './report.ts';
import { openSite, type Site } from './site.ts';
import { requireWrk, runWrk, signupScript } from './wrk.ts';

const ROUNDS = 3;
const SECONDS = 4;
const CONNECTIONS = 64;
const SIGNUP = '/sdk/v1/waitlist/signup';
/** Everybody is looked at for a text that nobody has. */
const NOBODY = 'nobody has this';
const OPENED = 500;
const OPENINGS = 200;

/** How fast everybody's data is looked through, and what that takes from signups. */
export async function benchSearch(): Promise<boolean> {
  requireWrk();
  const size = flag('entries', 1_000_000);
  const sqlite = !wantsEngine('sqlite') || (await onSite('SQLite', await openSite(size)));
  if (!wantsEngine('postgres')) return sqlite;
  const server = await startPostgres();
  try {
    const database = await createDatabase(server.url);
    return (await onSite('PostgreSQL', await openSite(size, database.url))) && sqlite;
  } finally {
    await server.stop();
  }
}

async function onSite(engine: string, site: Site): Promise<boolean> {
  try {
    const rows = [await alone(site), await besideSignups(site)];
    return printTable(`Searching through ${site.size.toLocaleString('en')} entries on ${engine}`, rows);
  } finally {
    await site.close();
  }
}

async function alone(site: Site): Promise<Row> {
  await search(site, { most: 50_000 }); // A warm-up.
  const searched: number[] = [];
  const opened: number[] = [];
  let seconds = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    opened.push(await openingsPerSecond(site));
    const { looked, ms } = await search(site);
    if (looked < site.size) throw new Error(`the search looked at ${looked} of ${site.size}`);
    searched.push((looked * 1000) / ms);
    seconds = ms / 1000;
  }
  return {
    what: 'entries looked at, against only decrypting them',
    measured: median(searched),
    limit: median(opened),
    atLeast: 0.2,
    unit: '/s',
    note: `the whole search took ${seconds.toFixed(1)} s`,
  };
}

async function besideSignups(site: Site): Promise<Row> {
  const load = () => ({
    url: site.server.url,
    script: signupScript(SIGNUP, site.key),
    seconds: SECONDS,
    connections: CONNECTIONS,
  });
  const [quiet, beside, looked]: number[][] = [[], [], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const without = await runWrk(load());
    const stopping = new AbortController();
    const searching = searchUntil(site, stopping.signal);
    const meanwhile = await runWrk(load());
    stopping.abort();
    const { looked: rows, ms } = await searching;
    if (without.refused + meanwhile.refused > 0) throw new Error('signups were refused');
    if (round === 0) continue; // A warm-up.
    quiet?.push(without.perSecond);
    beside?.push(meanwhile.perSecond);
    looked?.push((rows * 1000) / ms);
  }
  return {
    what: 'signups beside a search, against alone',
    measured: median(beside ?? []),
    limit: median(quiet ?? []),
    atLeast: 0.9,
    unit: '/s',
    note: `meanwhile, ${Math.round(median(looked ?? []))} entries looked at per second`,
  };
}

interface Searched {
  looked: number;
  ms: number;
}

async function searchUntil(site: Site, stopped: AbortSignal): Promise<Searched> {
  const startedAt = performance.now();
  let looked = 0;
  while (!stopped.aborted) looked += (await search(site, { stopped })).looked;
  return { looked, ms: performance.now() - startedAt };
}

/** Page by page, as the dashboard does. */
async function search(
  { server, token }: Site,
  { most = Number.POSITIVE_INFINITY, stopped }: { most?: number; stopped?: AbortSignal } = {},
): Promise<Searched> {
  const startedAt = performance.now();
  for (let cursor = ''; ; ) {
    const query = new URLSearchParams({ q: NOBODY, ...(cursor === '' ? {} : { cursor }) });
    const url = `${server.url}/admin/v1/waitlists/wl_bench/entries/search?${query}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    if (!answer.ok) throw new Error(`the search failed: ${answer.status} ${await answer.text()}`);
    const { looked, nextCursor } = (await answer.json()) as { looked: number; nextCursor: string | null };
    if (nextCursor === null || looked >= most || stopped?.aborted)
      return { looked, ms: performance.now() - startedAt };
    cursor = nextCursor;
  }
}

const someEntries = statement<{ queueId: number }, { id: Uint8Array; person: Uint8Array | null }>(
  (db, parameter) =>
    db.query
      .selectFrom('entry')
      .select(['id', 'person'])
      .where('queue_id', '=', parameter('queueId'))
      .orderBy('seq')
      .limit(OPENED),
);

/** In this process, without reading them from the database or comparing anything. */
async function openingsPerSecond({ context, queue }: Site): Promise<number> {
  const rows = await context.db.run(someEntries, { queueId: queue.id });
  const startedAt = performance.now();
  for (let time = 0; time < OPENINGS; time += 1)
    for (const { id, person } of rows) if (person) queue.vault.open<Person>('entry.person', id, person);
  return (rows.length * OPENINGS * 1000) / (performance.now() - startedAt);
}
