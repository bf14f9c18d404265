import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Site } from './site.ts';

/** A steady load that leaves the server room, so that latency shows what the export adds. */
const SIGNUPS_PER_SECOND = 100;
const QUIET_SECONDS = 15;
const SLOWER_MAX = 1.5;
/** The second half of an export may need this much more memory than the first. */
const MEMORY_GROWTH_MAX = 1.2;

/** Downloads an export of the whole queue beside signups: how much slower they get, and whether memory stays flat. */
export function measureExport(engine: string) {
  return async ([site]: Site[]): Promise<boolean> => {
    if (!site) throw new Error('no site');
    await signupsFor(site, sleep(5_000)); // Warm.
    const quiet = await signupsFor(site, sleep(QUIET_SECONDS * 1000));
    const memory: number[] = [];
    const sampling = setInterval(() => memory.push(site.server.memory()), 100);
    const startedAt = performance.now();
    let rows = 0;
    const download = downloadExport(site).then((count) => {
      rows = count;
    });
    const busy = await signupsFor(site, download).finally(() => clearInterval(sampling));
    if (rows < site.size) throw new Error(`the export has ${rows} of ${site.size} rows`);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    process.stdout.write(
      `\n${engine}: export of ${site.size.toLocaleString('en')} entries in ${seconds} s\n`,
    );
    const slower = p99(busy) / p99(quiet);
    const half = Math.ceil(memory.length / 2);
    const growth = Math.max(...memory.slice(half)) / Math.max(...memory.slice(0, half));
    return [
      print('p99 of signups beside it', slower, SLOWER_MAX),
      print('memory, second half to first', growth, MEMORY_GROWTH_MAX),
    ].every(Boolean);
  };
}

function print(what: string, ratio: number, most: number): boolean {
  const passed = ratio <= most;
  const line = `  ${what.padEnd(32)}${ratio.toFixed(2)}   bar: <= ${most}`;
  process.stdout.write(`${line.padEnd(60)}${passed ? 'ok' : 'OVER'}\n`);
  return passed;
}

let fresh = 0;

/** Sends signups at a fixed rate until something is over. Returns how long each took, in milliseconds. */
async function signupsFor({ server, key }: Site, over: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  const failures: unknown[] = [];
  const sending: Promise<void>[] = [];
  let isOver = false;
  const ending = over.then(
    () => {
      isOver = true;
    },
    (error: unknown) => {
      isOver = true;
      failures.push(error);
    },
  );
  const startedAt = performance.now();
  for (let sent = 0; !isOver; sent += 1) {
    // From the time at which it was due, so that waiting to be sent counts.
    const dueAt = startedAt + (sent * 1000) / SIGNUPS_PER_SECOND;
    await sleep(Math.max(0, dueAt - performance.now()));
    sending.push(
      signUp(server.url, key).then(
        () => void times.push(performance.now() - dueAt),
        (error: unknown) => void failures.push(error),
      ),
    );
  }
  await Promise.all([ending, ...sending]);
  if (failures.length > 0) throw failures[0];
  return times;
}

async function signUp(url: string, key: string): Promise<void> {
  fresh += 1;
  const email = `export${fresh}x${process.pid}@example.com`;
  const response = await fetch(`${url}/sdk/v1/waitlist/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ waitlistId: 'wl_bench', entries: [{ email }] }),
  });
  if (response.status !== 201) throw new Error(`a signup got ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

/** Returns how many lines the file has. */
async function downloadExport({ server, token }: Site): Promise<number> {
  const path = `${server.url}/admin/v1/waitlists/wl_bench/exports`;
  const authorization = `Bearer ${token}`;
  const created = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify({ format: 'ndjson' }),
  });
  const { id } = (await created.json()) as { id: string };
  // In a process of its own: reading a large file here would delay the signups that are measured.
  const words = ['-sSfN', '-H', `Authorization: ${authorization}`, `${path}/${id}/file`];
  const curl = spawn('curl', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const counter = spawn('wc', ['-l'], { stdio: [curl.stdout, 'pipe', 'inherit'] });
  const counted = text(counter.stdout); // Before it ends: what nobody reads by then is dropped.
  const [code] = await once(curl, 'exit');
  if (code !== 0) throw new Error('the export failed');
  return Number(await counted);
}

function p99(times: number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
}
