import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { recountQueue } from '../src/waitlist/upkeep/recount-queue.ts';
import {
  type Client,
  clientFor,
  forEachEngine,
  type List,
  listOver,
  type Service,
  startService,
} from './support/harness.ts';
import { type RunningProcess, startProcess } from './support/process.ts';
import { seededRandom, shuffle } from './support/random.ts';
import { seedFor } from './support/seed.ts';
import { createStorage, type Storage } from './support/storage.ts';

const NO_LIMIT = { DOORLIST_RATE_LIMIT_INVITE_ACCEPT: '0', DOORLIST_LOG_LEVEL: 'error' };

function shuffling(test: TestContext): <T>(items: T[]) => T[] {
  const random = seededRandom(seedFor(test, import.meta.filename));
  return (items) => shuffle(items, random);
}

const countOf = (statuses: number[], status: number) => statuses.filter((each) => each === status).length;

forEachEngine('concurrency', (engine) => {
  describe('in one process', () => {
    let service: Service;
    before(async () => {
      service = await startService(engine);
    });
    after(() => service.close());
    describeRaces(() => ({ service, clients: [service] }));
  });

  describe('across two processes', () => {
    let storage: Storage;
    let processes: RunningProcess[];
    let service: Service;
    before(async () => {
      storage = await createStorage(engine, { migrated: true });
      service = await startService(engine, { storage });
      const start = () => startProcess({ ...storage.environment, ...NO_LIMIT });
      // SQLite has one server; its second process is this one, as a command would be.
      processes = await Promise.all(engine === 'sqlite' ? [start()] : [start(), start()]);
    });
    after(async () => {
      await Promise.all(processes.map((each) => each.stop()));
      await service.close();
      await storage.remove();
    });
    describeRaces(() => {
      const clients = processes.map(({ url }) => clientFor(url));
      return { service, clients: engine === 'sqlite' ? [service, ...clients] : clients };
    });

    it('keeps everything a killed process acknowledged, and a retry is safe', async () => {
      const list = await service.waitlist();
      if (engine === 'sqlite') await Promise.all(processes.splice(0).map((each) => each.stop()));
      const victim = await startProcess({ ...storage.environment, ...NO_LIMIT });
      const there = listOver(clientFor(victim.url), list.id, list.key);
      const people = Array.from({ length: 400 }, (_, i) => ({ email: `p${i}@example.com` }));
      const answered: string[] = [];
      const attempts = people.map(async (person, i) => {
        const answer = await there.signup(person).catch(() => undefined);
        if (answer?.status === 201) answered.push(person.email);
        if (i === 100) victim.child.kill('SIGKILL');
      });
      await Promise.all(attempts);
      await victim.finished;
      const kept = new Set((await list.walk({ limit: 200 })).map(({ email }) => email));
      for (const email of answered)
        assert.ok(kept.has(email), `${email} was answered with 201 and is not there`);
      for (let from = 0; from < people.length; from += 100)
        await list.signup(...people.slice(from, from + 100));
      await assertSound(service, list, people.length);
    });
  });
});

/** The positions are 1 to n without gap or tie, by every way to read them, and the counters are right. */
async function assertSound(service: Service, list: List, waiting: number): Promise<void> {
  const expected = Array.from({ length: waiting }, (_, i) => i + 1);
  const byPosition = await list.walk({ sort: 'position', limit: 200 });
  assert.deepEqual(
    byPosition.map(({ position }) => position),
    expected,
  );
  const looked = await Promise.all(byPosition.map(({ email, phone }) => list.lookup(email ?? phone ?? '')));
  assert.deepEqual(
    looked.map(({ body }) => body.position),
    expected,
  );
  const byJoin = await list.walk({ limit: 200 });
  const positions = byJoin.map(({ position }) => position).filter((position) => position !== null);
  assert.deepEqual(
    positions.sort((a, b) => a - b),
    expected,
  );
  assert.deepEqual((await recountQueue(service.context, await list.queue(), false)).findings, []);
}

