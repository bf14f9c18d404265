import assert from 'node:assert/strict';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { allowList } from '../../src/lib/addresses.ts';
import { createGuard } from '../../src/webhooks/guard.ts';
import { createSender } from '../../src/webhooks/send.ts';
import { CERTIFICATE, PRIVATE_KEY } from '../support/certificate.ts';
import { afterTest } from '../support/cleanup.ts';
import { startReceiver, status } from '../support/receiver.ts';

/** For those who do not answer in time. */
const DEADLINE_MS = 700;
/** The client's own limit is five minutes. A busy machine can be late by seconds. */
const HANGING_MS = 30_000;
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n';

/** Speaks to whoever connects as it is told, which need not be HTTP. */
async function startSocket(speak: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => speak(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function drip(socket: Socket, start: string): void {
  socket.write(start);
  const timer = setInterval(() => socket.write('x'), 50);
  socket.on('close', () => clearInterval(timer));
}

describe('a receiver that', () => {
  const guard = createGuard(allowList(['127.0.0.1']));
  const sender = createSender(guard, { deadlineMs: HANGING_MS });
  const hasty = createSender(guard, { deadlineMs: DEADLINE_MS });
  after(() => Promise.all([sender.close(), hasty.close()]));
  const post = (url: string, via = sender) =>
    via.send({ url, headers: {}, keys: [], id: 'evt_x', body: '{"a":1}' }, Date.now());
  const expectFailure = async (speak: (socket: Socket) => void, words: RegExp, via = sender) => {
    const server = await startSocket(speak);
    afterTest(server.close);
    const attempt = await post(server.url, via);
    assert.equal(attempt.ok, false);
    assert.match(attempt.error ?? '', words);
    assert.ok(attempt.durationMs < HANGING_MS, `took ${attempt.durationMs} ms`);
  };

  it('resets the connection', () => expectFailure((socket) => socket.resetAndDestroy(), /reset|closed/));
  it('hangs up', () => expectFailure((socket) => socket.end(), /closed/));
  it('never responds', () => expectFailure(() => {}, /^no answer within 0.7 s$/, hasty));
  it('sends its headers too slowly', () =>
    expectFailure((socket) => drip(socket, `${HEAD}x-slow: `), /^no answer/, hasty));
  it('speaks another protocol', () =>
    expectFailure((socket) => socket.end('SSH-2.0-OpenSSH\r\n\r\n'), /not valid HTTP/));
  it('contradicts itself about its length', () =>
    expectFailure(
      (socket) => socket.end(`${HEAD}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
      /not valid HTTP/,
    ));
  it('does not speak TLS', async () => {
    const server = await startSocket((socket) => socket.end(`${HEAD}\r\n`));
    afterTest(server.close);
    const { error } = await post(server.url.replace('http:', 'https:'));
    assert.match(error ?? '', /^the TLS connection failed \(/);
  });
  it('has endless headers', () =>
    expectFailure((socket) => socket.write(`${HEAD}x: ${'y'.repeat(200_000)}\r\n\r\n`), /too large/));

  it('refuses connections', async () => {
    const server = await startSocket(() => {});
    server.close();
    assert.match((await post(server.url)).error ?? '', /refused/);
  });

  it('answers 2xx and then sends its body slowly counts as success, within the deadline', async () => {
    const server = await startSocket((socket) => drip(socket, `${HEAD}content-length: 100000\r\n\r\n`));
    afterTest(server.close);
    const patient = createSender(guard, { deadlineMs: 3_000 }); // Its headers must arrive in this time.
    afterTest(patient.close);
    const attempt = await post(server.url, patient);
    assert.equal(attempt.ok, true);
    assert.match(attempt.response ?? '', /^x+$/);
    assert.ok(attempt.durationMs < HANGING_MS);
  });

  it('answers 64 MB is read no further than 16 KiB', async () => {
    const size = 64 * 1024 * 1024;
    let socket: Socket | undefined;
    const server = await startSocket((one) => {
      socket = one;
      one.write(`${HEAD}content-length: ${size}\r\n\r\n`);
      const chunk = Buffer.alloc(64 * 1024, 'a');
      const more = () => {
        while (!one.destroyed && one.write(chunk));
      };
      one.on('drain', more);
      more();
    });
    afterTest(server.close);
    const attempt = await post(server.url);
    assert.equal(attempt.ok, true);
    assert.equal(attempt.response, 'a'.repeat(16 * 1024));
    await new Promise((resolve) => (socket?.destroyed ? resolve(0) : socket?.once('close', resolve)));
    assert.ok((socket?.bytesWritten ?? size) < size / 4, `${socket?.bytesWritten} bytes were taken`);
  });

  it('answers with a compression bomb has nothing decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));
    const receiver = await startReceiver((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bomb.length });
      response.end(bomb);
    });
    afterTest(receiver.close);
    const attempt = await post(receiver.url);
    assert.equal(attempt.ok, true);
    assert.ok(Buffer.byteLength(attempt.response ?? '') <= 3 * bomb.length);
  });

  it('answers anything but 2xx has not accepted the delivery', async () => {
    const receiver = await startReceiver();
    afterTest(receiver.close);
    for (const code of [200, 201, 202, 204, 299]) {
      receiver.answer = status(code);
      assert.equal((await post(receiver.url)).ok, true, String(code));
    }
    for (const code of [300, 304, 400, 401, 404, 410, 429, 500, 503, 599]) {
      receiver.answer = status(code);
      const attempt = await post(receiver.url);
      assert.deepEqual([attempt.ok, attempt.status], [false, code]);
    }
  });

  it('is behind a configured proxy is reached through it', async () => {
    const proxy = await startReceiver();
    afterTest(proxy.close);
    const allowed = createGuard(allowList(['hooks.test']));
    const via = createSender(allowed, { proxyUrl: proxy.url, deadlineMs: HANGING_MS });
    afterTest(via.close);
    assert.equal((await post('http://hooks.test/a?b=c', via)).ok, true);
    assert.deepEqual(
      proxy.received.map(({ url }) => url),
      ['http://hooks.test/a?b=c'],
    );
    for (const url of ['http://other.test/', 'https://127.0.0.1/', 'https://169.254.169.254/'])
      assert.match((await post(url, via)).error ?? '', /^refused: the URL /, url);
    assert.equal(proxy.received.length, 1);
  });

  it('has an untrusted certificate gets nothing', async () => {
    let requests = 0;
    const server = createTlsServer({ key: PRIVATE_KEY, cert: CERTIFICATE }, (_, response) => {
      requests += 1;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    afterTest(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const resolve = async () => ['127.0.0.1'];
    const allow = allowList(['127.0.0.1']);
    const strict = createSender(createGuard(allow, { resolve }));
    const trusting = createSender(createGuard(allow, { resolve, tls: { ca: CERTIFICATE } }));
    afterTest(strict.close);
    afterTest(trusting.close);
    const untrusted = await post(`https://hooks.test:${port}/`, strict);
    assert.match(untrusted.error ?? '', /certificate is not accepted/);
    const misnamed = await post(`https://other.test:${port}/`, trusting);
    assert.match(misnamed.error ?? '', /certificate is not accepted/);
    const byAddress = await post(`https://127.0.0.1:${port}/`, trusting);
    assert.match(byAddress.error ?? '', /certificate is not accepted/);
    assert.equal(requests, 0);
    assert.equal((await post(`https://hooks.test:${port}/`, trusting)).ok, true, 'the right one is accepted');
  });
});
