import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDatabase } from '../test/support/databases.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { type Running, type RunningDoorlist, startDoorlist, startNode } from './processes.ts';
import { median, printTable } from './report.ts';
import { peerSignupScript, requireWrk, runWrk, signupScript } from './wrk.ts';

const ROUNDS = 3;
const SECONDS = 4;
const AT_LEAST = 10;
const SIGNUP = '/sdk/v1/waitlist/signup';
const PEER = path.join(import.meta.dirname, 'peer-server.mjs');
/** The newest of each that can be installed together. */
const PACKAGES = ['better-auth-waitlist@3.0.1', 'better-auth@1.6.34', 'pg@8.23.1'];

/** The same signups to what npm has for the same purpose, on the same PostgreSQL, in turn. */
export async function benchPeers(): Promise<boolean> {
  requireWrk();
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-peers-'));
  const server = await startPostgres();
  const running: Running[] = [];
  try {
    copyFileSync(PEER, path.join(directory, 'server.mjs'));
    const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', directory];
    execFileSync('npm', [...install, ...PACKAGES], { stdio: 'ignore' });
    const theirs = await createDatabase(server.url);
    const script = path.join(directory, 'server.mjs');
    const peer = await startNode(script, { DATABASE_URL: theirs.url });
    running.push(peer);
    const ours = await createDatabase(server.url);
    const doorlist = await startDoorlist({ DATABASE_URL: ours.url });
    running.push(doorlist);
    return await compare(doorlist, peer);
  } finally {
    for (const one of running) await one.stop();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function compare(doorlist: RunningDoorlist, peer: Running): Promise<boolean> {
  doorlist.command('waitlist', 'create', 'wl_bench', '--name', 'Bench');
  const made = ['key', 'create', '--waitlist', 'wl_bench', '--env', 'production', '--read'];
  const { key = '' } = doorlist.command(...made);
  const ours: number[] = [];
  const theirs: number[] = [];
  let stored = 0;
  for (let round = -1; round < ROUNDS; round += 1) {
    const measured = await runWrk({
      ...{ url: doorlist.url, seconds: SECONDS },
      script: signupScript(SIGNUP, key),
    });
    const limit = await runWrk({ ...{ url: peer.url, seconds: SECONDS }, script: peerSignupScript() });
    if (measured.refused + limit.refused > 0) throw new Error('signups were refused');
    stored += measured.requests;
    if (round < 0) continue;
    ours.push(measured.perSecond);
    theirs.push(limit.perSecond);
  }
  const passed = printTable('Signups on PostgreSQL, 64 connections, against better-auth-waitlist', [
    {
      ...{ what: 'signup, one entry', unit: '/s', atLeast: AT_LEAST },
      ...{ measured: median(ours), limit: median(theirs) },
    },
  ]);
  const wrong = await wrongPositions(doorlist, key);
  process.stdout.write(
    `  positions: ${stored - wrong} of ${stored} right, encrypted at rest; better-auth-waitlist has no positions, and stores emails in the clear\n`,
  );
  return passed && wrong === 0;
}

/** Whoever has not exactly the place at which the queue lists them. */
async function wrongPositions({ url }: RunningDoorlist, key: string): Promise<number> {
  let wrong = 0;
  let expected = 1;
  for (let cursor = ''; ; ) {
    const query = `limit=100&sort=position${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const answer = await fetch(`${url}/sdk/v1/waitlist/wl_bench/entries?${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const page = (await answer.json()) as { entries: { position: number }[]; nextCursor: string | null };
    for (const { position } of page.entries) {
      if (position !== expected) wrong += 1;
      expected += 1;
    }
    if (page.nextCursor === null) return wrong;
    cursor = page.nextCursor;
  }
}
