import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { CITUS_URL } from '../support/citus.ts';
import { afterTest } from '../support/cleanup.ts';
import { startService } from '../support/harness.ts';
import { until } from '../support/webhooks.ts';

const END_ALL = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1';

describe('a PostgreSQL that lets a running server in no longer', {
  skip: CITUS_URL !== undefined && 'the tests share its database',
}, () => {
  it('is unavailable, not a bug, and is used again once it lets the server in', async () => {
    const service = await startService('postgres');
    afterTest(service.close);
    const list = await service.waitlist();
    const url = new URL(service.storage.environment.DATABASE_URL ?? '');
    const name = url.pathname.slice(1);
    url.pathname = '/postgres';
    const admin = new pg.Client({ connectionString: url.href });
    await admin.connect();
    afterTest(() => admin.end());
    const isRefused = async () => {
      const answer = await list.signup({ email: 'ada@example.com' });
      assert.deepEqual(
        [answer.status, (answer.body as { code?: string }).code],
        [503, 'unavailable'],
        answer.text,
      );
      assert.ok(answer.headers.get('retry-after'));
    };

    await admin.query(`alter database ${name} with allow_connections false`);
    await admin.query(END_ALL, [name]);
    await isRefused();
    await isRefused();
    assert.equal((await service.request('GET', '/readyz')).status, 503);

    await until('nobody uses the database', async () => {
      await admin.query(END_ALL, [name]);
      return (
        (await admin.query('select 1 from pg_stat_activity where datname = $1', [name])).rows.length === 0
      );
    });
    await admin.query(`alter database ${name} rename to ${name}_away`);
    await isRefused();
    assert.doesNotMatch(service.log.join(''), /"stack"/);
    assert.match(service.log.join(''), /not currently accepting connections/);

    await admin.query(`alter database ${name}_away rename to ${name}`);
    await admin.query(`alter database ${name} with allow_connections true`);
    assert.equal((await list.signup({ email: 'ada@example.com' })).status, 201);
  });
});
