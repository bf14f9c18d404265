import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import type { ImportProgress } from '../../src/waitlist/transfer/import/import-progress.ts';
import { afterAllTests } from './cleanup.ts';
import type { Service } from './harness.ts';
import { startCommand } from './process.ts';

export const FIRST_DAY = Date.UTC(2024, 0, 1);
const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-resume-'));
afterAllTests(() => rmSync(directory, { recursive: true, force: true }));

export interface Load {
  rows: number;
  /** Latest row first. */
  reversed: boolean;
}

export const email = (at: number) => `person${at}@example.com`;
export const isBad = (at: number) => at % 1_000 === 77;
/**
 * Four of ten people are referred by someone who joins later, four of ten by someone who joined before, and no
 * two by each other: so many that a file of 30,000 has more links of both kinds than are read at once.
 */
export const referrerOf = (at: number, rows: number) =>
  [1, 3, 5, 8].includes(at % 10)
    ? Math.min(at + 2_500, rows - 1)
    : [0, 2, 6, 9].includes(at % 10)
      ? Math.max(at - 5, 0)
      : undefined;

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

interface Run {
  jobId: string;
  result: Record<string, number> | undefined;
}

/** Runs the command, and kills it once its progress is as wanted, if that is given. */
export async function runImport(
  service: Service,
  queue: Queue,
  words: string[],
  killWhen?: (progress: ImportProgress) => boolean,
): Promise<Run> {
  const { child, finished } = startCommand(service.storage.environment, 'import', ...words, '--json');
  if (killWhen) {
    let progress = await progressOf(service, queue);
    while (child.exitCode === null && !(progress && killWhen(progress))) {
      await sleep(2);
      progress = await progressOf(service, queue);
    }
    child.kill('SIGKILL');
  }
  const { code, stdout, stderr } = await finished;
  if (!killWhen) assert.equal(code, 0, stderr);
  const result = code === 0 ? JSON.parse(stdout) : undefined;
  return { jobId: /job_\w+/.exec(stderr + stdout)?.[0] ?? '', result };
}

/** undefined before the import has begun. */
async function progressOf({ context }: Service, queue: Queue): Promise<ImportProgress | undefined> {
  const row = await context.db.query
    .selectFrom('job')
    .select('progress')
    .where('queue_id', '=', queue.id)
    .executeTakeFirst();
  return row && (JSON.parse(row.progress) as ImportProgress);
}
