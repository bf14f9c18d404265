import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { afterTest } from '../support/cleanup.ts';
import { clientFor, forEachEngine, listOver } from '../support/harness.ts';
import { startReceiver } from '../support/receiver.ts';
import { openStream } from '../support/stream.ts';
import { jsonOf } from '../support/terminal.ts';
import { clientsOfThreads } from '../support/thread-clients.ts';
import { signup, startThreaded, THREADS, tokenFor } from '../support/threaded-server.ts';
import { LOOPBACK, until } from '../support/webhooks.ts';

const CONNECTIONS = 6;
const ROUNDS = 10;

forEachEngine((engine) => {
  describe('a server with four threads', () => {
    it('gives exact positions to signups on all of them, and counts them together', async () => {
      const site = await startThreaded(engine);
      const more = await Promise.all(
        Array.from({ length: CONNECTIONS - 1 }, () => clientsOfThreads(site.server.url, THREADS)),
      );
      const clients = [site.clients, ...more].flat();
      afterTest(() => clients.forEach((client) => void client.close()));
      // Each email is sent by two connections at about the same time, and once more with others.
      const answers = await Promise.all(
        clients.map(async (client, at) => {
          const own: Awaited<ReturnType<typeof signup>>[] = [];
          for (let round = 0; round < ROUNDS; round += 1) {
            const emails = [`${at >> 1}-${round}@example.com`, `both-${round}@example.com`];
            own.push(await signup(client, site, ...emails));
          }
          return own;
        }),
      );
      const people = (clients.length / 2) * ROUNDS + ROUNDS;
      for (const { status, text } of answers.flat()) assert.ok(status === 201 || status === 200, text);
      const created = answers.flat().reduce((sum, { body }) => sum + body.created, 0);
      assert.equal(created, people);
      const list = listOver(clientFor(site.server.url), site.waitlistId, site.key);
      const entries = await list.walk({ limit: 100 });
      assert.deepEqual(
        entries.map(({ position }) => position),
        Array.from({ length: people }, (_, at) => at + 1),
      );
      assert.equal(new Set(entries.map(({ email }) => email)).size, people);

      const token = await tokenFor(site.storage, 'viewer');
      for (const client of site.clients) {
        const { text } = await client.request('GET', '/metrics', { key: token });
        assert.match(text, new RegExp(`^doorlist_signups_total\\{result="created"\\} ${people}$`, 'm'));
        assert.equal(countedSignups(text), answers.flat().length);
        assert.match(text, /^doorlist_signup_backlog_entries 0$/m);
        assert.equal(text.match(/^process_start_time_seconds /gm)?.length, 1);
      }
    });

    it('sends the webhooks of signups on any of them', async () => {
      const receiver = await startReceiver();
      afterTest(receiver.close);
      const site = await startThreaded(engine, LOOPBACK);
      const words = ['webhook', 'create', '--url', receiver.url, '--waitlist', site.waitlistId];
      await jsonOf({ ...site.storage.environment, ...LOOPBACK }, ...words);
      for (const [at, client] of site.clients.entries()) {
        const { status, text } = await signup(client, site, `${at}@example.com`);
        assert.equal(status, 201, text);
        await until('the webhook has arrived', () => receiver.ids().size === at + 1);
      }
    });

    it('refuses a revoked key on each of them as soon as one has revoked it', async () => {
      const site = await startThreaded(engine);
      const token = await tokenFor(site.storage);
      const path = `/sdk/v1/waitlist/${site.waitlistId}/entries`;
      const statuses = () =>
        Promise.all(
          site.clients.map(async (client) => (await client.request('GET', path, { key: site.key })).status),
        );
      const [first] = site.clients;
      const keys = `/admin/v1/waitlists/${site.waitlistId}/keys`;
      const listed = await first?.request<{ keys: { id: string }[] }>('GET', keys, { key: token });
      assert.equal(listed?.status, 200, listed?.text);
      assert.deepEqual(await statuses(), [200, 200, 200, 200]);
      const revoked = await first?.request('DELETE', `${keys}/${listed?.body.keys[0]?.id}`, { key: token });
      assert.equal(revoked?.status, 200, revoked?.text);
      assert.deepEqual(await statuses(), [401, 401, 401, 401]);
    });

    it('shows a signup on any of them in the streams of each', async () => {
      const site = await startThreaded(engine);
      const token = await tokenFor(site.storage, 'viewer');
      const url = `${site.server.url}/admin/v1/stream?waitlist=${site.waitlistId}&environment=production`;
      const streams = await Promise.all(
        site.clients.map(({ agent }) => openStream(url, { authorization: `Bearer ${token}` }, agent)),
      );
      afterTest(() => streams.forEach((stream) => void stream.close()));
      const others = await clientsOfThreads(site.server.url, THREADS);
      afterTest(() => others.forEach((client) => void client.close()));
      for (const [at, client] of others.entries()) await signup(client, site, `${at}@example.com`);
      for (const stream of streams) {
        let total = 0;
        while (total < THREADS) {
          const counters = (await stream.next('counters')) as { signups: number };
          total = counters.signups;
        }
        assert.equal(total, THREADS);
      }
    });

    it('writes whole lines to its log, of all threads', async () => {
      const site = await startThreaded(engine, { DOORLIST_LOG_REQUESTS: 'all' });
      for (const client of site.clients) await client.request('GET', '/openapi.json');
      const { code, stdout } = await site.server.stop();
      assert.equal(code, 0);
      const lines = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { route?: string; requestId?: string });
      const threads = lines
        .filter(({ route }) => route === '/openapi.json')
        .map(({ requestId }) => requestId?.slice(0, 22));
      assert.deepEqual(new Set(threads), new Set(site.clients.map(({ name }) => name)));
    });
  });
});

/** Requests, whatever they were answered with. */
function countedSignups(metrics: string): number {
  const line = /^doorlist_http_requests_total\{route="\/sdk\/v1\/waitlist\/signup",.*\} (\d+)$/gm;
  return [...metrics.matchAll(line)].reduce((sum, [, count]) => sum + Number(count), 0);
}
