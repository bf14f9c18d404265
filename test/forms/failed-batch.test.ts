import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { watchRejections } from '../../src/server/process-events.ts';
import { openForm } from '../support/forms.ts';
import { assertError, forEachEngine, type Service, startService } from '../support/harness.ts';

forEachEngine('bulk', (engine) => {
  describe('a form whose statements fail together', () => {
    let service: Service;
    const unhandled: unknown[] = [];
    let endWatch = () => {};
    before(async () => {
      service = await startService(engine);
      const { log, meter } = service.context;
      endWatch = watchRejections(log, { ...meter, unhandledRejection: () => unhandled.push('counted') });
    });
    after(async () => {
      endWatch();
      await service.close();
    });

    const rename = (from: string, to: string) =>
      sql`alter table ${sql.ref(from)} rename to ${sql.ref(to)}`.execute(service.context.db.query);

    // PostgreSQL answers those that were sent behind the one that fails with its error, too.
    for (const table of ['form_mail', 'form_visit'])
      it(`gets its error alone, if it is the one that reads ${table}`, async () => {
        const form = await openForm(service);
        await rename(table, 'away');
        try {
          const posts = ['ada@example.com', 'grace@example.com'].map((email) => form.join({ email }));
          for (const answer of await Promise.all(posts))
            assertError(
              answer,
              500,
              'internal_error',
              'something went wrong on our side; find the request id in the log for details',
            );
        } finally {
          await rename('away', table);
        }
        await new Promise((resolve) => setImmediate(resolve));
        assert.deepEqual(unhandled, []);
        assert.equal((await form.list.page()).body.total, 0);
        const { status, body } = await form.join({ email: 'ada@example.com' });
        assert.deepEqual([status, body.state], [200, 'joined']);
      });
  });
});