function describeRaces(parts: () => { service: Service; clients: Client[] }): void {
  /** The nth request goes to the nth client, and then round again. */
  const spread = (list: List) => {
    const lists = parts().clients.map((client) => listOver(client, list.id, list.key));
    return (n: number) => lists[n % lists.length] ?? list;
  };

  it('lets exactly one of 100 parallel sign-ups through the gate, by code and by email', async () => {
    const { service, clients } = parts();
    const list = await service.waitlist();
    const gate = await list.gate();
    await list.signup({ email: 'a@example.com' });
    const { code } = await list.invite('a@example.com');
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        (clients[i % clients.length] ?? service).request<{ allow: boolean; reason?: string }>('POST', gate, {
          body: i % 3 === 0 ? { email: 'a@example.com', code } : { email: 'a@example.com' },
        }),
      ),
    );
    const outcomes = answers.map(({ body, text }) => (body.allow ? 'allowed' : (body.reason ?? text)));
    assert.deepEqual(outcomes.sort(), ['allowed', ...Array<string>(99).fill('already_used')]);
    await assertSound(service, list, 0);
  });

  it('lets exactly one of 100 parallel accepts of a code succeed', async () => {
    const { service, clients } = parts();
    const list = await service.waitlist();
    await list.signup({ email: 'a@example.com' });
    const { code } = await list.invite('a@example.com');
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => (clients[i % clients.length] ?? service).accept(code)),
    );
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual([countOf(statuses, 200), countOf(statuses, 409)], [1, 99]);
    assert.equal((await list.lookup('a@example.com')).body.status, 'joined');
    await assertSound(service, list, 0);
  });

  it('answers one of 50 parallel equal signups with 201 and 49 with 200', async () => {
    const list = await parts().service.waitlist();
    const at = spread(list);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        at(i).signup({ email: 'same@example.com', phone: '+14155550100' }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual([countOf(statuses, 201), countOf(statuses, 200)], [1, 49]);
    await assertSound(parts().service, list, 1);
  });

  it('creates 100 entries out of 16 overlapping shuffled batches of the same 100', async (test) => {
    const shuffled = shuffling(test);
    const list = await parts().service.waitlist();
    const at = spread(list);
    const people = Array.from({ length: 100 }, (_, i) => ({
      email: `p${i}@example.com`,
      phone: `+1415555${1000 + i}`,
      referredBy: `p${(i * 7) % 100}@example.com`,
    }));
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) => at(i).signup(...shuffled(people))),
    );
    for (const { status, text } of answers) assert.ok(status < 300, `${status} ${text}`);
    assert.equal(
      answers.reduce((sum, { body }) => sum + body.created, 0),
      100,
    );
    assert.equal(
      answers.reduce((sum, { body }) => sum + body.skipped, 0),
      1_500,
    );
    await assertSound(parts().service, list, 100);
  });

  it('keeps the queue sound while signups, referrals, invites, accepts and reads run against each other', async (test) => {
    const shuffled = shuffling(test);
    const { service, clients } = parts();
    const list = await service.waitlist();
    const at = spread(list);
    const person = (i: number) => `p${i}@example.com`;
    await list.signup(...Array.from({ length: 60 }, (_, i) => ({ email: person(i) })));
    const invites = await Promise.all(Array.from({ length: 20 }, (_, i) => list.invite(person(i))));
    const work: (() => Promise<{ status: number }>)[] = [
      ...Array.from(
        { length: 90 },
        (_, i) => () => at(i).signup({ email: person(60 + i), referredBy: person(i) }),
      ),
      ...invites.map(
        ({ code }, i) =>
          () =>
            (clients[i % clients.length] ?? service).accept(code),
      ),
      ...Array.from(
        { length: 20 },
        (_, i) => () => list.invite(person(40 + i)).then(() => ({ status: 200 })),
      ),
      ...Array.from({ length: 40 }, (_, i) => () => at(i).lookup(person(i))),
      ...Array.from({ length: 20 }, (_, i) => () => at(i).page({ sort: 'position', limit: 200 })),
    ];
    for (const { status } of await Promise.all(shuffled(work).map((start) => start())))
      assert.ok(status < 300, String(status));
    const totals = await Promise.all(['waiting', 'invited', 'joined'].map((status) => list.page({ status })));
    assert.deepEqual(
      totals.map(({ body }) => body.total),
      [110, 20, 20],
    );
    await assertSound(service, list, 110);
  });
}
