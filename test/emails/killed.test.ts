import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { forEachEngine } from '../support/harness.ts';
import { startMailServer } from '../support/mail-server.ts';
import { mailingList, startMailing } from '../support/mails.ts';
import { scriptOf } from '../support/program.ts';
import { seededRandom } from '../support/random.ts';
import { seedFor } from '../support/seed.ts';
import { createStorage } from '../support/storage.ts';
import { until } from '../support/webhooks.ts';

const PROCESS = scriptOf('outbox-process');
const PEOPLE = 60;
/** No attempt times out, even on a busy machine. */
const DEADLINE_MS = 20_000;
const LEASE_MS = 45_000;

forEachEngine('kills', (engine) => {
  describe('kill -9', () => {
    it('of the sending process loses no email', async (test) => {
      const random = seededRandom(seedFor(test, import.meta.filename));
      const some = 1 + Math.floor(random() * (PEOPLE / 2));
      const server = await startMailServer();
      const storage = await createStorage(engine, { migrated: true });
      const service = await startMailing(engine, undefined, { storage, startAt: Date.now() });
      await service.stopSending();
      const children: ChildProcess[] = [];
      const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
      const start = async () => {
        const environment = { DOORLIST_SMTP_URL: server.url, DOORLIST_MAIL_FROM: 'hello@acme.example' };
        const child = spawn(process.execPath, [PROCESS, 'dispatch', String(LEASE_MS), String(DEADLINE_MS)], {
          env: { PATH, NODE_COMPILE_CACHE, ...storage.environment, ...environment },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        children.push(child);
        await once(child.stdout as NodeJS.ReadableStream, 'data');
        return child;
      };
      try {
        const list = await mailingList(service, ['welcome']);
        const people = Array.from({ length: PEOPLE }, (_, index) => `p${index}@example.com`);
        await list.signup(...people.map((email) => ({ email })));
        const started = Promise.withResolvers<void>();
        server.hold = started.promise;
        const first = await start();
        server.refuseMail = () => {
          if (server.received.length >= some) first.kill('SIGKILL');
          return undefined;
        };
        started.resolve();
        await once(first, 'exit');
        assert.ok(server.received.length >= some);
        assert.ok(server.received.length < PEOPLE, 'it was killed in the middle');
        server.refuseMail = () => undefined;
        // Nobody has to wait for the rest of a lease whose holder is dead.
        await service.context.db.query
          .updateTable('delivery')
          .set({ due_at: 0 })
          .where('due_at', 'is not', null)
          .execute();
        await start();
        const arrived = () => new Set(server.received.flatMap(({ to }) => to));
        await until('all arrived', () => arrived().size === PEOPLE);
        assert.deepEqual([...arrived()].sort(), people.sort());
      } finally {
        for (const child of children) {
          if (child.exitCode !== null || child.signalCode !== null) continue;
          child.kill('SIGTERM');
          await once(child, 'exit');
        }
        await service.close();
        await storage.remove();
        await server.close();
      }
    });
  });
});
