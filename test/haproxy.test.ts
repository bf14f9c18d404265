import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { afterTest } from './support/cleanup.ts';
import { freePort } from './support/free-port.ts';
import { findProgram, without } from './support/programs.ts';
import { until } from './support/webhooks.ts';

const FILE = path.join(import.meta.dirname, '../deploy/compose/haproxy.cfg');

/** With other addresses, and health checks so rare that they notice nothing. */
async function startProxy(ports: readonly [number, number]): Promise<string> {
  const port = await freePort();
  const text = readFileSync(FILE, 'utf8')
    .replace('bind :3000', `bind 127.0.0.1:${port}`)
    .replace('doorlist-1:3000', `127.0.0.1:${ports[0]}`)
    .replace('doorlist-2:3000', `127.0.0.1:${ports[1]}`)
    .replace('inter 2s', 'inter 1h')
    .replace(' resolvers docker init-addr none', '')
    .replace(/^resolvers docker\n.*\n/m, '');
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-haproxy-'));
  afterTest(() => rmSync(directory, { recursive: true, force: true }));
  const config = path.join(directory, 'haproxy.cfg');
  writeFileSync(config, text);
  const child = spawn(findProgram('HAProxy') ?? '', ['-db', '-f', config], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  afterTest(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  await until('HAProxy listens', () =>
    fetch(url, { headers: { connection: 'close' } }).then(
      () => true,
      () => false,
    ),
  );
  return url;
}

/** Counts what arrives. `cutsOff` ends the connection instead of answering. */
async function startInstance() {
  const instance = { arrived: 0, cutsOff: false };
  const server = createServer((request, response) => {
    if (request.url === '/readyz') return response.end();
    instance.arrived += 1;
    if (instance.cutsOff) return request.socket.destroy();
    return response.setHeader('connection', 'close').end('ok');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  afterTest(async () => {
    if (server.listening) await close();
  });
  return Object.assign(instance, { port: (server.address() as AddressInfo).port, close });
}

describe('the configuration of HAProxy', { skip: without('HAProxy') }, () => {
  it('is valid', () => {
    execFileSync(findProgram('HAProxy') ?? '', ['-c', '-f', FILE], { stdio: 'pipe' });
  });

  it('sends what did not reach a killed instance to the other one, before any health check notices', async () => {
    const [one, two] = [await startInstance(), await startInstance()];
    const url = await startProxy([one.port, two.port]);
    await one.close();
    for (let n = 0; n < 20; n += 1) {
      const answer = await fetch(url, { method: n % 2 === 0 ? 'POST' : 'GET' });
      assert.equal(answer.status, 200, await answer.text());
    }
    await two.close();
    const answer = await fetch(url, { method: 'POST' });
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('content-type'), 'application/json');
    assert.equal(answer.headers.get('retry-after'), '1');
    const { code } = (await answer.json()) as { code: string };
    assert.equal(code, 'unavailable');
  });

  it('sends what was cut off again only if it just reads', async () => {
    const [one, two] = [await startInstance(), await startInstance()];
    const url = await startProxy([one.port, two.port]);
    one.cutsOff = true;
    two.cutsOff = true;
    one.arrived = 0;
    two.arrived = 0;
    const written = await fetch(url, { method: 'POST', body: 'x', headers: { connection: 'close' } });
    assert.equal(written.status, 502);
    assert.equal(((await written.json()) as { code: string }).code, 'unavailable');
    assert.equal(one.arrived + two.arrived, 1);
    await fetch(url, { headers: { connection: 'close' } });
    assert.ok(one.arrived + two.arrived > 2);
  });
});
