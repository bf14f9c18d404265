import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Engine } from '../../src/db/database.ts';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { forEachEngine, type Service, startService } from '../support/harness.ts';
import {
  email,
  FIRST_DAY,
  isBad,
  type Load,
  referrerOf,
  runImport,
  writePeople,
} from '../support/imported-people.ts';
import { seededRandom } from '../support/random.ts';
import { seedFor } from '../support/seed.ts';

const LOADS: Record<Engine, Load & { kills: number }> = {
  sqlite: { rows: 30_000, kills: 6, reversed: false },
  postgres: { rows: 8_000, kills: 4, reversed: true },
};

/** A file of this size takes a while, and a busy machine makes it several times as long. */
const TIMEOUT_MS = 300_000;

forEachEngine('kills', (engine) => {
  describe('an import that is killed again and again', () => {
    it('loses nothing and duplicates nothing once resumed', { timeout: TIMEOUT_MS }, async (test) => {
      const load = LOADS[engine];
      const file = await writePeople(load);
      const service = await startService(engine);
      try {
        const list = await service.waitlist();
        const queue = await list.queue();
        const random = seededRandom(seedFor(test, import.meta.filename));
        const words = [file, '--waitlist', list.id];
        let jobId = '';
        for (let kill = 0; kill < load.kills - 1; kill += 1) {
          const target = Math.floor((load.rows * (kill + random())) / (load.kills + 1));
          const resumed = kill === 0 ? words : [...words, '--resume', jobId];
          const run = await runImport(service, queue, resumed, ({ rows }) => rows > target);
          assert.equal(run.result, undefined, `killed too late: kill ${kill + 1}`);
          jobId ||= run.jobId;
        }
        assert.match(jobId, /^job_/);
        const resume = [...words, '--resume', jobId];
        let { result } = await runImport(service, queue, resume, ({ linkedUpTo }) => linkedUpTo > 0);
        if (!result) ({ result } = await runImport(service, queue, resume));

        const good = Array.from({ length: load.rows }, (_, at) => at).filter((at) => !isBad(at));
        const failed = load.rows - good.length;
        const { rows, created, skipped } = result ?? {};
        assert.deepEqual({ rows, created, skipped }, { rows: load.rows, created: good.length, skipped: 0 });
        assert.equal(result?.failed, failed);
        const told = readFileSync(`${file}.errors.jsonl`, 'utf8').trim().split('\n');
        assert.equal(new Set(told.map((line) => JSON.parse(line).line)).size, failed);
        assert.equal(told.length, failed);
        await checkEntries(service, queue, good, load.rows);
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
  assert.deepEqual((await recountQueue(context, queue, false)).findings, []);
  assert.deepEqual(await context.db.query.selectFrom('import_link').selectAll().execute(), []);
}
