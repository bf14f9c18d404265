import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { afterTest } from '../support/cleanup.ts';
import { freePort } from '../support/free-port.ts';
import { forEachEngine, type List, startService } from '../support/harness.ts';
import { runCommand, startProcess } from '../support/process.ts';
import { createStorage } from '../support/storage.ts';
import { clientsOfThreads } from '../support/thread-clients.ts';
import { signup, startThreaded, THREADS, type ThreadedServer } from '../support/threaded-server.ts';
import { until } from '../support/webhooks.ts';

const CONNECTIONS = 4;

/** Signups on every thread until the server ends. Returns the emails that it has acknowledged. */
async function signUpUntilTheEnd(site: ThreadedServer, end: () => void): Promise<string[]> {
  const more = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => clientsOfThreads(site.server.url, THREADS)),
  );
  const clients = more.flat();
  afterTest(() => clients.forEach((client) => void client.close()));
  const acknowledged: string[] = [];
  const running = clients.map(async (client, at) => {
    for (let n = 0; ; n += 1) {
      const email = `${at}-${n}@example.com`;
      const answer = await signup(client, site, email).catch(() => undefined);
      if (answer?.status !== 201) return;
      acknowledged.push(email);
    }
  });
  await until('each has some', () => acknowledged.length >= 10 * clients.length);
  end();
  await Promise.all(running);
  return acknowledged;
}

async function assertAllThere(site: ThreadedServer, acknowledged: string[]): Promise<void> {
  const service = await startService(site.storage.engine, { storage: site.storage });
  afterTest(service.close);
  const list: List = service.existing({ id: site.waitlistId, key: site.key, keyId: '' });
  const entries = await list.walk({ limit: 100 });
  const found = new Set(entries.map(({ email }) => email));
  assert.deepEqual(
    acknowledged.filter((email) => !found.has(email)),
    [],
  );
  assert.equal(found.size, entries.length);
  assert.deepEqual(
    entries.map(({ position }) => position),
    entries.map((_, at) => at + 1),
  );
}

forEachEngine('kills', (engine) => {
  describe('a server with four threads that ends', () => {
    it('by SIGTERM under load loses nothing that it has acknowledged, and ends with 0', async () => {
      const site = await startThreaded(engine);
      const acknowledged = await signUpUntilTheEnd(site, () => site.server.child.kill('SIGTERM'));
      const { code, stderr } = await site.server.finished;
      assert.deepEqual([code, stderr], [0, '']);
      await assertAllThere(site, acknowledged);
    });

    it('by SIGKILL under load loses nothing that it has acknowledged', async () => {
      const site = await startThreaded(engine);
      const acknowledged = await signUpUntilTheEnd(site, () => site.server.child.kill('SIGKILL'));
      await site.server.finished;
      await assertAllThere(site, acknowledged);
    });

    it('because one of them failed says so, and ends with 1', async () => {
      const failing = `data:text/javascript,${encodeURIComponent(FAIL_WHEN_ASKED)}`;
      const site = await startThreaded(engine, { NODE_OPTIONS: `--import ${failing}` });
      for (const client of site.clients) {
        const answered = await client.request('GET', '/healthz?fail').catch(() => undefined);
        if (answered === undefined) break;
      }
      const { code, stdout, stderr } = await site.server.finished;
      assert.equal(code, 1);
      assert.match(stdout, /"msg":"a thread that answers requests failed, so the server ends"/);
      assert.match(stderr, /Error: asked to fail/);
    });
  });
});

/** Loaded by each thread of the server. The main one is still busy with messages when the other has ended. */
const FAIL_WHEN_ASKED = `
import { subscribe } from 'node:diagnostics_channel';
import { isMainThread, parentPort } from 'node:worker_threads';
const messages = new Array(200).fill({});
const fail = () => {
  for (const message of messages) parentPort.postMessage(message);
  throw new Error('asked to fail');
};
const beBusy = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
if (isMainThread) process.on('worker', (worker) => worker.on('message', beBusy));
else subscribe('http.server.request.start', ({ request }) => {
  if (request.url === '/healthz?fail') setImmediate(fail);
});`;

describe('a second server', () => {
  it('on the port of one with several threads is refused, with any number of its own', async () => {
    const port = String(await freePort());
    const storage = await createStorage('sqlite', { migrated: true });
    afterTest(storage.remove);
    const first = await startProcess({ ...storage.environment, PORT: port, DOORLIST_WORKERS: '2' });
    afterTest(() => first.stop('SIGKILL'));
    for (const workers of ['1', '2']) {
      const other = await createStorage('sqlite', { migrated: true });
      afterTest(other.remove);
      const environment = { ...other.environment, PORT: port, DOORLIST_WORKERS: workers };
      const { code, stderr } = await runCommand(environment, 'serve');
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`${port}.*in use`));
    }
    assert.equal((await first.stop()).code, 0);
  });

  it('on the data of one with several threads is refused', async () => {
    const { storage } = await startThreaded('sqlite');
    const { code, stderr } = await runCommand(
      { ...storage.environment, PORT: '0', DOORLIST_WORKERS: '2' },
      'serve',
    );
    assert.equal(code, 75);
    assert.match(stderr, /another Doorlist server is already running/);
  });
});
