import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { readConfig } from '../src/config.ts';
import { createLogger } from '../src/log.ts';
import { openContext } from '../src/service.ts';
import { findEntry, listEntries, type Sort } from '../src/waitlist/entries/entries.ts';
import { leaderboard } from '../src/waitlist/entries/list-leaders.ts';
import type { Context } from '../src/waitlist/queue/context.ts';
import type { Queue } from '../src/waitlist/queue/directory.ts';
import { createWaitlist } from '../src/waitlist/settings/waitlists.ts';
import { openSignups, type Signups } from '../src/waitlist/signup/signup.ts';
import { parseSignupRequest } from '../src/waitlist/signup/signup-input.ts';
import { createDatabase } from '../test/support/databases.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { emailOf, generateQueue } from './generate-queue.ts';
import { type RunningDoorlist, startDoorlist } from './processes.ts';
import { median } from './report.ts';
import { randomGetScript, requireWrk, runWrk } from './wrk.ts';

const GROWTH_MAX = 1.5;
const CALL_ROUNDS = 60;
const REQUEST_ROUNDS = 3;
const REQUEST_SECONDS = 2;

/** A queue of some size, ready to be measured. */
interface Site {
  size: number;
  context: Context;
  queue: Queue;
  signups: Signups;
  /** Serves the same database. */
  server: RunningDoorlist;
  key: string;
  /** Cursors to the middle of the queue. */
  deep: Record<Sort, string | undefined>;
  close(): Promise<void>;
}

/** The cost of each operation in a long queue, as a multiple of its cost in a short one. */
export async function benchQueue(): Promise<boolean> {
  requireWrk();
  const sqlite = await compare('SQLite', [10_000, 1_000_000, 10_000_000], (size) => openSite(size));
  const server = await startPostgres();
  try {
    const postgres = await compare('PostgreSQL', [10_000, 1_000_000], async (size) => {
      const database = await createDatabase(server.url);
      return openSite(size, database.url);
    });
    return sqlite && postgres;
  } finally {
    await server.stop();
  }
}

