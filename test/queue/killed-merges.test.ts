import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { afterTest } from '../support/cleanup.ts';
import { clientFor, forEachEngine, type Service, startService } from '../support/harness.ts';
import { adminToken } from '../support/operators.ts';
import { startProcess } from '../support/process.ts';
import { seededRandom } from '../support/random.ts';
import { seedFor } from '../support/seed.ts';
import { createStorage, type Storage } from '../support/storage.ts';

const TIMEOUT_MS = 300_000;
const PAIRS = 60;
const KILLS = 3;

forEachEngine('kills', (engine) => {
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

  it(`merging ${PAIRS} pairs by servers that are killed ${KILLS} times makes one of each, and keeps all referrals`, {
    timeout: TIMEOUT_MS,
  }, async (test) => {
    const random = seededRandom(seedFor(test, import.meta.filename));
    const { context } = service;
    const list = await service.waitlist();
    const key = await adminToken(service, 'support');
    const nameOf = (n: number, domain: string) => `twin${n}@example.${domain}`;
    const numbers = Array.from({ length: PAIRS }, (_, n) => n);
    for (const domain of ['com', 'org'])
      await list.signup(...numbers.map((n) => ({ email: nameOf(n, domain) })));
    for (const domain of ['com', 'org'])
      await list.signup(
        ...numbers.map((n) => ({ email: `${domain}${n}@example.com`, referredBy: nameOf(n, domain) })),
      );
    const idOf = new Map((await list.walk()).map(({ id, email }) => [email, id]));
    const open = new Set(numbers);

    /** Two servers merge the same pairs at the same time, where the engine allows two. */
    for (let kill = 0; open.size > 0; kill += 1) {
      const count = engine === 'postgres' ? 2 : 1;
      const servers = await Promise.all(
        Array.from({ length: count }, () => startProcess(storage.environment)),
      );
      for (const { child } of servers) afterTest(() => child.kill('SIGKILL'));
      const merging = servers.map(async ({ url }) => {
        const client = clientFor(url);
        for (const n of [...open]) {
          const path = `/admin/v1/waitlists/${list.id}/entries/${idOf.get(nameOf(n, 'org'))}/merge`;
          const body = { into: idOf.get(nameOf(n, 'com')) };
          const { status } = await client.request('POST', path, { key, body });
          assert.ok([200, 404].includes(status), `a pair is merged once: ${status}`);
          open.delete(n);
        }
      });
      const ended = Promise.all(merging.map((work) => work.catch((error: Error) => error)));
      if (kill < KILLS) {
        await sleep(20 + random() * 150);
        for (const server of servers) await server.stop('SIGKILL');
      }
      const outcomes = await ended;
      for (const server of servers) if (kill >= KILLS) await server.stop();
      const queue = await list.queue();
      assert.deepEqual((await recountQueue(context, queue, false)).findings, []);
      assert.ok(
        outcomes.every((outcome) => !(outcome instanceof assert.AssertionError)),
        String(outcomes),
      );
    }

    const entries = await list.walk();
    assert.equal(entries.length, 3 * PAIRS);
    for (const n of numbers) {
      const merged = entries.find(({ email }) => email === nameOf(n, 'com'));
      assert.equal(merged?.referrals, 2, `twin ${n}`);
    }
    const records = await context.db.query
      .selectFrom('audit')
      .select('seq')
      .where('action', '=', 'entry.merged')
      .execute();
    assert.equal(records.length, PAIRS, 'each merge is recorded once');
  });
});
