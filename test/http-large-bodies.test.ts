import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { afterTest } from './support/cleanup.ts';
import {
  assertError,
  clientFor,
  eventually,
  forEachEngine,
  type List,
  type Service,
  startService,
} from './support/harness.ts';
import { startProcess } from './support/process.ts';
import { without } from './support/programs.ts';
import { exchangeOne, open, parseAnswers, type RawAnswer, rawRequest } from './support/raw-http.ts';
import { createStorage } from './support/storage.ts';

const SIGNUP = '/sdk/v1/waitlist/signup';
const VERIFY = '/sdk/v1/waitlist/webhooks/verify';
const ACCEPT = '/sdk/v1/waitlist/invites/abc/accept';
const JSON_TYPE = { 'content-type': 'application/json' };
const MIB = 1024 * 1024;

/** Behaves like many simple clients: writes all of the request, and only then reads. */
async function writeThenRead(url: string, request: Buffer): Promise<RawAnswer | undefined> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.write(request, (error) => (error ? reject(error) : resolve()));
  });
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return parseAnswers(Buffer.concat(chunks))[0];
}

const PYTHON_CLIENT = `
import json, sys, urllib.error, urllib.request
url, cases = sys.argv[1], json.loads(sys.argv[2])
for path, size, headers in cases:
    request = urllib.request.Request(url + path, data=b'{"a":"' + b'x' * size, headers=headers, method='POST')
    try:
        print(urllib.request.urlopen(request, timeout=30).status)
    except urllib.error.HTTPError as error:
        print(error.code, json.load(error)['code'])
`;

