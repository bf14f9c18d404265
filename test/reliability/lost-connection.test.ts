import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { CITUS_URL } from '../support/citus.ts';
import { afterTest } from '../support/cleanup.ts';
import { startService } from '../support/harness.ts';
import { until } from '../support/webhooks.ts';

const WAITING = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

const ON_CITUS = CITUS_URL !== undefined && 'the queue is locked on a worker';

describe('a connection to PostgreSQL that is lost while a signup waits for its queue', {
  skip: ON_CITUS,
}, () => {
  it('fails or repeats the signup, and nothing else: no promise is left without a handler', async () => {
    const service = await startService('postgres');
    afterTest(service.close);
    const list = await service.waitlist();
    await list.signup({ email: 'ada@example.com' });
    const holder = new pg.Client({ connectionString: service.storage.environment.DATABASE_URL });
    await holder.connect();
    afterTest(() => holder.end());
    await holder.query('begin');
    await holder.query('select from queue_state where queue_id = $1 for update', [(await list.queue()).id]);
    const signingUp = list.signup({ email: 'ben@example.com', referredBy: 'ada@example.com' });
    const observer = new pg.Client({ connectionString: service.storage.environment.DATABASE_URL });
    await observer.connect();
    afterTest(() => observer.end());
    await until('it waits', async () => (await observer.query(`select 1 ${WAITING}`)).rows.length > 0);
    await observer.query(`select pg_terminate_backend(pid) ${WAITING}`);
    await holder.query('commit');
    assert.ok([201, 503].includes((await signingUp).status));
    const again = await list.signup({ email: 'ben@example.com', referredBy: 'ada@example.com' });
    assert.ok([200, 201].includes(again.status), again.text);
    assert.equal((await list.page()).body.entries.length, 2);
  });
});
