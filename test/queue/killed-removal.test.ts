import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { deleteWaitlist } from '../../src/waitlist/settings/delete-waitlist.ts';
import { afterTest } from '../support/cleanup.ts';
import { crowdEmail, fillQueue } from '../support/crowd.ts';
import { clientFor, forEachEngine, listOver, startService } from '../support/harness.ts';
import { startProcess } from '../support/process.ts';
import { createStorage } from '../support/storage.ts';

/** Many steps, so that a kill falls between the first and the last. */
const ENTRIES = 8_000;
const STEP = 500;
const TIMEOUT_MS = 300_000;

forEachEngine('kills', (engine) => {
  it('removing a deleted waitlist goes on after kill -9, and signups to others are served meanwhile', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const storage = await createStorage(engine, { migrated: true });
    afterTest(() => storage.remove());
    const service = await startService(engine, { storage, startAt: Date.now() });
    afterTest(() => service.close());
    const { context } = service;
    const [deleted, other] = [await service.waitlist(), await service.waitlist()];
    const queue = await deleted.queue();
    await fillQueue(context, queue, ENTRIES, (n) => ({ email: crowdEmail(n) }));
    await deleteWaitlist(context, deleted.id, deleted.id);
    const left = async () => {
      const { count } = await context.db.query
        .selectFrom('entry')
        .select((e) => e.fn.countAll<number>().as('count'))
        .where('queue_id', '=', queue.id)
        .executeTakeFirstOrThrow();
      return Number(count);
    };
    assert.equal(await left(), ENTRIES);

    let signups = 0;
    /** Serves signups to the other waitlist until so few rows are left. */
    const serveUntil = async (rows: number) => {
      const server = await startProcess(storage.environment);
      afterTest(() => server.child.kill('SIGKILL'));
      const list = listOver(clientFor(server.url), other.id, other.key);
      while ((await left()) > rows) {
        signups += 1;
        const { status, text } = await list.signup({ email: `new${signups}@example.com` });
        assert.equal(status, 201, text);
        await sleep(20);
      }
      return server;
    };
    const killed = await serveUntil(ENTRIES - STEP);
    await killed.stop('SIGKILL');
    const rows = await left();
    assert.ok(rows > 0 && rows % STEP === 0, `${rows} rows were left`);
    const finishing = await serveUntil(0);
    assert.equal((await finishing.stop()).code, 0);
    assert.equal((await other.page()).body.total, signups);
  });
});
