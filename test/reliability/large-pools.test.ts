import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { warnOfLargePools } from '../../src/installation/wait-for-database.ts';
import { startService } from '../support/harness.ts';

describe('the pools of all instances', () => {
  it('are compared with what PostgreSQL allows when an instance starts', async () => {
    const service = await startService('postgres', { environment: { DOORLIST_DATABASE_POOL: '4' } });
    const { context, config } = service;
    const limit = (most: number) =>
      sql
        .raw(
          `do $$ begin execute format('alter database %I connection limit ${most}', current_database()); end $$`,
        )
        .execute(context.db.query);
    const warnings = () =>
      service.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg.includes('more connections than'));
    try {
      await limit(5);
      await warnOfLargePools(context, config);
      assert.deepEqual(warnings(), [], 'one instance fits');
      const end = await context.db.listen(() => {}); // As an instance that is there already.
      await warnOfLargePools(context, config);
      await end();
      const [{ instances, needed, limit: allowed, level }] = warnings();
      assert.deepEqual([instances, needed, allowed, level], [2, 10, 5, 'warn']);
      await limit(-1);
      assert.ok(((await context.db.connectionLimit()) ?? 0) > 5);
    } finally {
      await service.close();
    }
  });
});
