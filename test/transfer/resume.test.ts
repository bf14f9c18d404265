import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Engine } from '../../src/db/database.ts';
import type { Queue } from '../../src/waitlist/queue/directory.ts';
import { auditQueue } from '../../src/waitlist/upkeep/audit.ts';
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

const LOADS: Record<Engine, Load & { kills: number; killWithinMs: number }> = {
  sqlite: { rows: 200_000, kills: 6, killWithinMs: 2_500, reversed: false },
  postgres: { rows: 8_000, kills: 4, killWithinMs: 800, reversed: true },
};

/** A file of this size takes a while, and a busy machine makes it several times as long. */
const TIMEOUT_MS = 300_000;

/** A small generator whose numbers are the same in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

forEachEngine((engine) => {
  describe('an import that is killed again and again', () => {
    it('loses nothing and duplicates nothing once resumed', { timeout: TIMEOUT_MS }, async () => {
      const load = LOADS[engine];
      const file = await writePeople(load);
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
