import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { forEachEngine, startService } from '../support/harness.ts';
import { email, runImport, writePeople } from '../support/imported-people.ts';

forEachEngine('concurrency', (engine) => {
  describe('an import next to a running server', () => {
    it('does not block signups, and keeps the queue consistent', async () => {
      const file = await writePeople({ rows: 5_000, reversed: engine === 'postgres' });
      const service = await startService(engine);
      try {
        const list = await service.waitlist();
        let importing = true;
        const imported = runImport(service, await list.queue(), [file, '--waitlist', list.id]).finally(() => {
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
        assert.deepEqual((await recountQueue(service.context, await list.queue(), false)).findings, []);
      } finally {
        await service.close();
      }
    });
  });
});
