import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { it } from 'node:test';
import { openWaitingRoom } from './waiting-room.ts';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

it('the waiting room is alive to every way of asking that the server knows, and not ready', async () => {
  const port = await freePort();
  const room = await openWaitingRoom({ host: '127.0.0.1', port }, '/waitlist');
  const ask = async (method: string, path: string) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { method })).status;
  try {
    for (const path of ['/healthz', '/healthz?from=monitor', '/waitlist/healthz'])
      for (const method of ['GET', 'HEAD']) assert.equal(await ask(method, path), 200, `${method} ${path}`);
    assert.equal(await ask('POST', '/healthz'), 503);
    for (const path of ['/readyz', '/waitlist/readyz', '/healthz/', '/other/healthz'])
      assert.equal(await ask('GET', path), 503, path);
  } finally {
    await room.close();
  }
});
