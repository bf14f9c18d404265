import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startBalancer } from '../support/balancer.ts';
import { afterTest } from '../support/cleanup.ts';
import { freePort } from '../support/free-port.ts';
import { clientFor, listOver } from '../support/harness.ts';
import { type RunningProcess, startProcess } from '../support/process.ts';
import { createStorage, type Storage } from '../support/storage.ts';
import { jsonOf } from '../support/terminal.ts';
import { until } from '../support/webhooks.ts';

const RESTARTS = 10;

describe('rolling restarts of two servers behind a load balancer that follows /readyz', () => {
  let storage: Storage;
  let ports: number[];
  let servers: RunningProcess[];
  let balancer: Awaited<ReturnType<typeof startBalancer>>;
  let stopTraffic: () => Promise<{ sent: number; failed: string[] }>;

  const start = (port: number) =>
    startProcess({ ...storage.environment, PORT: String(port), DOORLIST_STOP_DELAY: '2s' });

  before(async () => {
    storage = await createStorage('postgres', { migrated: true });
    await jsonOf(storage.environment, 'migrate');
    await jsonOf(storage.environment, 'waitlist', 'create', 'wl_roll', '--name', 'Rolling');
    const { key } = await jsonOf<{ key: string }>(
      storage.environment,
      ...['key', 'create', '--waitlist', 'wl_roll', '--env', 'production', '--read'],
    );
    ports = [await freePort(), await freePort()];
    servers = await Promise.all(ports.map(start));
    balancer = await startBalancer(ports);
    await until('both are ready', () => ports.every(balancer.isReady));
    stopTraffic = sendAllTheTime(listOver(clientFor(balancer.url), 'wl_roll', key));
  });
  after(async () => {
    await stopTraffic();
    await balancer.close();
    await Promise.all(servers.map(({ stop }) => stop('SIGKILL')));
    await storage.remove();
  });

  for (let n = 0; n < RESTARTS; n += 1) {
    it(`restart ${n + 1}: ends with 0 and comes back`, async () => {
      const which = n % 2;
      const port = ports[which] as number;
      const stopped = await (servers[which] as RunningProcess).stop();
      assert.equal(stopped.code, 0, stopped.stderr);
      assert.match(stopped.stdout, /still serving until load balancers notice/);
      servers[which] = await start(port);
      await until('it is ready', () => balancer.isReady(port));
    });
  }

  it('no request failed', async () => {
    const { sent, failed } = await stopTraffic();
    assert.deepEqual(failed, []);
    assert.ok(sent > 10 * RESTARTS, `only ${sent} requests`);
  });
});

describe('a server that stops', () => {
  const started = async (environment: Record<string, string>) => {
    const storage = await createStorage('sqlite', { migrated: true });
    afterTest(storage.remove);
    const server = await startProcess({ ...storage.environment, ...environment });
    afterTest(() => server.stop('SIGKILL'));
    return server;
  };

  it('serves on, is not ready, and asks clients to connect elsewhere, while load balancers may not know it', async () => {
    const server = await started({ DOORLIST_STOP_DELAY: '10m' });
    const { request } = clientFor(server.url);
    assert.equal((await request('GET', '/readyz')).headers.get('connection'), 'keep-alive');
    server.child.kill('SIGTERM');
    await until('it is not ready', async () => (await request('GET', '/readyz')).status === 503);
    const alive = await request('GET', '/healthz');
    assert.deepEqual([alive.status, alive.headers.get('connection')], [200, 'close']);
    const served = await request('GET', '/openapi.json');
    assert.deepEqual([served.status, served.headers.get('connection')], [200, 'close']);
  });

  it('does not wait when nobody asks whether it is ready', async () => {
    const server = await started({ DOORLIST_STOP_DELAY: '10m' });
    assert.equal((await server.stop()).code, 0);
  });

  it('does not wait after Ctrl+C', async () => {
    const server = await started({ DOORLIST_STOP_DELAY: '10m' });
    assert.equal((await clientFor(server.url).request('GET', '/readyz')).status, 200);
    assert.equal((await server.stop('SIGINT')).code, 0);
  });
});

/** One request at a time from each of a few clients, until stopped. */
function sendAllTheTime(list: ReturnType<typeof listOver>) {
  const failed: string[] = [];
  let sent = 0;
  let stopping = false;
  const client = async (name: number) => {
    for (let n = 0; !stopping; n += 1) {
      sent += 1;
      const answer = await (n % 2 === 0
        ? list.signup({ email: `p${name}-${n}@example.com` })
        : list.page()
      ).catch((error: Error) => ({ status: 0, text: error.message }));
      if (answer.status !== 200 && answer.status !== 201) failed.push(`${answer.status} ${answer.text}`);
      await new Promise((resolve) => setTimeout(resolve, 100)); // The machine has other tests to run.
    }
  };
  const clients = [1, 2, 3].map(client);
  return async () => {
    stopping = true;
    await Promise.all(clients);
    return { sent, failed };
  };
}
