import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../src/db/database.ts';
import { auditQueue } from '../../src/waitlist/audit.ts';
import type { Queue } from '../../src/waitlist/directory.ts';
import { forEachEngine, type Service, startService } from '../support/harness.ts';

const MAIN = path.join(import.meta.dirname, '../../src/main.ts');
const FIRST_DAY = Date.UTC(2024, 0, 1);
const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-resume-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** A small generator whose numbers are the same in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Load {
  rows: number;
  kills: number;
  killWithinMs: number;
  /** The latest row first. */
  reversed: boolean;
}

const LOADS: Record<Engine, Load> = {
  sqlite: { rows: 200_000, kills: 7, killWithinMs: 2_500, reversed: false },
  postgres: { rows: 8_000, kills: 4, killWithinMs: 800, reversed: true },
};

const email = (at: number) => `person${at}@example.com`;
const isBad = (at: number) => at % 1_000 === 77;
/** Every tenth is referred by somebody who joins later, every tenth by somebody who joined before. */
const referrerOf = (at: number, rows: number) =>
  at % 10 === 3 ? Math.min(at + 2_500, rows - 1) : at % 10 === 6 ? Math.max(at - 5, 0) : undefined;

async function writeFile({ rows, reversed }: Load): Promise<string> {
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

/** Runs the command, and kills it so many milliseconds after it has begun; undefined lets it come to its end. */
async function runImport(service: Service, words: string[], killAfterMs: number | undefined): Promise<Run> {
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

forEachEngine((engine) => {
  describe('an import that is killed again and again', () => {
    it('loses nothing and doubles nothing once it is resumed', async () => {
      const load = LOADS[engine];
      const file = await writeFile(load);
      const service = await startService(engine);
      try {
        const list = await service.waitlist();
        const random = randomFrom(20_261_115);
        const words = [file, '--waitlist', list.id];
        let { jobId, result } = await runImport(service, words, random() * 500);
        assert.match(jobId, /^job_/);
        for (let kill = 1; kill < load.kills && !result; kill += 1) {
          ({ result } = await runImport(
            service,
            [...words, '--resume', jobId],
            random() * load.killWithinMs,
          ));
        }
        if (!result) ({ result } = await runImport(service, [...words, '--resume', jobId], undefined));

        const good = Array.from({ length: load.rows }, (_, at) => at).filter((at) => !isBad(at));
        const failed = load.rows - good.length;
        const { rows, created, skipped } = result ?? {};
        assert.deepEqual({ rows, created, skipped }, { rows: load.rows, created: good.length, skipped: 0 });
        assert.equal(result?.failed, failed);
        const told = readFileSync(`${file}.errors.jsonl`, 'utf8').trim().split('\n');
        assert.equal(new Set(told.map((line) => JSON.parse(line).line)).size, failed);
        assert.equal(told.length, failed);
        await checkEntries(service, await list.queue(), good, load.rows);
      } finally {
        await service.close();
      }
    });
  });
});

forEachEngine((engine) => {
  describe('an import beside a server', () => {
    it('lets signups through, and keeps the queue sound', async () => {
      const file = await writeFile({ ...LOADS[engine], rows: 5_000 });
      const service = await startService(engine);
      try {
        const list = await service.waitlist();
        let importing = true;
        const imported = runImport(service, [file, '--waitlist', list.id], undefined).finally(() => {
          importing = false;
        });
        let live = 0;
        while (importing) {
          const { status } = await list.signup({ email: `live${live}@example.com`, referredBy: email(live) });
          assert.equal(status, 201);
          live += 1;
          await sleep(10);
        }
        const { result } = await imported;
        assert.equal(result?.created, 4_995);
        assert.equal((await list.page()).body.total, 4_995 + live);
        assert.deepEqual((await auditQueue(service.context, await list.queue(), false)).findings, []);
      } finally {
        await service.close();
      }
    });
  });
});

/** Everybody once, in the order of joining, with their time and their referrer; counters and credits agree. */
async function checkEntries({ context }: Service, queue: Queue, good: number[], rows: number): Promise<void> {
  const found = await context.db.query
    .selectFrom('entry')
    .select(['seq', 'email_hash', 'created_at', 'referrer_seq', 'credited'])
    .where('queue_id', '=', queue.id)
    .orderBy('seq')
    .execute();
  assert.equal(found.length, good.length);
  const seqOf = new Map(good.map((at, index) => [at, index + 1]));
  good.forEach((at, index) => {
    const row = found[index];
    const referrer = referrerOf(at, rows);
    const referrerSeq = referrer === undefined || referrer === at ? null : (seqOf.get(referrer) ?? null);
    const right =
      row?.seq === index + 1 &&
      row.created_at === FIRST_DAY + at * 1000 &&
      queue.vault.hash('email', email(at)).equals(row.email_hash ?? Buffer.alloc(0)) &&
      row.referrer_seq === referrerSeq &&
      row.credited === (referrerSeq === null ? 0 : 1);
    if (!right) assert.fail(`row ${at} became ${JSON.stringify({ ...row, email_hash: undefined })}`);
  });
  assert.deepEqual((await auditQueue(context, queue, false)).findings, []);
  assert.deepEqual(await context.db.query.selectFrom('import_link').selectAll().execute(), []);
}
