import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { STATUSES } from '../../src/db/tables.ts';
import { DoorlistError } from '../../src/lib/errors.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { listInvites } from '../../src/waitlist/invites/browse-invites.ts';
import { createInvite } from '../../src/waitlist/invites/create-invites.ts';
import { revokeInvite } from '../../src/waitlist/invites/end-invites.ts';
import { startInviteRun } from '../../src/waitlist/invites/invite-run.ts';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { forEachEngine, type List, listOver, type Service, startService } from '../support/harness.ts';
import { seededRandom } from '../support/random.ts';
import { listen } from '../support/recorded-events.ts';
import { seedFor } from '../support/seed.ts';
import { createStorage, type Storage } from '../support/storage.ts';

const CLIENTS = 64;
const ROUNDS = 14;
const PEOPLE = 300;
const BOOST_AFTER = 9;

forEachEngine('concurrency', (engine) => {
  let storage: Storage;
  let services: Service[];
  before(async () => {
    storage = await createStorage(engine, { migrated: true });
    const instances = engine === 'postgres' ? 2 : 1;
    services = [];
    for (let n = 0; n < instances; n += 1) services.push(await startService(engine, { storage }));
  });
  after(async () => {
    for (const service of services) await service.close();
    await storage.remove();
  });

  it(`nothing fails and every position is right while ${CLIENTS} clients sign up, refer, remove, invite, accept and revoke`, async (test) => {
    const seed = seedFor(test, import.meta.filename);
    const [first] = services as [Service];
    const list = await first.waitlist();
    const queues = new Map<Service, Queue>();
    for (const service of services) {
      const queue = await service.context.registry.queue(list.id, 'production');
      assert.ok(queue);
      queues.set(service, queue);
    }
    await listen(first.context, await list.queue());
    await list.signup(...Array.from({ length: 60 }, (_, n) => ({ email: emailOf(n) })));
    const codes: string[] = [];
    const tried = new Map<string, number>();

    const client = async (number: number) => {
      const random = seededRandom(seed + number);
      const among = (most: number) => Math.floor(random() * most);
      for (let round = 0; round < ROUNDS; round += 1) {
        const service = services[among(services.length)] ?? first;
        const queue = queues.get(service) as Queue;
        const mine = listOver(service, list.id, list.key);
        const dice = random();
        const email = emailOf(among(PEOPLE));
        const act = async (what: string, work: () => Promise<{ status: number } | undefined>) => {
          tried.set(what, (tried.get(what) ?? 0) + 1);
          const answer = await work();
          if (answer) assert.ok(answer.status < 500, `${what} was answered with ${answer.status}`);
        };
        if (dice < 0.45) {
          await act('signup', () =>
            mine.signup(
              { email, referredBy: emailOf(among(PEOPLE)) },
              { email: emailOf(among(PEOPLE)), phone: `+1415555${1000 + among(PEOPLE)}` },
            ),
          );
        } else if (dice < 0.57) {
          await act('remove', () => expected(eraseEntry(service.context, queue, email)));
        } else if (dice < 0.72) {
          await act('invite', () =>
            expected(
              createInvite(service.context, queue, { email }).then(({ code }) => {
                codes.push(code);
              }),
            ),
          );
        } else if (dice < 0.74) {
          await act('invite first', () =>
            expected(startInviteRun(service.context, queue, { first: 3 }, undefined)),
          );
        } else if (dice < 0.84) {
          const code = codes[among(codes.length)];
          if (code) await act('accept', () => service.accept(code));
        } else if (dice < 0.94) {
          const code = codes[among(codes.length)];
          if (code) await act('revoke', () => expected(revokeInvite(service.context, code)));
        } else {
          await act('page', () => mine.page({ sort: 'position', limit: 20 }));
        }
        if (number === 0 && round === 5)
          await updateWaitlist(service.context, list.id, { boost: BOOST_AFTER });
        if (number === 1 && round > 5) await keepUp(service.context);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
    assert.equal(tried.size, 7, 'every kind of thing was done');
    await keepUp(first.context);

    for (const service of services) {
      const queue = queues.get(service) as Queue;
      assert.deepEqual((await recountQueue(service.context, queue, false)).findings, []);
      assert.doesNotMatch(service.log.join(''), /"level":50/);
    }
    await assertFromScratch(list, BOOST_AFTER);
    const live = (await listInvites(first.context, await list.queue(), { limit: 1_000 }))
      .filter(({ state }) => state === 'live')
      .map(({ email }) => email);
    for (const { email } of await list.walk({ status: 'invited', limit: 200 }))
      assert.ok(live.includes(email), `${email} is invited without an invite`);
  });
});

const emailOf = (n: number) => `p${n}@example.com`;

/** What the domain may refuse because somebody else was first. */
async function expected(work: Promise<unknown>): Promise<undefined> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof DoorlistError) || error.code === 'unavailable') throw error;
  }
}

/** Positions, referrals and totals as they follow from the entries alone. */
async function assertFromScratch(list: List, boost: number): Promise<void> {
  const entries = (await list.walk({ limit: 200 })).map((entry, index) => ({ ...entry, seq: index + 1 }));
  const credits = new Map<string, number>();
  for (const { referredBy } of entries)
    if (referredBy !== null) credits.set(referredBy, (credits.get(referredBy) ?? 0) + 1);
  for (const { status, email, referrals } of entries)
    if (status !== 'removed' && email !== null) assert.equal(referrals, credits.get(email) ?? 0, email);
  const order = entries
    .filter(({ status }) => status === 'waiting')
    .sort((a, b) => a.seq - boost * a.referrals - (b.seq - boost * b.referrals) || b.seq - a.seq);
  assert.ok(order.length > 50);
  assert.deepEqual(
    order.map(({ position }) => position),
    order.map((_, index) => index + 1),
  );
  const ranked = await list.walk({ sort: 'position', limit: 200 });
  assert.deepEqual(
    ranked.map(({ id, position }) => [id, position]),
    order.map(({ id, position }) => [id, position]),
  );
  for (const status of STATUSES) {
    const count = entries.filter((entry) => entry.status === status).length;
    assert.equal((await list.page({ status, limit: 1 })).body.total, count, status);
  }
}
