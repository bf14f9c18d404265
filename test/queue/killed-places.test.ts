import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import { importFile } from '../../src/waitlist/transfer/import/import-start.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { afterTest } from '../support/cleanup.ts';
import { crowdEmail, fillQueue } from '../support/crowd.ts';
import { forEachEngine, type Service, startService } from '../support/harness.ts';
import { runCommand, startCommand } from '../support/process.ts';
import { seededRandom } from '../support/random.ts';
import { seedFor } from '../support/seed.ts';
import { createStorage, type Storage } from '../support/storage.ts';

const TIMEOUT_MS = 300_000;
const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-places-'));
after(() => rmSync(directory, { recursive: true, force: true }));

forEachEngine('kills', (engine) => {
  const first = 100;
  const imported = 1_500;
  const later = 9_000;
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

  const stateOf = (queue: Queue) =>
    service.context.db.query
      .selectFrom('queue_state')
      .select(['close_after', 'closed', 'undone', 'last_seq'])
      .where('queue_id', '=', queue.id)
      .executeTakeFirstOrThrow();
  const orderOf = async (queue: Queue) => {
    const rows = await service.context.db.query
      .selectFrom('entry')
      .select(['seq', 'rank'])
      .where('queue_id', '=', queue.id)
      .orderBy('rank')
      .orderBy('seq', 'desc')
      .execute();
    return rows.map(({ seq }) => seq);
  };

  it(`closing up the places of ${imported} people before ${later}, killed ${kills} times beside signups, is exact`, {
    timeout: TIMEOUT_MS,
  }, async (test) => {
    const random = seededRandom(seedFor(test, import.meta.filename));
    const { context } = service;
    const list = await service.waitlist();
    const queue = await list.queue();
    await fillQueue(context, queue, first, (n) => ({ email: crowdEmail(n) }));
    const file = path.join(directory, `${engine}.csv`);
    const people = Array.from({ length: imported }, (_, i) => `imported${i}@example.com`);
    writeFileSync(file, ['email', ...people].join('\n'));
    const jobId = (await importFile(context, queue, file, {})).jobId ?? '';
    await fillQueue(context, queue, later, (n) => ({ email: `later-${crowdEmail(n)}` }));
    const before = (await orderOf(queue)).filter((seq) => seq <= first || seq > first + imported);

    let signups = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      const { child, finished } = startCommand(
        storage.environment,
        'import',
        'undo',
        jobId,
        '--waitlist',
        list.id,
      );
      afterTest(() => child.kill('SIGKILL'));
      const { close_after: from } = await stateOf(queue);
      const isBegun = async () => {
        const { close_after: at, undone } = await stateOf(queue);
        return undone === imported && at !== from && (at === null || at > first + imported);
      };
      while (child.exitCode === null && !(await isBegun())) await setTimeout(1);
      if (kill > 0) await setTimeout(random() * 20);
      child.kill('SIGKILL');
      await finished;
      signups += 1;
      await list.signup({ email: `signup${kill}@example.com` });
      const order = await orderOf(queue);
      assert.deepEqual(order.slice(0, before.length), before, 'nobody passed anybody');
      assert.deepEqual((await recountQueue(context, queue, false)).findings, []);
    }

    await runCommand(storage.environment, 'import', 'undo', jobId, '--waitlist', list.id);
    const { code } = await runCommand(storage.environment, 'doctor', '--queue', list.id);
    assert.equal(typeof code, 'number');
    const { close_after, closed, undone, last_seq } = await stateOf(queue);
    assert.deepEqual([close_after, closed, undone], [null, imported, imported]);
    assert.equal(last_seq, first + imported + later + signups);
    await list.signup({ email: 'last@example.com' });
    await list.signup({ email: 'friend@example.com', referredBy: 'last@example.com' });
    const { position } = (await list.lookup('last@example.com')).body;
    assert.equal(position, first + later + signups + 1 - 5);
    assert.deepEqual((await recountQueue(context, queue, false)).findings, []);
  });
});
