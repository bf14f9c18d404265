import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '../test/support/free-port.ts';
import { SIGNUP } from './batches.ts';
import { createWaitlist } from './endpoints.ts';
import { type RunningDoorlist, startDoorlist } from './processes.ts';
import { median, printTable, type Row } from './report.ts';
import { requireWrk, runWrk, signupScript } from './wrk.ts';

/** Two processes of the same program differ by more than what is looked for: its code is compiled in another order. */
const STARTS = 5;
const ROUNDS = 3;
const SECONDS = 3;
const SCRAPE_EVERY_MS = 1_000;

interface Watched {
  what: string;
  atLeast: number;
  environment: Record<string, string>;
}

interface Measurable {
  doorlist: RunningDoorlist;
  key: string;
}

/** What it costs to be watched: processor time per signup without metrics and traces, as a part of that with them. */
export async function benchMetrics(): Promise<boolean> {
  requireWrk();
  const metricsPort = await freePort();
  const collector = await startCollector();
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const watched: Watched[] = [
    { what: 'nothing', atLeast: 0, environment: {} },
    {
      ...{ what: 'metrics, scraped every second', atLeast: 0.98 },
      environment: { DOORLIST_METRICS_PORT: String(metricsPort) },
    },
    {
      ...{ what: 'a trace of each request', atLeast: 0.6 },
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
    },
  ];
  const scraping = setInterval(() => {
    fetch(`http://127.0.0.1:${metricsPort}/metrics`)
      .then((answer) => answer.text())
      .catch(() => {});
  }, SCRAPE_EVERY_MS);
  try {
    const costs = watched.map((): number[] => []);
    for (let start = 0; start < STARTS; start += 1)
      for (const [index, cost] of (await measureInTurns(watched)).entries()) costs[index]?.push(cost);
    const [plain = 0, ...others] = costs.map(median);
    const rows: Row[] = others.map((cost, index) => ({
      ...{ what: watched[index + 1]?.what ?? '', atLeast: watched[index + 1]?.atLeast ?? 0 },
      ...{ measured: 1e6 / cost, limit: 1e6 / plain, unit: 'per CPU second' },
      note: `of each start, µs: ${list(costs[index + 1])}; unwatched: ${list(costs[0])}`,
    }));
    return printTable('Signups on SQLite while watched, against unwatched', rows);
  } finally {
    clearInterval(scraping);
    collector.close();
  }
}

/** Starts a server of each kind. Returns the microseconds per signup of each. */
async function measureInTurns(watched: readonly Watched[]): Promise<number[]> {
  const servers: Measurable[] = [];
  try {
    for (const { environment } of watched) servers.push(await open(environment));
    const costs = servers.map((): number[] => []);
    for (let round = -1; round < ROUNDS; round += 1)
      for (const [index, server] of servers.entries()) {
        const cost = await microsecondsPerSignup(server);
        if (round >= 0) costs[index]?.push(cost); // The first one was a warm-up.
      }
    return costs.map(median);
  } finally {
    for (const { doorlist } of servers) await doorlist.stop();
  }
}

function list(costs: readonly number[] = []): string {
  return costs.map(Math.round).join(' ');
}

async function open(environment: Record<string, string>): Promise<Measurable> {
  const doorlist = await startDoorlist(environment);
  return { doorlist, key: createWaitlist(doorlist) };
}

/** Unlike a rate, this does not depend on what else the machine does. */
async function microsecondsPerSignup({ doorlist, key }: Measurable): Promise<number> {
  const before = doorlist.cpuSeconds();
  const load = { url: doorlist.url, script: signupScript(SIGNUP, key), seconds: SECONDS };
  const { requests, refused } = await runWrk(load);
  if (refused > 0) throw new Error(`${refused} signups were refused`);
  return (1e6 * (doorlist.cpuSeconds() - before)) / requests;
}

function startCollector(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('{}'));
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}