forEachEngine((engine) => {
  describe('large bodies', () => {
    let service: Service;
    let list: List;
    before(async () => {
      service = await startService(engine);
      list = await service.waitlist();
    });
    after(() => service.close());

    /** Each is answered long before its body has arrived. */
    const refused = (): [string, number, Record<string, string>, number, string][] => {
      const bad = { ...JSON_TYPE, authorization: 'Bearer nonsense' };
      const good = { ...JSON_TYPE, authorization: `Bearer ${list.key}` };
      return [
        [SIGNUP, 1 * MIB, bad, 401, 'unauthorized'],
        [SIGNUP, 4 * MIB, bad, 401, 'unauthorized'],
        [SIGNUP, 20 * MIB, good, 413, 'payload_too_large'],
        [VERIFY, 5 * MIB, JSON_TYPE, 400, 'invalid_request'],
        [VERIFY, 20 * MIB, JSON_TYPE, 400, 'invalid_request'],
        [ACCEPT, 5 * MIB, JSON_TYPE, 413, 'payload_too_large'],
        ['/nowhere', 10 * MIB, JSON_TYPE, 404, 'not_found'],
        ['/healthz', 10 * MIB, JSON_TYPE, 405, 'method_not_allowed'],
        ['/join/abc', 5 * MIB, JSON_TYPE, 413, 'payload_too_large'],
        ['/%zz', 5 * MIB, JSON_TYPE, 400, 'invalid_request'],
      ];
    };

    it('get a response even if the client reads only after writing everything', async () => {
      for (const [path, bytes, headers, status, code] of refused()) {
        for (const connection of ['close', 'keep-alive']) {
          const request = rawRequest('POST', path, { ...headers, connection }, 'x'.repeat(bytes));
          const answer = await writeThenRead(service.url, request);
          assert.ok(answer, `${path} has no answer`);
          assertError(answer, status, code);
        }
      }
    });

    it('get a response with a Python client', { skip: without('Python') }, async () => {
      const cases = refused().map(([path, bytes, headers]) => [path, bytes, headers]);
      const environment = { ...process.env, no_proxy: '*' };
      const { stdout } = await promisify(execFile)(
        'python3',
        ['-c', PYTHON_CLIENT, service.url, JSON.stringify(cases)],
        { env: environment },
      );
      assert.deepEqual(
        stdout.trim().split('\n'),
        refused().map(([, , , status, code]) => `${status} ${code}`),
      );
    });

    it('are not read forever: the connection is closed', async () => {
      const { hostname, port } = new URL(service.url);
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }).on(
        'error',
        () => {},
      );
      afterTest(() => socket.destroy());
      const told: Buffer[] = [];
      socket.on('data', (chunk) => told.push(chunk));
      socket.write(rawRequest('POST', '/nowhere', { ...JSON_TYPE, 'content-length': String(10_000 * MIB) }));
      let written = 0;
      for (const block = Buffer.alloc(MIB); !socket.destroyed && written < 500; written += 1) {
        await new Promise((resolve) => socket.write(block, resolve));
      }
      assert.ok(written > 30 && written < 500, `the server read about ${written} MiB`);
      assertError(parseAnswers(Buffer.concat(told))[0] as RawAnswer, 404, 'not_found');
    });
  });

  describe('unfinished bodies', () => {
    it('get a 429 over 16 MiB for one client, use no more memory than that, and block nobody else', async () => {
      const service = await startService(engine);
      const sockets: Socket[] = [];
      try {
        const list = await service.waitlist();
        const head = rawRequest('POST', VERIFY, { ...JSON_TYPE, 'content-length': String(7 * MIB) });
        const piece = Buffer.concat([head, Buffer.from('{"payload":"'), Buffer.alloc(6 * MIB, 'x')]);
        const answers: RawAnswer[] = [];
        for (let i = 0; i < 10; i += 1) {
          const { socket, received } = open(service.url);
          sockets.push(socket);
          socket.write(piece);
          received.then((bytes) => answers.push(...parseAnswers(bytes))).catch(() => {});
        }
        await eventually(
          async () => answers.length,
          (count) => count >= 8,
        );
        assert.equal(answers.length, 8);
        for (const answer of answers)
          assertError(answer, 429, 'rate_limited', /too many large requests from this address/);
        assert.equal((await service.verify({})).status, 400);
        assert.equal((await list.signup({ email: 'a@example.com' })).status, 201);
        for (const socket of sockets) socket.destroy();
        const whole = rawRequest('POST', VERIFY, JSON_TYPE, `{"payload":"${'x'.repeat(6 * MIB)}"}`);
        const again = await eventually(
          () => exchangeOne(service.url, whole),
          ({ status }) => status === 400,
        );
        assertError(again, 400, 'invalid_request');
      } finally {
        for (const socket of sockets) socket.destroy();
        await service.close();
      }
    });
  });

  it('handles the worst unauthenticated bodies on a small heap', async () => {
    const storage = await createStorage(engine, { migrated: true });
    const server = await startProcess({
      ...storage.environment,
      NODE_OPTIONS: '--max-old-space-size=64',
      DOORLIST_RATE_LIMIT_VERIFY: '0',
    });
    try {
      const { verify, request } = clientFor(server.url);
      const raw = (rawBody: string) => request('POST', VERIFY, { headers: JSON_TYPE, rawBody });
      const half = 3 * MIB;
      const bodies: [string, RegExp][] = [
        [
          `{${Array.from({ length: 600_000 }, (_, i) => `"${i}":1`).join()}}`,
          /^body: .* more than 10000 keys$/,
        ],
        [`{"x":${'['.repeat(half)}${']'.repeat(half)}}`, /^payload: is required/],
        [`{"payload":${'['.repeat(half)}${']'.repeat(half)}}`, /^payload: must be a string$/],
        [`${'['.repeat(half)}${']'.repeat(half)}`, /^body: must be an object$/],
        [`{"headers":{${'"id":"",'.repeat(700_000)}"id":""}}`, /^headers\.id: duplicate key$/],
      ];
      for (const [body, message] of bodies) {
        assertError(await raw(body), 400, 'invalid_request', message);
      }
      const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
      for (const value of ['['.repeat(500_000) + ']'.repeat(500_000), `[${'{},'.repeat(300_000)}{}]`]) {
        const at = new Date();
        const payload = `{"a":${value}}`;
        const headers = { id: 'a', timestamp: String(Math.floor(at.getTime() / 1000)), signature: '' };
        headers.signature = new Webhook(secret).sign('a', at, payload);
        const { text } = await verify({ payload, headers, webhookSecret: secret });
        assert.ok(text.startsWith('{"verified":true,"event":{"a":['), text.slice(0, 100));
      }
      const { code, stderr } = await server.stop();
      assert.deepEqual([code, stderr], [0, '']);
    } finally {
      server.child.kill('SIGKILL');
      await storage.remove();
    }
  });
});
