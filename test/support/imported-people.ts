import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from './harness.ts';

const MAIN = path.join(import.meta.dirname, '../../src/main.ts');
export const FIRST_DAY = Date.UTC(2024, 0, 1);
const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-resume-'));
after(() => rmSync(directory, { recursive: true, force: true }));

export interface Load {
  rows: number;
  /** Latest row first. */
  reversed: boolean;
}

export const email = (at: number) => `person${at}@example.com`;
export const isBad = (at: number) => at % 1_000 === 77;
/** Every tenth person is referred by someone who joins later, every tenth by someone who joined before. */
export const referrerOf = (at: number, rows: number) =>
  at % 10 === 3 ? Math.min(at + 2_500, rows - 1) : at % 10 === 6 ? Math.max(at - 5, 0) : undefined;

export async function writePeople({ rows, reversed }: Load): Promise<string> {
  const file = path.join(directory, `people-${rows}.csv`);
  const stream = createWriteStream(file);
  stream.write('email,joined_at,referred_by\n');
  for (let n = 0; n < rows; n += 1) {
    const at = reversed ? rows - 1 - n : n;
    const referrer = referrerOf(at, rows);
    const joined = new Date(FIRST_DAY + at * 1000).toISOString();
    const line = `${isBad(at) ? 'bad' : email(at)},${joined},${referrer === undefined ? '' : email(referrer)}\n`;
    if (!stream.write(line)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
  return file;
}

export interface Run {
  jobId: string;
  result: Record<string, number> | undefined;
}

/** Runs the command and kills it this many milliseconds after it started. undefined lets it finish. */
export async function runImport(
  service: Service,
  words: string[],
  killAfterMs: number | undefined,
): Promise<Run> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [MAIN, 'import', ...words, '--json'], {
    env: { PATH, HOME, ...service.storage.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data) => {
    stdout += data;
  });
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  const closed = once(child, 'close');
  if (killAfterMs !== undefined) {
    const begun = words.includes('--resume')
      ? sleep(300)
      : waitFor(() => stderr.includes('--resume'), closed);
    await begun;
    await Promise.race([sleep(killAfterMs), closed]);
    child.kill('SIGKILL');
  }
  const [code] = await closed;
  if (killAfterMs === undefined) assert.equal(code, 0, stderr);
  const result = code === 0 ? JSON.parse(stdout) : undefined;
  return { jobId: /job_\w+/.exec(stderr + stdout)?.[0] ?? '', result };
}

async function waitFor(ready: () => boolean, ended: Promise<unknown>): Promise<void> {
  let over = false;
  ended.then(() => {
    over = true;
  });
  while (!ready() && !over) await sleep(5);
}
