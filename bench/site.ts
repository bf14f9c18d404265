import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { readConfig } from '../src/config/config.ts';
import { openContext } from '../src/installation/open.ts';
import { createLogger } from '../src/lib/log.ts';
import { findEntry } from '../src/waitlist/entries/entries.ts';
import type { Context } from '../src/waitlist/queue/context.ts';
import type { Queue } from '../src/waitlist/queue/queue.ts';
import { createWaitlist } from '../src/waitlist/settings/waitlists.ts';
import { emailOf, generateQueue, PAIR } from './generate-queue.ts';
import { type RunningDoorlist, startDoorlist } from './processes.ts';
import { postmasterOf, processorTimeOf } from './processor-time.ts';
import { median } from './report.ts';
import { runWrk } from './wrk.ts';

const GROWTH_MAX = 1.3;
const CALL_ROUNDS = 60;
const REQUEST_ROUNDS = 3;
const REQUEST_SECONDS = 2;

/** A queue of some size, ready to be measured. */
export interface Site {
  size: number;
  context: Context;
  queue: Queue;
  /** Serves the same database. */
  server: RunningDoorlist;
  /** A server key that may read. */
  key: string;
  /** An admin token. */
  token: string;
  /** The process id of the database server. */
  postgres: number | undefined;
  close(): Promise<void>;
}

export async function openSite(size: number, databaseUrl?: string): Promise<Site> {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-queue-'));
  const variables = {
    DOORLIST_DATA_DIR: directory,
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  };
  const config = readConfig(variables);
  const context = await openContext(config, createLogger('silent'));
  await createWaitlist(context, { id: 'wl_bench', name: 'Bench', metadataKeys: [PAIR.key] });
  const queue = await context.registry.queue('wl_bench', 'production');
  if (!queue) throw new Error('no queue');
  await turn(); // The generator writes to the file directly, so nothing else may be running.
  const startedAt = performance.now();
  await generateQueue(
    context,
    queue,
    size,
    databaseUrl === undefined ? { sqliteFile: path.join(directory, 'doorlist.db') } : { databaseUrl },
  );
  await turn();
  await requireRightPosition(context, queue, Math.ceil(size * 0.7));
  process.stderr.write(`${size} entries made in ${Math.round((performance.now() - startedAt) / 1000)} s\n`);
  const server = await startDoorlist(variables);
  const grants = ['--waitlist', 'wl_bench', '--env', 'production', '--read'];
  const { key = '' } = server.command('key', 'create', ...grants);
  const { token = '' } = server.command('admin-token', 'create', '--name', 'bench', '--role', 'admin');
  const postgres = databaseUrl === undefined ? undefined : await postmasterOf(databaseUrl);
  return {
    ...{ size, context, queue, server, key, token, postgres },
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
    context.db.unlimited.query,
  );
  if (position !== (counted.rows[0]?.ahead ?? 0) + 1) throw new Error(`the position of ${seq} is wrong`);
}

/** Waits for the end of this turn of the event loop, as there is one between any two requests. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Opens one site after the other, closes them all at the end. */
export async function withSites<S extends Site>(
  sizes: readonly number[],
  open: (size: number) => Promise<S>,
  work: (sites: S[]) => Promise<boolean>,
): Promise<boolean> {
  const sites: S[] = [];
  try {
    for (const size of sizes) sites.push(await open(size));
    return await work(sites);
  } finally {
    for (const site of sites) await site.close();
  }
}

export function printTitle(engine: string, sites: readonly Site[]): void {
  process.stdout.write(
    `\n${engine}: cost as a multiple of that at ${sites[0]?.size} entries (bar: <= ${GROWTH_MAX})\n`,
  );
}

/** What a request costs at each size, in milliseconds. */
export interface Costs {
  /** On a saturated server, or one after the other. */
  times: number[];
  /** Of Doorlist and the database. */
  processorTimes?: number[];
}

/** Round by round over all sizes, so that a slow moment of the machine affects each alike. */
export async function measureRequests<S extends Site>(
  sites: S[],
  script: (site: S) => string,
  connections = 64,
): Promise<Costs> {
  const times = sites.map((): number[] => []);
  const processorTimes = sites.map((): number[] => []);
  for (let round = -1; round < REQUEST_ROUNDS; round += 1) {
    for (const [index, site] of sites.entries()) {
      const load = { url: site.server.url, script: script(site), seconds: REQUEST_SECONDS, connections };
      const before = processorMs(site);
      const { perSecond, requests, refused } = await runWrk(load);
      if (refused > 0) throw new Error(`${refused} requests were refused`);
      if (round < 0) continue;
      times[index]?.push(1000 / perSecond);
      processorTimes[index]?.push((processorMs(site) - before) / requests);
    }
  }
  return { times: times.map(median), processorTimes: processorTimes.map(median) };
}

function processorMs({ server, postgres }: Site): number {
  const times = Object.values(processorTimeOf(server.pid, postgres));
  return times.reduce((sum, time) => sum + time, 0) / 1e6;
}

/** Calls in this process, one after the other. */
export async function measureCalls<S extends Site>(
  sites: S[],
  call: (site: S) => Promise<unknown>,
): Promise<Costs> {
  const samples = sites.map((): number[] => []);
  for (let round = -5; round < CALL_ROUNDS; round += 1) {
    for (const [index, site] of sites.entries()) {
      await turn();
      const startedAt = performance.now();
      for (let i = 0; i < 10; i += 1) await call(site);
      if (round >= 0) samples[index]?.push((performance.now() - startedAt) / 10);
    }
  }
  return { times: samples.map(median) };
}

export function printGrowth(
  name: string,
  sites: readonly Site[],
  { times, processorTimes }: Costs,
  judged = true,
): boolean {
  const factors = growthOf(times);
  const passed = Math.max(...factors) <= GROWTH_MAX;
  const cells = sites.map(({ size }, index) => {
    const ms = times[index]?.toFixed(3).padStart(8);
    return `${size.toLocaleString('en').padStart(10)}: ${ms} ms ${factors[index]?.toFixed(2)}`;
  });
  const processor = processorTimes
    ? growthOf(processorTimes)
        .slice(1)
        .map((factor, index) => `${factor.toFixed(2)} (${processorTimes[index + 1]?.toFixed(3)} ms)`)
    : [];
  const note = processor.length > 0 ? `processor time ${processor.join(', ')}` : '';
  const verdict = judged ? (passed ? 'ok' : 'OVER') : '';
  process.stdout.write(`  ${name.padEnd(32)}${cells.join(' ')}  ${note.padEnd(32)}${verdict}\n`);
  return passed;
}

/** Each as a multiple of the first. */
function growthOf(costs: readonly number[]): number[] {
  return costs.map((cost) => cost / (costs[0] ?? cost));
}
