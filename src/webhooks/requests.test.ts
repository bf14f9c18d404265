import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { allowList } from '../lib/addresses.ts';
import { createGuard } from './guard.ts';
import { guardedGet } from './requests.ts';

describe('a guarded GET', () => {
  const server = createServer(({ url }, response) => {
    if (url === '/text') response.end('certificate');
    else if (url === '/long') response.end('x'.repeat(64 * 1024 + 1));
    else response.writeHead(302, { location: '/text' }).end();
  });
  const open = (...allowed: string[]) => guardedGet({ guard: createGuard(allowList(allowed)) });
  let at: (path: string) => URL;
  before(async () => {
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    at = (path) => new URL(path, `http://127.0.0.1:${port}`);
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  it('reads a short text, and follows no redirect', async (test) => {
    const web = open('127.0.0.1');
    test.after(() => web.close());
    assert.equal((await web.get(at('/text'))).toString(), 'certificate');
    await assert.rejects(web.get(at('/elsewhere')), /it answered 302/);
    await assert.rejects(web.get(at('/long')), /too long/);
  });

  it('reaches only what webhooks may reach', async (test) => {
    const web = open();
    test.after(() => web.close());
    await assert.rejects(web.get(at('/text')), { name: 'RefusedTarget' });
  });
});
