import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { afterTest } from './support/cleanup.ts';
import {
  assertError,
  eventually,
  forEachEngine,
  type List,
  type Service,
  startService,
} from './support/harness.ts';
import { assertProperty } from './support/property.ts';
import { exchange, exchangeOne, open, parseAnswers, type RawAnswer, rawRequest } from './support/raw-http.ts';

const SIGNUP = '/sdk/v1/waitlist/signup';
const VERIFY = '/sdk/v1/waitlist/webhooks/verify';
const JSON_TYPE = { 'content-type': 'application/json' };
const MIB = 1024 * 1024;

forEachEngine((engine) => {
  let service: Service;
  let list: List;
  before(async () => {
    service = await startService(engine);
    list = await service.waitlist();
  });
  after(() => service.close());

  const send = (...pieces: Parameters<typeof exchange>[1]) => exchangeOne(service.url, ...pieces);

  /** The answer to a request, after which another one is served: on the same connection, unless that was closed. */
  async function sendAndGoOn(request: Buffer): Promise<RawAnswer> {
    const [first, second] = await exchange(service.url, [request, rawRequest('GET', '/healthz')]);
    assert.ok(first);
    if (first.headers.connection === 'close') await assertStillServes();
    else assert.equal(second?.status, 200);
    return first;
  }

  async function assertStillServes(): Promise<void> {
    assert.equal((await service.request('GET', '/healthz')).status, 200);
  }

  /** Waits for the answer while the request is unfinished, then hangs up. */
  const half = (socket: Socket) => once(socket, 'end').then(() => socket.destroy());
  const keepAlive = (headers: Record<string, string>) => ({ ...headers, connection: 'keep-alive' });
  const authorized = () => ({ authorization: `Bearer ${list.key}` });

  describe('bodies', () => {
    /** Each with the name of a field that it knows. */
    const routes = (): [string, Record<string, string>, string][] => [
      [SIGNUP, authorized(), 'waitlistId'],
      [VERIFY, {}, 'payload'],
      ['/sdk/v1/waitlist/invites/abc/accept', {}, 'email'],
    ];
    const bytes = (hex: string) => () => Buffer.from(hex, 'hex');
    const broken: Record<string, [(field: string) => string | Uint8Array, RegExp]> = {
      'broken JSON': [(field) => `{"${field}":`, /not valid JSON/],
      'two values': [() => '{} {}', /not valid JSON/],
      'a byte order mark': [() => '\ufeff{}', /not valid JSON/],
      'a raw NUL': [(field) => `{"${field}":"\0"}`, /not valid JSON/],
      // What is not an object at all, verify refuses at its first character.
      'nesting without end': [() => '['.repeat(10_000), /not valid JSON|^body: must be an object$/],
      'deep nesting': [
        () => `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
        /nested deeper|^body: must be an object$/,
      ],
      ['__proto__']: [() => '{"__proto__":{"email":"a@example.com"}}', /__proto__/],
      'an escaped __proto__': [() => '{"\\u005f\\u005fproto__":1}', /__proto__/],
      'the same key twice': [(field) => `{"${field}":"a","${field}":"b"}`, /duplicate key/],
      'the same key twice, once escaped': [
        (field) => `{"${field}":"a","\\u00${field.charCodeAt(0).toString(16)}${field.slice(1)}":"b"}`,
        /duplicate key/,
      ],
      'a NUL': [(field) => `{"${field}":"a\\u0000@example.com"}`, /NUL/],
      'a NUL in a key': [() => '{"a\\u0000":1}', /NUL/],
      'half of a surrogate pair': [(field) => `{"${field}":"\\ud83c@example.com"}`, /surrogate/],
      'half of a surrogate pair in a key': [() => '{"\\udf89":1}', /surrogate/],
      'invalid UTF-8': [bytes('7b22ff223a317d'), /UTF-8/],
      'an overlong NUL': [bytes('22c08022'), /UTF-8/],
      'a surrogate in UTF-8': [bytes('22eda08022'), /UTF-8/],
    };
    for (const [name, [body, message]] of Object.entries(broken)) {
      it(`with ${name} get a 400 on every route, and the next request is served`, async () => {
        for (const [path, headers, field] of routes()) {
          const request = rawRequest('POST', path, keepAlive({ ...JSON_TYPE, ...headers }), body(field));
          assertError(await sendAndGoOn(request), 400, 'invalid_request', message);
        }
      });
    }

    it('that are empty get a 400 where a body is required', async () => {
      for (const [path, headers] of routes().slice(0, 2)) {
        const request = rawRequest(
          'POST',
          path,
          keepAlive({ ...JSON_TYPE, ...headers, 'content-length': '0' }),
        );
        assertError(await sendAndGoOn(request), 400, 'invalid_request', 'body: is required');
      }
    });

    it('that are missing get a 400 where a body is required', async () => {
      for (const [path, headers] of routes().slice(0, 2)) {
        assertError(
          await sendAndGoOn(rawRequest('POST', path, keepAlive(headers))),
          400,
          'invalid_request',
          'body: is required',
        );
      }
    });

    it('without the JSON content type get a 415', async () => {
      const types = [
        '',
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'nonsense',
      ];
      types.push(
        'application/json; charset=latin1',
        'application/jsonp',
        'application/json, text/plain',
        'text/json',
        '*/*',
      );
      for (const [path, headers] of routes().slice(0, 2)) {
        for (const type of types) {
          const answer = await sendAndGoOn(
            rawRequest('POST', path, keepAlive({ ...headers, 'content-type': type }), '{"a":1}'),
          );
          assertError(answer, 415, 'unsupported_media_type');
        }
        const missing = await sendAndGoOn(rawRequest('POST', path, keepAlive(headers), '{"a":1}'));
        assertError(missing, 415, 'unsupported_media_type');
      }
    });

    it('are accepted with any spelling of the JSON content type', async () => {
      for (const type of [
        'Application/JSON',
        'application/json;charset=UTF-8',
        'application/json ; charset="utf-8"',
        'application/json; charset=utf8',
        'application/json; charset=utf-8; profile=x',
        'application/json; profile="https://example.com/v1"',
      ]) {
        const { status } = await send(rawRequest('POST', VERIFY, { 'content-type': type }, '{}'));
        assert.equal(status, 400, type);
      }
    });

    it('with a Content-Encoding get a 415, unless it is identity', async () => {
      for (const [path, headers] of routes()) {
        for (const encoding of ['gzip', 'br', 'deflate, gzip', 'nonsense']) {
          const encoded = keepAlive({ ...JSON_TYPE, ...headers, 'content-encoding': encoding });
          assertError(
            await sendAndGoOn(rawRequest('POST', path, encoded, '{}')),
            415,
            'unsupported_media_type',
          );
        }
        const identity = keepAlive({ ...JSON_TYPE, ...headers, 'content-encoding': 'Identity' });
        assert.notEqual((await sendAndGoOn(rawRequest('POST', path, identity, '{}'))).status, 415);
      }
    });

    it('with more values than a valid batch can hold get a 400, however they are nested', async () => {
      const many: Record<string, string> = {
        elements: `{"entries":[${'1,'.repeat(1_000_000)}1]}`,
        objects: `{"entries":[${'{},'.repeat(1_000_000)}1]}`,
      };
      for (const body of Object.values(many)) {
        const answer = await send(rawRequest('POST', SIGNUP, { ...JSON_TYPE, ...authorized() }, body));
        assertError(answer, 400, 'invalid_request', /more than 850000 values/);
      }
      const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;
      const answer = await send(rawRequest('POST', SIGNUP, { ...JSON_TYPE, ...authorized() }, deep));
      assertError(answer, 400, 'invalid_request', /nested deeper/);
    });

    it('may be chunked', async () => {
      const json = JSON.stringify({ waitlistId: list.id, entries: [{ email: 'chunked@example.com' }] });
      const head = rawRequest('POST', SIGNUP, {
        ...JSON_TYPE,
        ...authorized(),
        'transfer-encoding': 'chunked',
      });
      const chunks = [...json].map((character) => `1;ext=x\r\n${character}\r\n`);
      assert.equal((await send(head, ...chunks, '0\r\n\r\n')).status, 201);
    });

    it('are read whole after Expect: 100-continue', async () => {
      const json = JSON.stringify({ waitlistId: list.id, entries: [{ email: 'continue@example.com' }] });
      const answers = await exchange(service.url, [
        rawRequest('POST', SIGNUP, { ...JSON_TYPE, ...authorized(), expect: '100-continue' }, json),
      ]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [100, 201],
      );
    });

    it('that are too large get a 413 with a known length or chunked, and a 400 on verify', async () => {
      const cases: [string, Record<string, string>, number, number, string][] = [
        [SIGNUP, authorized(), 5 * MIB, 413, 'payload_too_large'],
        [VERIFY, {}, 8 * MIB, 400, 'invalid_request'],
        ['/sdk/v1/waitlist/invites/abc/accept', {}, 1 * MIB, 413, 'payload_too_large'],
      ];
      for (const [path, headers, bytes, status, code] of cases) {
        const announced = { ...JSON_TYPE, ...headers, 'content-length': String(bytes) };
        assertError(await send(rawRequest('POST', path, announced), '{"a":"'), status, code);
        const chunk = `${MIB.toString(16)}\r\n${' '.repeat(MIB)}\r\n`;
        const chunked = { ...JSON_TYPE, ...headers, 'transfer-encoding': 'chunked' };
        const pieces = Array.from({ length: bytes / MIB }, () => chunk);
        assertError(await send(rawRequest('POST', path, chunked), ...pieces, '0\r\n\r\n'), status, code);
        await assertStillServes();
      }
    });

    it('that end before their Content-Length do no harm', async () => {
      const head = rawRequest('POST', SIGNUP, { ...JSON_TYPE, ...authorized(), 'content-length': '100' });
      for (const answer of await exchange(service.url, [head, '{"waitlistId":', (socket) => socket.end()])) {
        assertError(answer, 400, 'invalid_request');
      }
      await assertStillServes();
    });

    it('that the caller aborts do no harm', async () => {
      for (let i = 0; i < 20; i += 1) {
        const { socket, received } = open(service.url);
        socket.write(rawRequest('POST', SIGNUP, { ...JSON_TYPE, ...authorized(), 'content-length': '1000' }));
        socket.write('{"waitlistId":');
        setImmediate(() => socket.destroy());
        await received;
      }
      await assertStillServes();
    });

    it('are not read when the caller is refused anyway', async () => {
      const unread = { ...JSON_TYPE, 'content-length': String(3 * MIB) };
      const answers = await exchange(service.url, [
        rawRequest('POST', SIGNUP, unread),
        'x'.repeat(3 * MIB),
        (socket) => socket.end(),
      ]);
      assertError(answers[0] as RawAnswer, 401, 'unauthorized');
      await assertStillServes();
    });
  });

  describe('methods', () => {
    const paths: Record<string, string> = {
      [SIGNUP]: 'POST',
      [VERIFY]: 'POST',
      '/sdk/v1/waitlist/wl_x/entries': 'GET, HEAD',
      '/sdk/v1/waitlist/wl_x/entries/a@example.com': 'GET, HEAD',
      '/sdk/v1/waitlist/invites/abc': 'GET, HEAD, OPTIONS',
      '/sdk/v1/waitlist/invites/abc/accept': 'OPTIONS, POST',
      '/healthz': 'GET, HEAD',
      '/readyz': 'GET, HEAD',
      '/openapi.json': 'GET, HEAD',
    };

    it('that a path does not support get a 405 with the allowed ones, whatever else is wrong', async () => {
      for (const [path, allow] of Object.entries(paths)) {
        for (const method of [
          'GET',
          'POST',
          'PUT',
          'PATCH',
          'DELETE',
          'OPTIONS',
          'TRACE',
          'PROPFIND',
          'QUERY',
          'MKCOL',
        ]) {
          if (allow.split(', ').includes(method)) continue;
          const headers = keepAlive({ 'content-type': 'text/nonsense', authorization: 'nonsense' });
          const answer = await sendAndGoOn(rawRequest(method, path, headers, method === 'GET' ? '' : 'junk'));
          assertError(answer, 405, 'method_not_allowed', `this path supports only ${allow}`);
          assert.equal(answer.headers.allow, allow, `${method} ${path}`);
        }
      }
    });

    it('that do not exist get a 400', async () => {
      for (const method of ['FOO', 'get', 'GETT', 'G\0T', 'P OST', '🎉']) {
        assertError(await send(rawRequest(method, '/healthz')), 400, 'invalid_request');
      }
      await assertStillServes();
    });

    it('such as CONNECT and an upgrade do no harm', async () => {
      await exchange(service.url, [rawRequest('CONNECT', 'example.com:443'), (socket) => socket.end()]);
      const headers = { connection: 'upgrade, close', upgrade: 'websocket' };
      for (const { status } of await exchange(service.url, [
        rawRequest('GET', '/healthz', headers),
        (socket) => socket.end(),
      ])) {
        assert.equal(status, 200);
      }
      await assertStillServes();
    });
  });

  describe('paths', () => {
    it('that do not exist get a 404', async () => {
      const nowhere = [
        '/nope',
        '/sdk',
        '/sdk/v1/waitlist',
        '/sdk/v1/waitlist/',
        '/sdk/v2/waitlist/signup',
        `${SIGNUP}/`,
      ];
      nowhere.push(
        '/SDK/v1/waitlist/signup',
        '//sdk/v1/waitlist/signup',
        '/sdk/v1/waitlist/invites',
        '/sdk/v1/waitlist/a/b/c/d',
      );
      nowhere.push(
        '/../../etc/passwd',
        '/healthz/../readyz',
        '/%2e%2e/%2e%2e/etc/passwd',
        '/.env',
        '/healthz%00',
        '/healthz;x=1',
      );
      nowhere.push('/sdk/v1/waitlist/invites/a/b', '/sdk/v1/waitlist/invites/a/accept/b');
      for (const path of nowhere) {
        for (const method of ['GET', 'POST', 'DELETE']) {
          const headers = keepAlive({ 'content-type': 'text/nonsense' });
          const answer = await sendAndGoOn(rawRequest(method, path, headers, method === 'GET' ? '' : 'junk'));
          assertError(answer, 404, 'not_found', 'there is nothing at this path');
        }
      }
    });

    it('that do not exist, and unsupported methods, are refused before any body is read', async () => {
      const unfinished = { ...JSON_TYPE, 'content-length': String(100 * MIB) };
      for (const body of ['{"broken', 'x'.repeat(64 * 1024)]) {
        assertError(await send(rawRequest('POST', '/nope', unfinished), body, half), 404, 'not_found');
        assertError(await send(rawRequest('PUT', SIGNUP, unfinished), body, half), 405, 'method_not_allowed');
        assertError(await send(rawRequest('POST', SIGNUP, unfinished), body, half), 401, 'unauthorized');
      }
    });

    it('with broken percent-encoding get a 400', async () => {
      const broken = [
        '/%',
        '/%zz',
        '/sdk/v1/waitlist/%ff/entries',
        '/sdk/v1/waitlist/wl_x/entries/%c3%28',
        '/healthz%',
      ];
      for (const path of broken) {
        const answer = await sendAndGoOn(rawRequest('GET', path, keepAlive({})));
        assertError(answer, 400, 'invalid_request', 'the path is not valid percent-encoded UTF-8');
      }
    });

    it('with a broken query get a 400 from a route that reads it', async () => {
      for (const query of [
        'limit=%zz',
        'limit=%',
        'cursor=%ff',
        '__proto__=1',
        'limit[a]=1',
        'limit=1&limit=1',
        'status=%00',
      ]) {
        const path = `/sdk/v1/waitlist/${list.id}/entries?${query}`;
        assertError(
          await sendAndGoOn(rawRequest('GET', path, keepAlive(authorized()))),
          400,
          'invalid_request',
        );
      }
    });

    it('in absolute form are the same paths', async () => {
      assert.equal((await send(rawRequest('GET', 'http://localhost/healthz'))).status, 200);
      // The router reads it as the root, which has the dashboard.
      assertError(await send(rawRequest('OPTIONS', '*')), 405, 'method_not_allowed');
    });
  });

  describe('an invalid request', () => {
    const garbage: Record<string, string | Uint8Array> = {
      'a TLS greeting': Buffer.from('160301020001000', 'hex'),
      'an HTTP/2 preface': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'another protocol': 'EHLO example.com\r\n\r\n',
      'random bytes': Buffer.from(Array.from({ length: 500 }, (_, i) => (i * 7919) % 256)),
      'a version that does not exist': 'GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n',
      'a space in a header name': 'GET /healthz HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n',
      'a control character in a header': 'GET /healthz HTTP/1.1\r\nHost: x\r\nA: \x01\r\n\r\n',
      'a length and chunks at once':
        'POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'two different lengths':
        'POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
      'a negative length': 'POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
      'a length that is no number': 'POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n',
      'a broken chunk': `POST ${VERIFY} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      'an unknown transfer encoding': `POST ${VERIFY} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n`,
      'two Hosts': 'GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n',
      'no Host': 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n',
    };
    for (const [name, bytes] of Object.entries(garbage)) {
      it(`with ${name} gets a 400, and the next request is served`, async () => {
        assertError(await send(bytes), 400, 'invalid_request');
        await assertStillServes();
      });
    }

    it('with an unsupported Expect header gets a JSON error', async () => {
      const answer = await send(rawRequest('GET', '/healthz', { expect: 'the-impossible' }));
      assertError(answer, 417, 'invalid_request');
    });

    it('with headers over 16 KiB gets a 431', async () => {
      const large = [
        rawRequest('GET', '/healthz', { 'x-large': 'x'.repeat(20_000) }),
        rawRequest('GET', `/healthz?${'x'.repeat(20_000)}`),
        rawRequest(
          'GET',
          '/healthz',
          Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`x-${i}`, 'value'])),
        ),
        rawRequest('GET', '/healthz', { cookie: 'c='.repeat(10_000) }),
      ];
      for (const bytes of large) {
        assertError(await send(bytes), 431, 'invalid_request', 'the headers are too large');
        await assertStillServes();
      }
    });

    it('never brings the service down, whatever the bytes', async (test) => {
      const words = fc.constantFrom(
        'GET ',
        'POST ',
        '/healthz',
        SIGNUP,
        ' HTTP/1.1',
        '\r\n',
        'Host: x',
        'Content-Length: 3',
        ': ',
        '%',
        '{',
        '\0',
        'Transfer-Encoding: chunked',
        '0\r\n\r\n',
        'ü',
      );
      await assertProperty(
        test,
        import.meta.filename,
        fc.asyncProperty(
          fc.array(fc.oneof(words, fc.string({ unit: 'binary' })), { maxLength: 12 }),
          async (pieces) => {
            const { socket, received } = open(service.url);
            socket.end(Buffer.from(pieces.join('')));
            for (const { status } of parseAnswers(await received)) assert.ok(status < 500, String(status));
          },
        ),
        { numRuns: 150 },
      );
      await assertStillServes();
    });
  });

  describe('connections', () => {
    it('serve many requests one after the other, in order', async () => {
      const ids = Array.from({ length: 50 }, (_, i) => `pipelined-${i}`);
      const requests = ids.map((id, i) =>
        rawRequest('GET', i % 2 ? '/healthz' : `/sdk/v1/waitlist/invites/${id}`, {
          'x-request-id': id,
          connection: i === 49 ? 'close' : 'keep-alive',
        }),
      );
      const answers = await exchange(service.url, [Buffer.concat(requests)]);
      assert.deepEqual(
        answers.map(({ headers }) => headers['x-request-id']),
        ids,
      );
      assert.ok(answers.every(({ status }) => status === 200));
    });

    it('support HTTP/1.0', async () => {
      const { status } = await send('GET /healthz HTTP/1.0\r\n\r\n');
      assert.equal(status, 200);
    });

    describe('that are slow', () => {
      let impatient: Service;
      before(async () => {
        impatient = await startService(engine, { timeouts: { headersMs: 300, requestMs: 600, checkMs: 50 } });
      });
      after(() => impatient.close());

      const slow: Record<string, (key: string) => (string | Buffer)[]> = {
        'in their headers': () => ['GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: '],
        'in their first line': () => ['GET /heal'],
        'in their body': () => [
          rawRequest('POST', VERIFY, { ...JSON_TYPE, 'content-length': '100' }),
          '{"payload":',
        ],
        'in their chunks': (key) => [
          rawRequest('POST', SIGNUP, {
            ...JSON_TYPE,
            authorization: `Bearer ${key}`,
            'transfer-encoding': 'chunked',
          }),
          '5\r\n{"wai\r\n',
        ],
      };
      for (const [name, pieces] of Object.entries(slow)) {
        it(`${name} get a 408 and are closed`, async () => {
          const { key } = await impatient.waitlist();
          assertError(await exchangeOne(impatient.url, ...pieces(key)), 408, 'invalid_request', /too long/);
          assert.equal((await impatient.request('GET', '/healthz')).status, 200);
        });
      }

      it('are closed after a 408 even when the client does not close them', async () => {
        const before = await impatient.openConnections();
        const { hostname, port } = new URL(impatient.url);
        const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
        afterTest(() => socket.destroy());
        socket.on('error', () => {});
        socket.write(rawRequest('POST', VERIFY, { ...JSON_TYPE, 'content-length': '100' }));
        const told: Buffer[] = [];
        socket.on('data', (chunk) => told.push(chunk));
        await once(socket, 'end');
        assert.equal(parseAnswers(Buffer.concat(told))[0]?.status, 408);
        const left = await eventually(impatient.openConnections, (count) => count <= before);
        assert.ok(left <= before, `${left} connections are open`);
      });

      it('and send nothing are closed', async () => {
        await exchange(impatient.url, []);
        assert.equal((await impatient.request('GET', '/healthz')).status, 200);
      });

      it('do not block others, even by the hundred', async () => {
        const idle = Array.from({ length: 200 }, () => exchange(impatient.url, ['POST ']));
        const { id, key } = await impatient.waitlist();
        const body = { waitlistId: id, entries: [{ email: 'a@example.com' }] };
        assert.equal((await impatient.request('POST', SIGNUP, { key, body })).status, 201);
        await Promise.all(idle);
      });
    });
  });
});
