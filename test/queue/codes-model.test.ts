import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createCode, readCode, updateCode } from '../../src/waitlist/codes/change-codes.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { removeEntry, restoreEntry } from '../../src/waitlist/invites/removal.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { afterTest } from '../support/cleanup.ts';
import { clientFor, forEachEngine, listOver, type Service, startService } from '../support/harness.ts';
import { startProcess } from '../support/process.ts';
import { assertProperty } from '../support/property.ts';
import { createStorage } from '../support/storage.ts';

const DAY_MS = 86_400_000;
const PEOPLE = 6;
const emailOf = (who: number) => `p${who}@example.com`;

const who = fc.nat({ max: PEOPLE - 1 });
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constant('accept' as const), who, at: fc.nat({ max: 1 }) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('remove' as const), who }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('restore' as const), who }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('erase' as const), who, never: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('wait' as const), ms: fc.constantFrom(1, DAY_MS) }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('limit' as const), to: fc.integer({ min: 1, max: 4 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** What a code should have counted, in the plainest way. */
class Model {
  limit = 2;
  now = 0;
  /** Who joined with the code, and when. `counted`: their place is taken. */
  readonly joined = new Map<number, { at: number; counted: boolean; isRemoved: boolean }>();
  /** Places of people who were erased too late to get them back. */
  lost = 0;

  get used(): number {
    return this.lost + [...this.joined.values()].filter(({ counted }) => counted).length;
  }

  /** Whether it works. */
  run(step: Step): boolean {
    if (step.does === 'wait') this.now += step.ms;
    if (step.does === 'wait') return true;
    if (step.does === 'limit') {
      if (step.to < this.used) return false;
      this.limit = step.to;
      return true;
    }
    const one = this.joined.get(step.who);
    const isEarly = one !== undefined && this.now - one.at < DAY_MS;
    switch (step.does) {
      case 'accept':
        if (one || this.used >= this.limit) return false;
        this.joined.set(step.who, { at: this.now, counted: true, isRemoved: false });
        return true;
      case 'remove':
        if (!one || one.isRemoved) return false;
        Object.assign(one, { isRemoved: true, counted: one.counted && !isEarly });
        return true;
      case 'restore':
        if (!one?.isRemoved || (!one.counted && this.used >= this.limit)) return false;
        Object.assign(one, { isRemoved: false, counted: true });
        return true;
      case 'erase':
        if (!one) return false;
        if (one.counted && !isEarly) this.lost += 1;
        this.joined.delete(step.who);
        return true;
    }
  }
}

forEachEngine('concurrency', (engine) => {
  describe('a code for many people', () => {
    it('counts as a plain model does, through joining, removing, restoring and erasing, on two instances', async (test) => {
      const storage = await createStorage(engine, { migrated: true });
      afterTest(() => storage.remove());
      const service = await startService(engine, { storage });
      const other = await startService(engine, { storage });
      afterTest(async () => {
        await service.close();
        await other.close();
      });
      const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) =>
        follow([service, other], steps),
      );
      await assertProperty(test, import.meta.filename, property, { numRuns: engine === 'sqlite' ? 25 : 12 });
    });
  });
});

async function follow(instances: readonly Service[], steps: readonly Step[]): Promise<void> {
  const [service] = instances as [Service];
  const { context } = service;
  const list = await service.waitlist();
  const queue = await list.queue();
  const { id, code } = await createCode(context, queue, { does: 'admit', limit: 2 });
  const ids = new Map<number, string>();
  const works = (work: Promise<unknown>) => work.then(() => true, refused);
  const model = new Model();
  for (const step of steps) {
    const did = await perform();
    assert.equal(did, model.run(step), JSON.stringify(step));
    assert.equal((await readCode(context, queue, id)).used, model.used, JSON.stringify(step));

    async function perform(): Promise<boolean> {
      if (step.does === 'wait') {
        for (const { clock } of instances) clock.advance(step.ms);
        return true;
      }
      if (step.does === 'limit') return works(updateCode(context, queue, id, { limit: step.to }));
      const email = emailOf(step.who);
      if (step.does === 'accept') {
        const { status } = await (instances[step.at] as Service).accept(code ?? '', { body: { email } });
        if (status === 200) ids.set(step.who, (await list.lookup(email)).body.id);
        return status === 200;
      }
      const entry = ids.get(step.who);
      if (entry === undefined) return false;
      if (step.does === 'remove') return works(removeEntry(context, queue, entry));
      if (step.does === 'restore') return works(restoreEntry(context, queue, entry));
      ids.delete(step.who);
      return works(eraseEntry(context, queue, entry, { neverJoined: step.never }));
    }
  }
  assert.deepEqual((await recountQueue(context, queue, false)).findings, []);
}

function refused(error: { code?: string }): boolean {
  assert.ok(['conflict', 'not_found', 'invalid_request'].includes(error.code ?? ''), String(error));
  return false;
}

interface Outcome {
  used: boolean;
  reason?: string;
}

const LIMIT = 60;
const AT_ONCE = 6;
const KILL_AFTER = 12;
const TIMEOUT_MS = 300_000;

