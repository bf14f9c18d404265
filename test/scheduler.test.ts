import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { type ScheduledTask, startScheduler } from '../src/db/scheduler.ts';
import { createWaitlist } from '../src/waitlist/settings/waitlists.ts';
import { afterTest } from './support/cleanup.ts';
import { startFakePooler } from './support/fake-pooler.ts';
import { forEachEngine, type Service, startService } from './support/harness.ts';
import { createStorage, unique } from './support/storage.ts';
import { until } from './support/webhooks.ts';

const NOTHING = () => sql<number | null>`null`;

forEachEngine('time', (engine) => {
  describe('the scheduler of background work', () => {
    let service: Service;
    before(async () => {
      service = await startService(engine);
    });
    after(() => service.close());

    const start = (...tasks: ScheduledTask[]) => {
      const scheduler = startScheduler(service.context, tasks);
      afterTest(scheduler.close);
    };
    const change = () => createWaitlist(service.context, { id: unique('wl_'), name: 'Acme' });
    const counting = (task: Partial<ScheduledTask> = {}) => {
      const counted = { name: 'counting', everyMs: 1, runs: 0, run: () => {}, ...task };
      counted.run = () => {
        counted.runs += 1;
      };
      return counted;
    };

    it('never runs a task twice at the same time, and runs the others meanwhile', async () => {
      let end = () => {};
      let runs = 0;
      const slow: ScheduledTask = {
        name: 'slow',
        everyMs: 1,
        afterChanges: true,
        run: () => {
          runs += 1;
          return new Promise<void>((resolve) => {
            end = resolve;
          });
        },
      };
      const other = counting({ afterChanges: true });
      start(slow, other);
      afterTest(() => end());
      await until('the first run', () => runs === 1 && other.runs === 1);
      for (const more of [2, 3]) {
        await change();
        await until('another run', () => other.runs >= more);
      }
      assert.equal(runs, 1);
      await change();
      end();
      await until('the run after the changes', () => runs === 2);
      end();
    });

    it('runs a task at the time that is known, and not before', async () => {
      const due = service.clock.now + 60_000;
      const task = counting({ dueAt: () => sql<number | null>`${sql.lit(due)}` });
      const other = counting({ afterChanges: true });
      start(task, other);
      await until('a look', () => other.runs === 1);
      assert.equal(task.runs, 0);
      service.clock.advance(60_000);
      await change();
      await until('the run', () => task.runs > 0);
    });

    it('notices what another process has changed', async () => {
      const other = await startService(engine, { storage: service.storage });
      afterTest(other.close);
      const task = counting({ afterChanges: true, dueAt: NOTHING });
      start(task);
      await until('the first run', () => task.runs === 1);
      await createWaitlist(other.context, { id: unique('wl_'), name: 'Acme' });
      await other.context.db.notify();
      await until('the next run', () => task.runs >= 2);
    });

    it('does not take reads and readiness checks for changes', async () => {
      let changes = 0;
      const end = service.context.db.onChange(() => {
        changes += 1;
      });
      afterTest(() => void end());
      await change();
      await until('the change', () => changes > 0);
      const before = changes;
      assert.equal((await service.request('GET', '/readyz')).status, 200);
      const { db } = service.context;
      await db.query.selectFrom('waitlist').select('id').execute();
      await db.transaction((trx) => trx.selectFrom('waitlist').select('id').execute());
      await db.transaction((trx) => trx.deleteFrom('job').where('kind', '=', 'none').execute());
      assert.equal(changes, before);
      await change();
      await until('another change', () => changes > before);
    });

    it('reports a task that fails, and goes on', async () => {
      let runs = 0;
      start({
        name: 'stumbling',
        everyMs: 1,
        dueAt: () => sql<number | null>`0`,
        run: async () => {
          runs += 1;
          if (runs === 1) throw new Error('stumbled');
        },
      });
      await until('the second run', () => runs >= 2);
      assert.match(service.log.join(''), /"reason":"stumbled","msg":"stumbling: failing"/);
    });

    if (engine === 'sqlite') return; // It needs no connection to listen.

    it('says what is wrong with DATABASE_LISTEN_URL', async () => {
      const DATABASE_LISTEN_URL = 'postgres://me:hunter2@db.invalid/list';
      const deaf = await startService(engine, { environment: { DATABASE_LISTEN_URL } });
      afterTest(deaf.close);
      const scheduler = startScheduler(deaf.context, []);
      afterTest(scheduler.close);
      await until('the line', () => /"msg":"notifications: unavailable"/.test(deaf.log.join('')));
      assert.match(deaf.log.join(''), /PostgreSQL host db\.invalid .*in DATABASE_LISTEN_URL\./);
      assert.doesNotMatch(deaf.log.join(''), /hunter2/);
    });

    it('says that notifications do not pass through the pooler that DATABASE_LISTEN_URL names', async () => {
      const storage = await createStorage(engine, { migrated: true });
      afterTest(storage.remove);
      const pooler = await startFakePooler(storage.environment.DATABASE_URL ?? '');
      afterTest(pooler.close);
      const environment = { DATABASE_LISTEN_URL: pooler.url };
      const deaf = await startService(engine, { storage, environment });
      afterTest(deaf.close);
      const scheduler = startScheduler(deaf.context, []);
      afterTest(scheduler.close);
      await until('the line', () => /"msg":"notifications: unavailable"/.test(deaf.log.join('')));
      assert.match(
        deaf.log.join(''),
        /"reason":"DATABASE_LISTEN_URL leads to a pooler, .* Point it at the PostgreSQL server itself\."/,
      );
    });
  });
});
