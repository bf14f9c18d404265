import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { SCHEMA_LOCK } from '../src/db/postgres/schema-lock.ts';
import { afterTest } from './support/cleanup.ts';
import { freePort } from './support/free-port.ts';
import {
  assertError,
  clientFor,
  eventually,
  forEachEngine,
  listOver,
  type Service,
  startService,
} from './support/harness.ts';
import { startCommand, startProcess } from './support/process.ts';
import { exchangeOne, open, parseAnswers, rawRequest } from './support/raw-http.ts';
import { createStorage, type Storage } from './support/storage.ts';
import { startTcpProxy } from './support/tcp-proxy.ts';
import { jsonOf } from './support/terminal.ts';
import { until } from './support/webhooks.ts';

const INVITES = '/sdk/v1/waitlist/invites';
const SIGNUP = '/sdk/v1/waitlist/signup';
const ORIGIN = { origin: 'https://join.example.com' };
const CORS_HEADERS = [
  'access-control-allow-origin',
  'access-control-allow-methods',
  'access-control-allow-headers',
];

forEachEngine((engine) => {
  describe('cross-origin requests', () => {
    let service: Service;
    before(async () => {
      service = await startService(engine, { environment: { DOORLIST_RATE_LIMIT_INVITE_CHECK: '30' } });
    });
    after(() => service.close());

    const assertOpen = (headers: Headers) => {
      assert.equal(headers.get('access-control-allow-origin'), '*');
      assert.equal(headers.get('access-control-allow-credentials'), null);
    };

    it('are allowed on the two invite endpoints, from any origin and without credentials', async () => {
      const list = await service.waitlist();
      const { code } = await list.invite('a@example.com');
      for (const origin of ['https://join.example.com', 'http://localhost:5173', 'null']) {
        assertOpen((await service.check(code, { headers: { origin } })).headers);
      }
      const { status, headers } = await service.accept(code, { headers: ORIGIN });
      assert.equal(status, 200);
      assertOpen(headers);
      assert.match(headers.get('access-control-expose-headers') ?? '', /retry-after/);
    });

    it('get preflight responses that list what they may send', async () => {
      const ask = (path: string, method: string) =>
        service.request('OPTIONS', path, {
          headers: {
            ...ORIGIN,
            'access-control-request-method': method,
            'access-control-request-headers': 'content-type,idempotency-key',
          },
        });
      for (const [path, method] of [
        [`${INVITES}/abc`, 'GET'],
        [`${INVITES}/abc/accept`, 'POST'],
      ] as const) {
        const { status, headers, text } = await ask(path, method);
        assert.deepEqual([status, text], [204, '']);
        assertOpen(headers);
        assert.equal(headers.get('access-control-allow-methods'), method);
        const allowed = headers.get('access-control-allow-headers')?.split(/, */) ?? [];
        for (const name of ['content-type', 'idempotency-key']) assert.ok(allowed.includes(name), name);
        assert.ok(Number(headers.get('access-control-max-age')) > 0);
      }
    });

    it('may send any header', async () => {
      for (const asked of ['authorization,x-anything', 'Idempotency-Key, X-Trace, traceparent', 'x']) {
        const { status, headers } = await service.request('OPTIONS', `${INVITES}/abc/accept`, {
          headers: {
            ...ORIGIN,
            'access-control-request-method': 'POST',
            'access-control-request-headers': asked,
          },
        });
        assert.equal(status, 204);
        assert.equal(headers.get('access-control-allow-headers'), asked);
        assert.equal(headers.get('vary'), 'access-control-request-headers');
      }
      const unasked = await service.request('OPTIONS', `${INVITES}/abc`, { headers: ORIGIN });
      assert.equal(unasked.headers.get('access-control-allow-headers'), '*');
    });

    it('can read error responses, too', async () => {
      const list = await service.waitlist();
      const { code } = await list.invite('a@example.com');
      const refused: [number, string, string, object?][] = [
        [400, 'GET', `${INVITES}/${'x'.repeat(201)}`],
        [400, 'GET', `${INVITES}/%zz`],
        [400, 'GET', `${INVITES}/`],
        [404, 'POST', `${INVITES}/unknown/accept`],
        [409, 'POST', `${INVITES}/${code}/accept`, { body: { email: 'b@example.com' } }],
        [400, 'POST', `${INVITES}/${code}/accept`, { body: [] }],
        [413, 'POST', `${INVITES}/${code}/accept`, { body: { email: 'x'.repeat(100_000) } }],
        [
          415,
          'POST',
          `${INVITES}/${code}/accept`,
          { rawBody: 'x', headers: { 'content-type': 'text/plain', ...ORIGIN } },
        ],
        [405, 'PUT', `${INVITES}/${code}`],
      ];
      for (const [status, method, path, options] of refused) {
        const answer = await service.request(method, path, { headers: ORIGIN, ...options });
        assert.equal(answer.status, status, `${method} ${path}`);
        assertOpen(answer.headers);
      }
      for (let i = 0; i < 31; i += 1) await service.check('x');
      const limited = await service.check('x', { headers: ORIGIN });
      assert.equal(limited.status, 429);
      assertOpen(limited.headers);
      service.clock.advance(60_000);
    });

    it('are not allowed anywhere else', async () => {
      const { id, key } = await service.waitlist();
      const elsewhere: [string, string][] = [
        ['POST', SIGNUP],
        ['OPTIONS', SIGNUP],
        ['GET', `/sdk/v1/waitlist/${id}/entries`],
        ['OPTIONS', `/sdk/v1/waitlist/${id}/entries`],
        ['GET', `/sdk/v1/waitlist/${id}/entries/a@example.com`],
        ['GET', `${INVITES}/entries/a@example.com`],
        ['OPTIONS', '/sdk/v1/waitlist/webhooks/verify'],
        ['POST', '/sdk/v1/waitlist/webhooks/verify'],
        ['GET', '/healthz'],
        ['GET', '/readyz'],
        ['GET', '/nowhere'],
      ];
      for (const [method, path] of elsewhere) {
        for (const options of [{ headers: ORIGIN }, { headers: ORIGIN, key }]) {
          const { headers } = await service.request(method, path, options);
          for (const name of CORS_HEADERS) assert.equal(headers.get(name), null, `${method} ${path} ${name}`);
        }
      }
    });
  });

  describe('request ids', () => {
    let service: Service;
    before(async () => {
      service = await startService(engine);
    });
    after(() => service.close());

    it("are the caller's own if they are valid", async () => {
      for (const id of [
        'x',
        'req-1',
        '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
        'a/b:c+d=e.f_g',
        'x'.repeat(128),
      ]) {
        for (const path of ['/healthz', '/nowhere', `${INVITES}/%`]) {
          const { headers } = await service.request('GET', path, { headers: { 'x-request-id': id } });
          assert.equal(headers.get('x-request-id'), id);
        }
      }
    });

    it('are generated if the caller sends none or an invalid one', async () => {
      const seen = new Set<string>();
      const nonsense = [
        undefined,
        '',
        'x'.repeat(129),
        'two words',
        'a\tb',
        '<script>',
        '"',
        '{}',
        'é',
        'a,b',
      ];
      for (const id of nonsense) {
        const sent = id === undefined ? {} : { 'x-request-id': id };
        const { headers } = await exchangeOne(service.url, rawRequest('GET', '/healthz', sent));
        const given = headers['x-request-id'] ?? '';
        assert.match(given, /^req_[0-9a-z]+$/, String(id));
        seen.add(given);
      }
      assert.equal(seen.size, nonsense.length);
    });
  });

  describe('the log', () => {
    it('has one line per request with its id, method, route, status and time, and nothing that was sent', async () => {
      const service = await startService(engine);
      try {
        const list = await service.waitlist();
        await list.signup({
          email: 'secret-person@example.com',
          phone: '+14155550177',
          metadata: { secretKey: 'secretValue' },
        });
        const { code } = await list.invite('secret-person@example.com');
        await until('the first line', () => service.log.some((line) => line.includes(SIGNUP))); // It may come late.
        service.log.length = 0;
        await list.signup({ email: 'secret-other@example.com' });
        await list.signup({ email: 'secret refused' });
        await list.lookup('secret-person@example.com');
        await list.lookup('+14155550177');
        await list.page({ limit: 1 });
        await list.page({ cursor: 'secret-cursor' });
        await service.check(code);
        await service.accept(code, { headers: { 'idempotency-key': 'secret-idempotency' } });
        await service.accept(code);
        await service.verify({ payload: 'secret-payload', headers: {}, webhookSecret: 'whsec_secret' });
        await service.request('GET', '/secret-path?secret=query');
        await service.request('GET', `${INVITES}/%secret`);
        await service.request('DELETE', SIGNUP, { headers: { authorization: 'Bearer secret-key' } });
        const lines = await eventually(
          async () => service.log.map((line) => JSON.parse(line) as Record<string, unknown>),
          ({ length }) => length >= 13,
        );
        const told = lines.map(({ method, route, status }) => `${method} ${route} ${status}`).sort();
        assert.deepEqual(told, [
          'DELETE /sdk/v1/waitlist/signup 405',
          'GET /sdk/v1/waitlist/:waitlistId/entries 200',
          'GET /sdk/v1/waitlist/:waitlistId/entries 400',
          'GET /sdk/v1/waitlist/:waitlistId/entries/:email 200',
          'GET /sdk/v1/waitlist/:waitlistId/entries/:email 200',
          'GET /sdk/v1/waitlist/invites/:code 200',
          'GET unknown 400',
          'GET unknown 404',
          'POST /sdk/v1/waitlist/invites/:code/accept 200',
          'POST /sdk/v1/waitlist/invites/:code/accept 409',
          'POST /sdk/v1/waitlist/signup 201',
          'POST /sdk/v1/waitlist/signup 400',
          'POST /sdk/v1/waitlist/webhooks/verify 400',
        ]);
        for (const line of lines) {
          assert.equal(typeof line.requestId, 'string');
          assert.equal(typeof line.ms, 'number');
          assert.equal(line.level, 'info');
          assert.match(String(line.time), /^\d{4}-\d\d-\d\dT/);
        }
        const text = service.log.join('');
        for (const secret of ['secret', 'example.com', '4155550177', code, list.key, list.key.slice(-10)]) {
          assert.ok(!text.includes(secret), `${secret} is in the log`);
        }
      } finally {
        await service.close();
      }
    });
  });

  describe('health', () => {
    it('needs no key and reports that the service is up', async () => {
      const service = await startService(engine);
      try {
        for (const path of ['/healthz', '/readyz']) {
          const { status, body } = await service.request('GET', path);
          assert.deepEqual([status, body], [200, { status: 'ok' }]);
        }
      } finally {
        await service.close();
      }
    });
  });
});

