import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { afterTest } from '../support/cleanup.ts';
import { clientFor, eventually, forEachEngine } from '../support/harness.ts';
import { OWNER } from '../support/operators.ts';
import { openStream } from '../support/stream.ts';
import { signup, startThreaded, THREADS, tokenFor } from '../support/threaded-server.ts';

/** As many as one caller may have. */
const STREAMS = 20;

forEachEngine((engine) => {
  describe('with four threads, limits hold for the whole server:', () => {
    it('a rate limit is exact', async () => {
      const limit = 60;
      const site = await startThreaded(engine, { DOORLIST_RATE_LIMIT_INVITE_CHECK: String(limit) });
      const ask = async (client: (typeof site.clients)[number]) => {
        const statuses: number[] = [];
        for (let i = 0; i < limit; i += 1)
          statuses.push((await client.request('GET', '/sdk/v1/waitlist/invites/unknown')).status);
        return statuses;
      };
      const statuses = (await Promise.all(site.clients.map(ask))).flat();
      assert.equal(statuses.filter((status) => status !== 429).length, limit);
    });

    it('guesses of a password are slowed down together', async () => {
      const site = await startThreaded(engine, { DOORLIST_RATE_LIMIT_SIGN_IN: '0' });
      const { request } = clientFor(site.server.url);
      const token = /\/setup\/([\w-]{43})/.exec(site.server.output())?.[1];
      const headers = { 'sec-fetch-site': 'same-origin' };
      const owned = await request('POST', '/admin/v1/setup', { headers, body: { token, ...OWNER } });
      assert.equal(owned.status, 201, owned.text);
      const body = { email: OWNER.email, password: 'a wrong password' };
      const guess = async (client: (typeof site.clients)[number]) => {
        const statuses: number[] = [];
        for (let i = 0; i < 6; i += 1)
          statuses.push((await client.request('POST', '/admin/v1/session', { headers, body })).status);
        return statuses;
      };
      const statuses = (await Promise.all(site.clients.map(guess))).flat();
      // Five are free. Each further one takes twice as long: another five take half a minute.
      const compared = statuses.filter((status) => status === 401).length;
      assert.ok(compared >= 5 && compared <= 10, statuses.join(' '));
      assert.deepEqual(new Set(statuses), new Set([401, 429]));
    });

    it('a caller has so many streams, and each that ends makes room', async () => {
      const site = await startThreaded(engine);
      const token = await tokenFor(site.storage, 'viewer');
      const url = `${site.server.url}/admin/v1/stream`;
      const open = () => openStream(url, { authorization: `Bearer ${token}` });
      const streams = await Promise.all(Array.from({ length: STREAMS }, open));
      afterTest(() => streams.forEach((stream) => void stream.close()));
      const refused = () =>
        Promise.all(
          site.clients.map(
            async (client) => (await client.request('GET', '/admin/v1/stream', { key: token })).status,
          ),
        );
      assert.deepEqual(await refused(), [429, 429, 429, 429]);
      for (const stream of streams.splice(0, 1)) stream.close();
      streams.push(await eventually(() => open().catch(() => undefined), Boolean).then(required));
      assert.deepEqual(await refused(), [429, 429, 429, 429]);
    });
  });
});

function required<T>(value: T | undefined): T {
  assert.ok(value);
  return value;
}

describe('with four threads on PostgreSQL', () => {
  it('a server has no more connections than its pool', async () => {
    const site = await startThreaded('postgres', { DOORLIST_DATABASE_POOL: '8' });
    await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        signup(site.clients[at % THREADS] as (typeof site.clients)[number], site, `${at}@example.com`),
      ),
    );
    const client = new pg.Client({ connectionString: site.storage.environment.DATABASE_URL });
    await client.connect();
    afterTest(() => client.end());
    const { rows } = await client.query<{ count: number }>(
      "select count(*)::int as count from pg_stat_activity where datname = current_database() and application_name = 'doorlist'",
    );
    const count = rows[0]?.count ?? 0;
    assert.ok(count >= THREADS && count <= 8, String(count));
  });
});
