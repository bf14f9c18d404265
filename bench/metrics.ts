import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '../test/support/postgres.ts';
import { type RunningDoorlist, startDoorlist } from './processes.ts';
import { median, printTable, type Row } from './report.ts';
import { requireWrk, runWrk, signupScript } from './wrk.ts';

const ROUNDS = 7;
const SECONDS = 3;
const SCRAPE_EVERY_MS = 1_000;
const SIGNUP = '/sdk/v1/waitlist/signup';

interface Watched {
  what: string;
  atLeast: number;
  doorlist: RunningDoorlist;
  key: string;
}

/** What it costs to be watched: processor time per signup without metrics and traces, as a part of that with them. */
export async function benchMetrics(): Promise<boolean> {
  requireWrk();
  const metricsPort = await freePort();
  const collector = await startCollector();
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const servers: Watched[] = [
    await open('nothing', 0, {}),
    await open('metrics, scraped every second', 0.98, { DOORLIST_METRICS_PORT: String(metricsPort) }),
    await open('a trace of each request', 0.6, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }),
  ];
  const scraping = setInterval(() => {
    fetch(`http://127.0.0.1:${metricsPort}/metrics`)
      .then((answer) => answer.text())
      .catch(() => {});
  }, SCRAPE_EVERY_MS);
  try {
    const costs = servers.map((): number[] => []);
    for (let round = -1; round < ROUNDS; round += 1)
      for (const [index, { doorlist, key }] of servers.entries()) {
        const cost = await microsecondsPerSignup(doorlist, key);
        if (round >= 0) costs[index]?.push(cost);
      }
    const [plain = 0, ...watched] = costs.map(median);
    const rows: Row[] = watched.map((cost, index) => ({
      ...{ what: servers[index + 1]?.what ?? '', atLeast: servers[index + 1]?.atLeast ?? 0 },
      ...{ measured: 1e6 / cost, limit: 1e6 / plain, unit: 'per CPU second' },
    }));
    return printTable('Signups on SQLite while watched, against unwatched', rows);
  } finally {
    clearInterval(scraping);
    for (const { doorlist } of servers) await doorlist.stop();
    collector.close();
  }
}

async function open(what: string, atLeast: number, environment: Record<string, string>): Promise<Watched> {
  const doorlist = await startDoorlist(environment);
  doorlist.command('waitlist', 'create', 'wl_bench', '--name', 'Bench');
  const { key = '' } = doorlist.command('key', 'create', '--waitlist', 'wl_bench', '--env', 'production');
  return { what, atLeast, doorlist, key };
}

/** Unlike a rate, this does not depend on what else the machine does. */
async function microsecondsPerSignup(doorlist: RunningDoorlist, key: string): Promise<number> {
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