describe('readiness on PostgreSQL', () => {
  it('ends without the database: the service answers 503, and recovers when it is back', async () => {
    const storage = await createStorage('postgres', { migrated: true });
    const direct = new URL(storage.environment.DATABASE_URL ?? '');
    const proxy = await startTcpProxy({ host: direct.hostname, port: Number(direct.port) });
    const throughProxy = new URL(direct);
    throughProxy.port = String(proxy.port);
    const service = await startService('postgres', {
      storage,
      environment: { DATABASE_URL: throughProxy.href },
    });
    try {
      const list = await service.waitlist();
      const { code } = await list.invite('a@example.com');
      await list.signup({ email: 'a@example.com' });
      proxy.cut();
      const cut = [
        await service.request('GET', '/readyz'),
        await list.signup({ email: 'b@example.com' }),
        await list.lookup('a@example.com'),
        await list.page(),
        await service.check(code),
        await service.accept(code),
      ];
      for (const answer of cut) assertError(answer, 503, 'unavailable');
      assert.equal((await service.request('GET', '/healthz')).status, 200);
      proxy.restore();
      const back = await eventually(
        () => list.signup({ email: 'b@example.com' }),
        ({ status }) => status < 300,
      );
      assert.ok(back.status < 300, back.text);
      assert.equal((await list.page()).body.total, 2);
      assert.equal((await service.accept(code)).status, 200);
      const ready = await eventually(
        () => service.request('GET', '/readyz'),
        ({ status }) => status === 200,
      );
      assert.equal(ready.status, 200);
      if (direct.password !== '') assert.ok(!service.log.join('').includes(direct.password));
    } finally {
      await service.close();
      await proxy.close();
      await storage.remove();
    }
  });
});

