import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { afterTest } from '../support/cleanup.ts';
import { crowdEmail, fillQueue } from '../support/crowd.ts';
import { forEachEngine, type Service, startService } from '../support/harness.ts';
import { runCommand, startCommand } from '../support/process.ts';
import { seededRandom } from '../support/random.ts';
import { seedFor } from '../support/seed.ts';
import { createStorage, type Storage } from '../support/storage.ts';

/** A run of this size takes a while, and a busy machine makes it several times as long. */
const TIMEOUT_MS = 300_000;

forEachEngine('kills', (engine) => {
  const invites = engine === 'sqlite' ? 15_000 : 6_000;
  const kills = 3;
  let storage: Storage;
  let service: Service;
  before(async () => {
    storage = await createStorage(engine, { migrated: true });
    service = await startService(engine, { storage, startAt: Date.now() });
  });
  after(async () => {
    await service.close();
    await storage.remove();
  });

  it(`inviting ${invites} people, killed ${kills} times and resumed, skips nobody and invites nobody twice`, {
    timeout: TIMEOUT_MS,
  }, async (test) => {
    const random = seededRandom(seedFor(test, import.meta.filename));
    const { context } = service;
    const list = await service.waitlist();
    const queue = await list.queue();
    await fillQueue(context, queue, Math.ceil(invites * 1.12), (n) => ({
      ...(n % 13 === 5 ? { phone: `+1415${1_000_000 + n}` } : { email: crowdEmail(n) }),
      ...(n > 50 && n % 7 === 0 ? { referrer: { kind: 'email', key: crowdEmail(Math.floor(n / 3)) } } : {}),
    }));
    const expected = await waitingWithEmail(service, queue, invites);
    assert.equal(expected.length, invites);

    for (let kill = 0; kill < kills; kill += 1) {
      const words = kill === 0 ? ['invite', 'first', String(invites)] : ['invite', 'resume'];
      const { child, finished } = startCommand(storage.environment, ...words, '--waitlist', list.id);
      afterTest(() => child.kill('SIGKILL'));
      const target = Math.floor((invites * (kill + random())) / (kills + 2));
      while (child.exitCode === null && (await progressOf(service, queue)) < target) await setTimeout(2);
      await setTimeout(random() * 30);
      child.kill('SIGKILL');
      await finished;
      const { made, people } = await countInvites(service, queue);
      assert.ok(made >= target && made < invites, `${made} after kill ${kill + 1}`);
      assert.equal(people, made);
      assert.equal(await progressOf(service, queue), made, 'the progress is that of the last commit');
      assert.equal((await list.page({ status: 'invited', limit: 1 })).body.total, made);
    }

    const resume = () => runCommand(storage.environment, 'invite', 'resume', '--waitlist', list.id);
    const ends = await Promise.all([resume(), resume()]);
    for (const { code, stdout, stderr } of ends) {
      if (code === 0) assert.match(stdout, new RegExp(`^Invited ${invites} people\\.`));
      else assert.match(stderr, /there is no unfinished job|another process is working on this job/);
    }
    assert.ok(ends.some(({ code }) => code === 0));
    assert.deepEqual(await countInvites(service, queue), { made: invites, people: invites });
    const invited = await context.db.query
      .selectFrom('entry')
      .select('seq')
      .where('queue_id', '=', queue.id)
      .where('status', '=', 'invited')
      .execute();
    assert.deepEqual(new Set(invited.map(({ seq }) => seq)), new Set(expected));
    assert.deepEqual((await recountQueue(context, queue, false)).findings, []);
    const again = await resume();
    assert.equal(again.code, 1);
  });
});

async function waitingWithEmail({ context }: Service, queue: Queue, limit: number): Promise<number[]> {
  const rows = await context.db.query
    .selectFrom('entry')
    .select('seq')
    .where('queue_id', '=', queue.id)
    .where('status', '=', 'waiting')
    .where('email_hash', 'is not', null)
    .orderBy('rank')
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ seq }) => seq);
}

async function countInvites({ context }: Service, queue: Queue): Promise<{ made: number; people: number }> {
  const { count } = context.db.query.fn;
  return context.db.query
    .selectFrom('invite')
    .select([count<number>('id').as('made'), count<number>('email_hash').distinct().as('people')])
    .where('queue_id', '=', queue.id)
    .executeTakeFirstOrThrow();
}

/** -1 before the run has begun. */
async function progressOf({ context }: Service, queue: Queue): Promise<number> {
  const row = await context.db.query
    .selectFrom('job')
    .select('progress')
    .where('queue_id', '=', queue.id)
    .executeTakeFirst();
  return row ? (JSON.parse(row.progress) as { invited: number }).invited : -1;
}