async function openSite(size: number, databaseUrl?: string): Promise<Site> {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-queue-'));
  const variables = {
    DOORLIST_DATA_DIR: directory,
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  };
  const config = readConfig(variables);
  const context = await openContext(config, createLogger('silent'));
  await createWaitlist(context, { id: 'wl_bench', name: 'Bench' });
  const queue = await context.directory.queue('wl_bench', 'production');
  if (!queue) throw new Error('no queue');
  await turn(); // The generator writes to the file directly, so nothing else may be running.
  const startedAt = performance.now();
  await generateQueue(
    context,
    queue,
    size,
    databaseUrl === undefined ? path.join(directory, 'doorlist.db') : undefined,
  );
  await turn();
  await requireRightPosition(context, queue, Math.ceil(size * 0.7));
  process.stderr.write(`${size} entries made in ${Math.round((performance.now() - startedAt) / 1000)} s\n`);
  const server = await startDoorlist(variables);
  const grants = ['--waitlist', 'wl_bench', '--env', 'production', '--read'];
  const { key = '' } = server.command('key', 'create', ...grants);
  return {
    size,
    context,
    queue,
    server,
    key,
    signups: openSignups(context, 100_000),
    deep: {
      joined: await cursorTo(context, queue, 'joined'),
      position: await cursorTo(context, queue, 'position'),
    },
    close: async () => {
      await server.stop();
      await context.db.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** What is measured must also be correct. */
async function requireRightPosition(context: Context, queue: Queue, seq: number): Promise<void> {
  const { position } = await findEntry(context, queue, emailOf(seq));
  const counted = await sql<{ ahead: number }>`select count(*) as ahead from entry as e
    join entry as self on self.queue_id = e.queue_id and self.seq = ${seq}
    where e.queue_id = ${queue.id} and (e.rank < self.rank or (e.rank = self.rank and e.seq > self.seq))`.execute(
    context.db.query,
  );
  if (position !== (counted.rows[0]?.ahead ?? 0) + 1) throw new Error(`the position of ${seq} is wrong`);
}

/** Waits for the end of this turn of the event loop, as there is one between any two requests. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Pages create cursors. The one in the middle is created by sealing its place as a page would. */
async function cursorTo({ db }: Context, queue: Queue, sort: Sort): Promise<string> {
  const { last_seq } = await db.query
    .selectFrom('queue')
    .select('last_seq')
    .where('id', '=', queue.id)
    .executeTakeFirstOrThrow();
  const place = { rank: Math.floor(last_seq / 2), seq: Math.floor(last_seq / 2) };
  return queue.vault.seal('cursor', Buffer.from(`${sort} any`), place).toString('base64url');
}

/** Requests as clients send them: the path of each one, generated by Lua. */
const REQUESTS: Record<string, (site: Site) => string> = {
  'lookup with position': ({ size }) =>
    `"/sdk/v1/waitlist/wl_bench/entries/${emailOf(`" .. math.random(1, ${size}) .. "`)}"`,
  'first page, joined': () => pagePath('joined'),
  'deep page, joined': ({ deep }) => pagePath('joined', deep.joined),
  'first page, position': () => pagePath('position'),
  'deep page, position': ({ deep }) => pagePath('position', deep.position),
};

function pagePath(sort: Sort, cursor?: string): string {
  const from = cursor === undefined ? '' : `&cursor=${cursor}`;
  return `"/sdk/v1/waitlist/wl_bench/entries?limit=50&sort=${sort}${from}"`;
}

let fresh = 0;

/** Calls inside the process: writes are measured without the requests that would be grouped. */
const CALLS: Record<string, (site: Site) => Promise<unknown>> = {
  total: ({ context, queue }) => listEntries(context, queue, { limit: 1, sort: 'joined' }),
  leaderboard: ({ context, queue }) => leaderboard(context, queue, 10),
  signup: (site) => signup(site, {}),
  'signup that credits a referrer': (site) => signup(site, { referredBy: anybody(site) }),
};

const lookup = (site: Site) => findEntry(site.context, site.queue, anybody(site));

function anybody({ size }: Site): string {
  return emailOf(1 + Math.floor(Math.random() * size));
}

function signup({ signups, queue }: Site, extra: object): Promise<unknown> {
  fresh += 1;
  const entries = [{ email: `fresh${fresh}x${process.pid}@example.com`, ...extra }];
  return signups.submit(queue, parseSignupRequest({ waitlistId: 'wl_bench', entries }).entries);
}

async function compare(
  engine: string,
  sizes: number[],
  open: (size: number) => Promise<Site>,
): Promise<boolean> {
  const sites: Site[] = [];
  try {
    for (const size of sizes) sites.push(await open(size));
    process.stdout.write(
      `\n${engine}: cost as a multiple of that at ${sizes[0]} entries (bar: <= ${GROWTH_MAX})\n`,
    );
    const passed: boolean[] = [];
    for (const [name, path] of Object.entries(REQUESTS))
      passed.push(printGrowth(name, sites, await measureRequests(sites, path)));
    for (const [name, call] of Object.entries(CALLS))
      passed.push(printGrowth(name, sites, await measureCalls(sites, call)));
    // No bar: this is the cost of random memory access in gigabytes instead of in a cache.
    printGrowth('lookup, without HTTP around it', sites, await measureCalls(sites, lookup), false);
    return passed.every(Boolean);
  } finally {
    for (const site of sites) await site.close();
  }
}

/** Time per request on a saturated server, round by round over all sizes. */
async function measureRequests(sites: Site[], path: (site: Site) => string): Promise<number[]> {
  const samples = sites.map((): number[] => []);
  for (let round = -1; round < REQUEST_ROUNDS; round += 1) {
    for (const [index, site] of sites.entries()) {
      const script = randomGetScript(path(site), site.key);
      const { perSecond, refused } = await runWrk({ url: site.server.url, script, seconds: REQUEST_SECONDS });
      if (refused > 0) throw new Error(`${refused} requests were refused`);
      if (round >= 0) samples[index]?.push(1 / perSecond);
    }
  }
  return samples.map(median);
}

/**
 * Round by round over all sizes, so that a slow moment of the machine affects each alike. In milliseconds.
 */
async function measureCalls(sites: Site[], call: (site: Site) => Promise<unknown>): Promise<number[]> {
  const samples = sites.map((): number[] => []);
  for (let round = -5; round < CALL_ROUNDS; round += 1) {
    for (const [index, site] of sites.entries()) {
      await turn();
      const startedAt = performance.now();
      for (let i = 0; i < 10; i += 1) await call(site);
      if (round >= 0) samples[index]?.push((performance.now() - startedAt) / 10);
    }
  }
  return samples.map(median);
}

function printGrowth(name: string, sites: Site[], costs: number[], judged = true): boolean {
  const factors = costs.map((cost) => cost / (costs[0] ?? cost));
  const passed = Math.max(...factors) <= GROWTH_MAX;
  const cells = sites.map(({ size }, index) => `${size.toLocaleString('en')}: ${factors[index]?.toFixed(2)}`);
  const verdict = judged ? (passed ? 'ok' : 'OVER') : '';
  process.stdout.write(`  ${name.padEnd(32)}${cells.join('   ').padEnd(50)}${verdict}\n`);
  return passed;
}
