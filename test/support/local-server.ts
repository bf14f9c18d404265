import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { query } from './query.ts';

const PATIENCE_MS = 60_000;

/** A PostgreSQL on this machine that somebody else has started. */
interface LocalServer {
  /** Ends all its processes at once, as a power failure would. */
  kill(): Promise<void>;
  /** As it was started before. */
  start(): Promise<void>;
}

export async function findLocalServer(url: string): Promise<LocalServer> {
  const [row] = (await query(url, `select pg_read_file('postmaster.pid') as text`)) as { text: string }[];
  const pid = Number.parseInt(row?.text ?? '', 10);
  const [, ...words] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
  const program = readlinkSync(`/proc/${pid}/exe`);
  const cwd = readlinkSync(`/proc/${pid}/cwd`);
  const { uid, gid } = statSync(`/proc/${pid}`);
  let running = pid;
  return {
    kill: async () => {
      const all = [running, ...childrenOf(running)];
      for (const each of all) process.kill(each, 'SIGKILL');
      await waitUntil('it has ended', async () => all.every((each) => !existsSync(`/proc/${each}`)));
    },
    start: async () => {
      const server = spawn(program, words, { uid, gid, cwd, detached: true, stdio: 'ignore' });
      server.unref();
      running = server.pid ?? 0;
      await waitUntil('it answers', () => answers(url));
    },
  };
}

function childrenOf(parent: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return all.map(Number).filter((each) => parentOf(each) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined; // It has ended since.
  }
}

function answers(url: string): Promise<boolean> {
  return query(url, 'select 1').then(
    () => true,
    () => false,
  );
}

async function waitUntil(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const giveUpAt = performance.now() + PATIENCE_MS; !(await isSo()); await sleep(50))
    if (performance.now() > giveUpAt) throw new Error(`in vain: ${what}`);
}