forEachEngine('kills', (engine) => {
  it('a code for many people lets in exactly its limit, however often its servers are killed', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const storage = await createStorage(engine, { migrated: true });
    afterTest(() => storage.remove());
    const service = await startService(engine, { storage, startAt: Date.now() });
    afterTest(() => service.close());
    const { context } = service;
    const list = await service.waitlist();
    const queue = await list.queue();
    const { id, code } = await createCode(context, queue, { does: 'admit', limit: LIMIT });
    const accept = (url: string, who: number) =>
      clientFor(url)
        .accept(code ?? '', { body: { email: emailOf(who) }, headers: { 'idempotency-key': `k${who}` } })
        .then(({ status }) => status)
        .catch(() => undefined);
    const letIn = new Set<number>();
    const unanswered = new Set<number>();
    let next = 0;
    let refusals = 0;
    for (let kill = 0; letIn.size < LIMIT && refusals === 0; kill += 1) {
      const server = await startProcess(storage.environment);
      afterTest(() => server.child.kill('SIGKILL'));
      let answered = 0;
      const isUp = () => server.child.exitCode === null && server.child.signalCode === null;
      const send = async () => {
        while (isUp() && refusals === 0) {
          const [again] = unanswered;
          const one = again ?? next++;
          unanswered.delete(one);
          // The second instance is in this process, and is not killed.
          const status = await accept(one % 3 === 0 ? service.url : server.url, one);
          if (status === 200) letIn.add(one);
          else if (status === 409) refusals += 1;
          else unanswered.add(one);
          answered += 1;
          if (answered === KILL_AFTER && kill < 4) server.child.kill('SIGKILL');
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, send));
      server.child.kill('SIGKILL');
      await server.finished;
    }
    for (const one of unanswered) if ((await accept(service.url, one)) === 200) letIn.add(one);
    assert.equal(letIn.size, LIMIT);
    assert.equal((await readCode(context, queue, id)).used, LIMIT);
    const joined = await list.walk({ status: 'joined' });
    assert.deepEqual(
      new Set(joined.map(({ email }) => email)),
      new Set([...letIn].map((one) => emailOf(one))),
    );
    assert.deepEqual((await recountQueue(context, queue, false)).findings, []);
  });
});

const BATCH = 3;
const ADVANCED = 40;

forEachEngine('kills', (engine) => {
  it('a code that puts people further ahead counts exactly its limit, however often its servers are killed', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const storage = await createStorage(engine, { migrated: true });
    afterTest(() => storage.remove());
    const service = await startService(engine, { storage, startAt: Date.now() });
    afterTest(() => service.close());
    const { context } = service;
    const list = await service.waitlist();
    const queue = await list.queue();
    const { id, code } = await createCode(context, queue, {
      does: 'advance',
      places: ADVANCED,
      limit: LIMIT,
    });
    const emailsOf = (batch: number) => Array.from({ length: BATCH }, (_, n) => emailOf(BATCH * batch + n));
    const join = async (url: string, batch: number): Promise<Outcome[] | undefined> => {
      const entries = emailsOf(batch).map((email) => ({ email, code }));
      const { status, body } = await listOver(clientFor(url), list.id, list.key).signup(...entries);
      return status < 300 ? (body.codes as unknown as Outcome[]) : undefined;
    };
    const outcomes = new Map<string, Outcome>();
    const note = (batch: number, told: readonly Outcome[]) => {
      for (const [n, email] of emailsOf(batch).entries()) outcomes.set(email, told[n] as Outcome);
    };
    const unanswered = new Set<number>();
    let next = 0;
    let isUsedUp = false;
    for (let kill = 0; !isUsedUp; kill += 1) {
      const server = await startProcess(storage.environment);
      afterTest(() => server.child.kill('SIGKILL'));
      let answered = 0;
      const isUp = () => server.child.exitCode === null && server.child.signalCode === null;
      const send = async () => {
        while (isUp() && !isUsedUp) {
          const [again] = unanswered;
          const one = again ?? next++;
          unanswered.delete(one);
          // The second instance is in this process, and is not killed.
          const told = await join(one % 3 === 0 ? service.url : server.url, one).catch(() => undefined);
          if (told) note(one, told);
          else unanswered.add(one);
          if (told?.some(({ reason }) => reason === 'accepted')) isUsedUp = true;
          answered += 1;
          if (answered === KILL_AFTER / 2 && kill < 4) server.child.kill('SIGKILL');
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, send));
      server.child.kill('SIGKILL');
      await server.finished;
    }
    for (const one of unanswered) note(one, (await join(service.url, one)) ?? []);
    assert.equal((await readCode(context, queue, id)).used, LIMIT);
    // Who was added before a lost answer, and after the code was used up, is told that they are on the list.
    const told = [...outcomes.values()];
    assert.equal(told.filter(({ used }) => used).length, LIMIT);
    assert.ok(told.every(({ used, reason = '' }) => used || ['accepted', 'on_waitlist'].includes(reason)));
    const rows = await context.db.query
      .selectFrom('entry')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('queue_id', '=', queue.id)
      .where('advanced', '=', ADVANCED)
      .executeTakeFirstOrThrow();
    assert.equal(Number(rows.count), LIMIT);
    assert.deepEqual((await recountQueue(context, queue, false)).findings, []);
  });
});