/** Holds what every start has to take, as a migration of another process would. */
async function holdDatabase({ engine, dataDir, environment }: Storage): Promise<() => Promise<void>> {
  if (engine === 'sqlite') {
    const db = new DatabaseSync(path.join(dataDir, 'doorlist.db'));
    db.exec('begin exclusive');
    return async () => {
      if (db.isOpen) db.close();
    };
  }
  const client = new pg.Client({ connectionString: environment.DATABASE_URL });
  await client.connect();
  await client.query('select pg_advisory_lock($1)', [SCHEMA_LOCK]);
  return () => client.end();
}

forEachEngine((engine) => {
  describe('a slow start', () => {
    it('passes health checks, answers 503 to everything else, and then serves', async () => {
      const storage = await createStorage(engine);
      afterTest(storage.remove);
      const release = await holdDatabase(storage);
      afterTest(release);
      const port = await freePort();
      const { child, finished } = startCommand({ ...storage.environment, PORT: String(port) }, 'serve');
      afterTest(() => {
        child.kill('SIGKILL');
        return finished;
      });
      const ask = (path: string, method = 'GET') =>
        fetch(`http://127.0.0.1:${port}${path}`, { method }).catch(() => undefined);
      const alive = await eventually(
        () => ask('/healthz'),
        (answer) => answer !== undefined,
      );
      assert.deepEqual([alive?.status, await alive?.json()], [200, { status: 'ok' }]);
      for (const [path, method] of [
        ['/readyz', 'GET'],
        ['/sdk/v1/waitlist/signup', 'POST'],
        ['/nowhere', 'DELETE'],
      ] as const) {
        const answer = await ask(path, method);
        assert.ok(answer);
        assert.equal(answer.status, 503);
        assert.equal(((await answer.json()) as { code: string }).code, 'unavailable');
        assert.match(answer.headers.get('retry-after') ?? '', /^[0-9]+$/);
        assert.match(answer.headers.get('x-request-id') ?? '', /^req_/);
      }
      const browser = clientFor(`http://127.0.0.1:${port}`);
      const preflight = await browser.request('OPTIONS', `${INVITES}/abc/accept`, {
        headers: {
          ...ORIGIN,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-any',
        },
      });
      assert.deepEqual([preflight.status, preflight.text], [204, '']);
      assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
      assert.equal(preflight.headers.get('access-control-allow-methods'), 'POST');
      assert.equal(preflight.headers.get('access-control-allow-headers'), 'x-any');
      const check = await browser.check('abc', { headers: ORIGIN });
      assertError(check, 503, 'unavailable');
      assert.equal(check.headers.get('access-control-allow-origin'), '*');
      assert.match(check.headers.get('access-control-expose-headers') ?? '', /retry-after/);
      const elsewhere = await browser.request('OPTIONS', SIGNUP, { headers: ORIGIN });
      assertError(elsewhere, 503, 'unavailable');
      assert.equal(elsewhere.headers.get('access-control-allow-origin'), null);
      const large = rawRequest('POST', SIGNUP, { 'content-type': 'application/json' }, 'x'.repeat(5_000_000));
      assertError(await exchangeOne(browser.url, large), 503, 'unavailable');
      const junk = await exchangeOne(`http://127.0.0.1:${port}`, Buffer.from('NONSENSE\r\n\r\n'));
      assert.deepEqual([junk.status, (junk.body as { code: string }).code], [400, 'invalid_request']);
      await release();
      const ready = await eventually(
        () => ask('/readyz'),
        (answer) => answer?.status === 200,
      );
      assert.equal(ready?.status, 200);
      child.kill('SIGTERM');
      assert.equal((await finished).code, 0);
    });
  });

  describe('every response', () => {
    const answersOf = async (service: Service) => {
      const list = await service.waitlist();
      const get = (path: string, options = {}) => service.request('GET', path, options);
      return [
        await list.page(),
        await list.signup({ email: 'ada@example.com' }),
        await service.check('none'),
        await get('/admin/v1/me'),
        await get('/openapi.json'),
        await get('/healthz'),
        await get('/nowhere'),
        await get('/%zz'),
        await get('/docs'),
        await get('/', { headers: { accept: 'text/html' } }),
        await get('/form.js'),
        await get('/join/none', { headers: { accept: 'text/html' } }),
      ];
    };

    it('tells browsers not to guess its type', async () => {
      const service = await startService(engine);
      afterTest(service.close);
      for (const { headers, text } of await answersOf(service)) {
        assert.equal(headers.get('x-content-type-options'), 'nosniff', text.slice(0, 100));
        assert.equal(headers.get('strict-transport-security'), null);
      }
      const { socket, received } = open(service.url);
      socket.end('not http\r\n\r\n');
      assert.match(await received.then(String), /X-Content-Type-Options: nosniff/i);
    });

    it('keeps browsers on HTTPS if the public URL is', async () => {
      const service = await startService(engine, {
        environment: { DOORLIST_PUBLIC_URL: 'https://waitlist.example.com' },
      });
      afterTest(service.close);
      const answers = await answersOf(service);
      const found = answers.map(({ headers }) => headers.get('strict-transport-security'));
      const malformed = answers.findIndex(({ status }) => status === 400);
      assert.deepEqual(
        found.filter((_, index) => index !== malformed),
        Array(answers.length - 1).fill('max-age=31536000'),
      );
    });
  });

  describe('a stop', () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      it(`by ${signal} finishes open requests, answers new ones with 503, and exits with code 0`, async () => {
        const storage = await createStorage(engine, { migrated: true });
        afterTest(storage.remove);
        await jsonOf(storage.environment, 'migrate');
        await jsonOf(storage.environment, 'waitlist', 'create', 'wl_stop', '--name', 'Stop');
        const create = ['key', 'create', '--waitlist', 'wl_stop', '--env', 'production', '--read'];
        const { key } = await jsonOf<{ key: string }>(storage.environment, ...create);
        const server = await startProcess(storage.environment);
        afterTest(server.stop);
        const body = JSON.stringify({ waitlistId: 'wl_stop', entries: [{ email: 'late@example.com' }] });
        const { socket, received } = open(server.url);
        afterTest(() => socket.destroy());
        const head = rawRequest('POST', SIGNUP, {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
        });
        socket.write(Buffer.concat([head, Buffer.from(body.slice(0, 10))]));
        const client = clientFor(server.url);
        // Answered behind the half-sent one, so that one has arrived as well.
        await listOver(client, 'wl_stop', key).page();
        server.child.kill(signal);
        const refused = await eventually(
          () => client.check('abc', { headers: ORIGIN }),
          ({ status }) => status === 503,
        );
        assertError(refused, 503, 'unavailable', /shutting down/);
        assert.equal(refused.headers.get('connection'), 'close');
        assert.equal(refused.headers.get('access-control-allow-origin'), '*');
        assertError(await client.request('GET', '/readyz'), 503, 'unavailable');
        socket.write(body.slice(10));
        const [answer] = parseAnswers(await received);
        assert.equal(answer?.status, 201, answer?.text);
        const { code, stderr } = await server.finished;
        assert.deepEqual([code, stderr], [0, '']);
        const again = await startProcess(storage.environment);
        afterTest(again.stop);
        const later = listOver(clientFor(again.url), 'wl_stop', key);
        assert.equal((await later.lookup('late@example.com')).status, 200);
      });
    }

    it('saves when keys were last used', async () => {
      const storage = await createStorage(engine, { migrated: true });
      afterTest(storage.remove);
      const service = await startService(engine, { storage });
      afterTest(service.close);
      const { keyId, page } = await service.waitlist();
      await page();
      await service.close();
      const list = ['key', 'list'];
      const keys = await jsonOf<{ id: string; lastUsedAt: string | null }[]>(storage.environment, ...list);
      const used = keys.find(({ id }) => id === keyId)?.lastUsedAt;
      assert.equal(used, new Date(service.clock.now).toISOString());
    });
  });
});
