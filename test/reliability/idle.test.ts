import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { clientFor, eventually, listOver } from '../support/harness.ts';
import { commandJson, startProcess } from '../support/process.ts';
import { proxiedPostgres } from '../support/proxied.ts';
import { until } from '../support/webhooks.ts';

/** Far longer than the intervals at which a busy server looks for work, and far shorter than those of an idle one. */
const QUIET_MS = 12_000;

describe('an idle server on PostgreSQL', () => {
  it('leaves the database alone, and notices at once what a command leaves to do', async () => {
    const { storage, direct, proxy, close } = await proxiedPostgres();
    const server = await startProcess({ ...storage.environment, DOORLIST_LOG_LEVEL: 'error' });
    const listener = new pg.Client({ connectionString: direct.environment.DATABASE_URL });
    await listener.connect();
    try {
      await commandJson(direct.environment, 'waitlist', 'create', 'wl_idle', '--name', 'Idle');
      const { key } = await commandJson<{ key: string }>(
        direct.environment,
        ...['key', 'create', '--waitlist', 'wl_idle', '--env', 'production', '--read'],
      );
      const list = listOver(clientFor(server.url), 'wl_idle', key);
      assert.equal((await list.signup({ email: 'ada@example.com' })).status, 201);
      await until('the server is quiet', () => proxy.quietMs() > QUIET_MS);

      const notified: string[] = [];
      listener.on('notification', ({ channel }) => notified.push(channel));
      await listener.query('listen doorlist_outbox');
      await commandJson(direct.environment, 'waitlist', 'list');
      assert.deepEqual(notified, [], 'nothing changed');
      await commandJson(
        direct.environment,
        ...['invite', 'create', '--waitlist', 'wl_idle', '--email', 'ada@example.com', '--expires-in', '1s'],
      );
      await until('the notification', () => notified.length > 0);
      await until('the server looks', () => proxy.quietMs() < QUIET_MS);
      const { body } = await eventually(
        () => list.lookup('ada@example.com'),
        ({ body }) => body.status === 'waiting',
      );
      assert.equal(body.status, 'waiting', 'the invite has expired');
    } finally {
      await listener.end();
      await server.stop();
      await close();
    }
  });
});
