import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { openContext } from '../../src/installation/open.ts';
import { formatId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/log.ts';
import { newSharedMemory, sharedCounts } from '../../src/lib/shared-counts.ts';
import type { Target } from '../../src/outbox/target.ts';
import { startRequestThreads } from '../../src/server/request-threads.ts';
import { listEndpoints } from '../../src/webhooks/endpoints.ts';
import { afterTest } from '../support/cleanup.ts';
import { freePort } from '../support/free-port.ts';
import { forEachEngine, startService } from '../support/harness.ts';
import { startReceiver } from '../support/receiver.ts';
import { endpointFor, LOOPBACK, until } from '../support/webhooks.ts';

const NO_BUILD = { problem: undefined, building: false };
const passwords = { hash: async () => '', verify: async () => false };

forEachEngine('notifications', (engine) => {
  describe('a thread that has committed a signup', () => {
    it('tells the main thread what there is to deliver, which need not look for it', async () => {
      const service = await startService(engine, { environment: LOOPBACK });
      afterTest(service.close);
      const list = await service.waitlist();
      const receiver = await startReceiver();
      afterTest(receiver.close);
      await endpointFor(service.context, await list.queue(), receiver.url);
      const [endpoint] = await listEndpoints(service.context, await list.queue());

      // Only this thread listens, and nothing is sent: whatever arrives here was told by the other one.
      const woken: Target[] = [];
      let changes = 0;
      const { port, main } = await startOtherThread(service.storage.environment, {
        wake: (targets) => woken.push(...targets),
        noteChange: () => {
          changes += 1;
        },
      });
      afterTest(main.close);
      const answer = await fetch(`http://127.0.0.1:${port}/sdk/v1/waitlist/signup`, {
        method: 'POST',
        headers: { authorization: `Bearer ${list.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ waitlistId: list.id, entries: [{ email: 'ada@example.com' }] }),
      });
      assert.equal(answer.status, 201);
      await until('it is told', () => woken.length > 0 && changes > 0);
      const [target] = woken;
      assert.equal(target?.channel, 'webhook');
      assert.equal(formatId('whe', target?.id ?? Buffer.alloc(0)), endpoint?.id);
    });
  });
});

interface Told {
  wake(targets: readonly Target[]): void;
  noteChange(): void;
}

/** One further thread that answers requests. This one only directs it. */
async function startOtherThread(environment: Record<string, string>, { wake, noteChange }: Told) {
  const config = readConfig({ ...environment, DOORLIST_LOG_LEVEL: 'silent' });
  const log = createLogger('silent');
  const memory = newSharedMemory();
  const context = await openContext(config, log, Date.now, { counts: sharedCounts(memory) });
  const connections = { pool: 2, replica: 1 };
  const data = { config, limits: undefined, connections, memory, script: process.argv[1] };
  const threads = startRequestThreads([data], log);
  const told = {
    ...context,
    db: { ...context.db, noteChange },
    wakeUps: { ...context.wakeUps, send: wake },
  };
  const metrics = { contentType: '', read: async () => '' };
  await threads.open({ context: told, metrics, passwords, tracer: undefined }, NO_BUILD);
  const port = await freePort();
  await threads.listen({ host: '127.0.0.1', port });
  const close = async () => {
    await threads.close();
    await context.db.close();
  };
  return { port, main: { close } };
}
