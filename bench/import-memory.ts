import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { signUpToNew } from './batches.ts';
import type { RunningDoorlist } from './processes.ts';

const SAMPLE_EVERY_MS = 200;
/** A server is in use before it imports: without that, it has compiled little, and its caches are empty. */
const WARM_REQUESTS = 2_000;
const WARM_SIGNUPS = 20_000;

export const IMPORTS = ['in order', 'out of order, with referrals', 'a dry run of those'] as const;

export interface ImportPeak {
  /** Private memory before it, and the most while it ran. */
  before: number;
  peak: number;
  seconds: number;
}

/** How much memory a server takes for an import of so many people. It should have done nothing else. */
export async function measureImport(
  doorlist: RunningDoorlist,
  rows: number,
  what: (typeof IMPORTS)[number],
): Promise<ImportPeak> {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-import-'));
  try {
    const file = path.join(directory, 'people.csv');
    await writePeople(file, rows, what !== 'in order');
    doorlist.command('waitlist', 'create', 'wl_imported', '--name', 'Imported');
    const create = ['admin-token', 'create', '--name', 'bench', '--role', 'admin'];
    const { token = '' } = doorlist.command(...create);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/csv' };
    await warm(doorlist, headers);
    const query = what === 'a dry run of those' ? '?dryRun=true' : '';
    const url = `${doorlist.url}/admin/v1/waitlists/wl_imported/imports${query}`;
    return await peakOf(doorlist, () => runImport(doorlist, url, headers, file));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function warm(doorlist: RunningDoorlist, headers: Record<string, string>): Promise<void> {
  await signUpToNew(doorlist, 'wl_warm', WARM_SIGNUPS);
  for (let sent = 0; sent < WARM_REQUESTS; sent += 1)
    await (await fetch(`${doorlist.url}/admin/v1/waitlists`, { headers })).text();
}

/** Of each person who is not in order, the joining time is anywhere and the referrer may come later. */
async function writePeople(file: string, rows: number, isMixed: boolean): Promise<void> {
  const out = await open(file, 'w');
  const columns = isMixed ? 'email,joinedAt,source,referralCode,referredBy' : 'email,joinedAt,source';
  let text = `${columns}\n`;
  for (let n = 0; n < rows; n += 1) {
    const place = isMixed ? (n * 7_919) % rows : n;
    text += `person${n}@example.com,${new Date(1.6e12 + place * 1000).toISOString()},campaign ${n % 50}`;
    text += isMixed ? `,code${n},code${(n * 31 + 7) % rows}\n` : '\n';
    if (text.length < 1_000_000) continue;
    await out.write(text);
    text = '';
  }
  await out.write(text);
  await out.close();
}

async function peakOf(doorlist: RunningDoorlist, work: () => Promise<void>): Promise<ImportPeak> {
  const before = doorlist.privateMemory();
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, doorlist.privateMemory());
  }, SAMPLE_EVERY_MS);
  const startedAt = performance.now();
  await work().finally(() => clearInterval(sampling));
  return { before, peak, seconds: (performance.now() - startedAt) / 1000 };
}

async function runImport(
  { url: base }: RunningDoorlist,
  url: string,
  headers: Record<string, string>,
  file: string,
): Promise<void> {
  const body = Readable.toWeb(createReadStream(file)) as unknown as ReadableStream;
  const sent = await fetch(url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  const job = (await sent.json()) as { id: string; message?: string };
  if (sent.status !== 202) throw new Error(`the import was answered ${sent.status}: ${job.message}`);
  for (;;) {
    await pause(SAMPLE_EVERY_MS);
    const answer = await fetch(`${base}/admin/v1/jobs/${job.id}`, { headers });
    const { state, error } = (await answer.json()) as { state: string; error: string | null };
    if (state === 'done') return;
    if (state !== 'queued' && state !== 'running') throw new Error(`the import is ${state}: ${error}`);
  }
}
