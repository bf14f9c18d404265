import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { createClient, DoorlistError, verifyWebhook, WebhookError } from '../packages/client/src/index.ts';
import { rotateEndpointSecret } from '../src/webhooks/endpoint-secrets.ts';
import { type List, type Service, startService } from './support/harness.ts';
import { type Received, startReceiver } from './support/receiver.ts';
import { endpointFor, startSending, until } from './support/webhooks.ts';

describe('the client and the service', () => {
  let service: Service;
  let list: List;
  before(async () => {
    service = await startService('sqlite');
    list = await service.waitlist({ boost: 0 });
  });
  after(() => service.close());
  const client = () => createClient({ url: `${service.url}/`, key: list.key });

  it('signs up more than 100 people in several requests and adds up what happened', async () => {
    const people = Array.from({ length: 250 }, (_, i) => ({ email: `p${i}@example.com` }));
    const result = await client().signup(list.id, [...people, { email: 'P0@example.com' }], {
      returnEntries: true,
    });
    assert.deepEqual([result.created, result.skipped, result.entries?.length], [250, 1, 251]);
    assert.deepEqual(
      result.entries?.slice(0, 250).map(({ position }) => position),
      people.map((_, i) => i + 1),
    );
    assert.equal(result.entries?.[250]?.position, 1);
    const plain = await client().signup(list.id, people);
    assert.deepEqual(plain, { success: true, created: 0, skipped: 250 });
  });

  it('names the invalid entry by its place in what was sent', async () => {
    const people = Array.from({ length: 150 }, (_, i) => ({
      email: i === 120 ? 'nonsense' : `q${i}@example.com`,
    }));
    await assert.rejects(client().signup(list.id, people), (error: DoorlistError) => {
      assert.ok(error instanceof DoorlistError);
      assert.match(error.message, /^entries\[120\]\.email: not an email address/);
      assert.deepEqual([error.code, error.status], ['invalid_request', 400]);
      assert.match(error.requestId ?? '', /./);
      return true;
    });
    await assert.rejects(client().signup(list.id, []), { code: 'invalid_request' });
  });

  it('walks through all entries, stops early, and filters', async () => {
    const own = await service.waitlist();
    const walker = createClient({ url: service.url, key: own.key });
    await own.signup(...Array.from({ length: 7 }, (_, i) => ({ email: `w${i}@example.com` })));
    const seen: (string | null)[] = [];
    for await (const { email } of walker.entries(own.id, { limit: 3 })) seen.push(email);
    assert.deepEqual(
      seen,
      Array.from({ length: 7 }, (_, i) => `w${i}@example.com`),
    );
    for await (const _ of walker.entries(own.id, { limit: 3, sort: 'position' })) break;
    const invited = [];
    for await (const entry of walker.entries(own.id, { status: 'invited' })) invited.push(entry);
    assert.deepEqual(invited, []);
    assert.equal((await walker.page(own.id, { limit: 2 })).total, 7);
  });

  it('looks up odd addresses and phone numbers', async () => {
    const people = [
      { email: 'a+b/c?d#e%@example.com' },
      { phone: '+14155550111' },
      { email: 'ü@exämple.com' },
    ];
    await client().signup(list.id, people);
    for (const { email, phone } of people as { email?: string; phone?: string }[]) {
      const entry = await client().entry(list.id, email ?? phone ?? '');
      assert.equal(entry.email ?? entry.phone, email ?? phone);
    }
  });

  it('accepts an invite once, and again with the same key', async () => {
    const { code } = await list.invite('ada@example.com');
    const visitor = createClient({ url: service.url });
    assert.equal((await visitor.checkInvite(code)).valid, true);
    await assert.rejects(visitor.acceptInvite(code, { email: 'eve@example.com' }), {
      code: 'email_mismatch',
    });
    const first = await visitor.acceptInvite(code, { email: 'ada@example.com', idempotencyKey: 'once' });
    assert.deepEqual(
      await visitor.acceptInvite(code, { email: 'ada@example.com', idempotencyKey: 'once' }),
      first,
    );
    await assert.rejects(visitor.acceptInvite(code), { code: 'accepted', status: 409 });
    await assert.rejects(visitor.entry(list.id, 'ada@example.com'), { code: 'unauthorized' });
  });

  it('refuses an address that is none', () => {
    for (const url of ['', 'localhost:3000', 'ftp://example.com', 'http://'])
      assert.throws(() => createClient({ url }), /url: must be/, url);
    for (const url of [
      'https://ada:secret@acme.example',
      'https://acme.example/?a=1',
      'https://acme.example#top',
    ])
      assert.throws(() => createClient({ url }), /^TypeError: url: must not have a /, url);
  });

  it('refuses a key that no header can hold, without repeating it', () => {
    for (const key of ['dl_live_“x”', 'dl_live_x\nX-Other: y', 'dl_live_x y'])
      assert.throws(() => createClient({ url: service.url, key }), {
        ...{ name: 'TypeError', message: 'key: has characters that no server key has' },
      });
  });

  it('takes a key with the line break of the file that it was read from', async () => {
    const reader = createClient({ url: service.url, key: `${list.key}\n` });
    assert.equal((await reader.page(list.id, { limit: 1 })).entries.length, 1);
  });

  it('refuses times and numbers that cannot be meant', () => {
    for (const [options, message] of [
      [{ timeoutMs: 0 }, /^TypeError: timeoutMs: must be a whole number from 1 to 2147483647$/],
      [{ timeoutMs: Number.POSITIVE_INFINITY }, /timeoutMs: /],
      [{ timeoutMs: 2 ** 31 }, /timeoutMs: /],
      [{ retries: Number.NaN }, /^TypeError: retries: must be 0 or more$/],
      [{ retries: -1 }, /retries: /],
      [{ retryDelayMs: Number.NaN }, /^TypeError: retryDelayMs: must be 0 or more$/],
    ] as const)
      assert.throws(() => createClient({ url: service.url, ...options }), message);
  });

  it('takes the `nextCursor` of a page, also that of the last one', async () => {
    const own = await service.waitlist();
    await own.signup({ email: 'a@example.com' });
    const { nextCursor: cursor } = await createClient({ url: service.url, key: own.key }).page(own.id);
    assert.equal(cursor, null);
    const again = await createClient({ url: service.url, key: own.key }).page(own.id, { cursor });
    assert.equal(again.entries.length, 1);
  });
});

describe('retries', () => {
  let server: Server;
  let url: string;
  let received: { key: string | undefined; idempotencyKey: string | undefined }[];
  let answers: ((request: IncomingMessage, response: ServerResponse) => void)[];
  before(async () => {
    server = createServer((request, response) => {
      received.push({
        key: request.headers.authorization,
        idempotencyKey: request.headers['idempotency-key'] as string | undefined,
      });
      request.resume().on('end', () => (answers.shift() ?? json(200, { valid: true }))(request, response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const json =
    (status: number, body: unknown, headers: Record<string, string> = {}) =>
    (_: IncomingMessage, response: ServerResponse) => {
      response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1', ...headers });
      response.end(JSON.stringify(body));
    };
  const problem = (status: number, code: string, headers = {}) =>
    json(status, { code, message: `it is ${code}` }, headers);
  const html = (status: number) => (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'text/html' });
    response.end('<h1>Bad gateway</h1>');
  };
  const hangUp = (request: IncomingMessage) => void request.socket.destroy();
  const silence = () => {};
  const start = (script: typeof answers, options = {}) => {
    received = [];
    answers = [...script];
    return createClient({ url, key: 'dl_live_x', retryDelayMs: 1, ...options });
  };

  it('repeat what failed on the way or on the server, until it works', async () => {
    const client = start([hangUp, html(502), problem(503, 'unavailable', { 'retry-after': '0' })]);
    assert.deepEqual(await client.checkInvite('x'), { valid: true });
    assert.equal(received.length, 4);
    assert.equal(received[3]?.key, 'Bearer dl_live_x');
  });

  it('send the same idempotency key each time, and another one for the next call', async () => {
    const client = start([hangUp, problem(500, 'internal_error'), json(200, {})]);
    await client.acceptInvite('x');
    await client.acceptInvite('x');
    const keys = received.map(({ idempotencyKey }) => idempotencyKey);
    assert.equal(keys.length, 4);
    assert.match(keys[0] ?? '', /^[0-9a-f]{32}$/);
    assert.equal(new Set(keys.slice(0, 3)).size, 1);
    assert.notEqual(keys[3], keys[0]);
  });

  it('end after the last one with what the server said', async () => {
    const client = start(
      Array.from({ length: 9 }, () => problem(503, 'unavailable')),
      { retries: 2 },
    );
    await assert.rejects(client.checkInvite('x'), {
      name: 'DoorlistError',
      code: 'unavailable',
      status: 503,
      requestId: 'req_1',
      message: 'it is unavailable',
    });
    assert.equal(received.length, 3);
  });

  it('do not happen for what would fail again', async () => {
    for (const [status, code] of [
      [400, 'invalid_request'],
      [401, 'unauthorized'],
      [404, 'not_found'],
      [409, 'waitlist_closed'],
      [413, 'payload_too_large'],
    ] as const) {
      const client = start([problem(status, code)]);
      await assert.rejects(client.signup('wl_acme', { email: 'a@example.com' }), { code, status });
      assert.equal(received.length, 1);
    }
  });

  it('do not happen for what cannot be sent', async () => {
    const client = start([]);
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    for (const metadata of [{ seats: 10n }, circle])
      await assert.rejects(client.signup('wl_acme', { email: 'a@example.com', metadata }), TypeError);
    await assert.rejects(client.acceptInvite('code', { idempotencyKey: '→' }), TypeError);
    assert.equal(received.length, 0);
  });

  it('wait as long as the server asks, but not for hours', async () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
    for (const retryAfter of ['3600', '99999999', inAnHour]) {
      const client = start([problem(429, 'rate_limited', { 'retry-after': retryAfter })]);
      await assert.rejects(client.checkInvite('x'), { code: 'rate_limited' });
      assert.equal(received.length, 1, retryAfter);
    }
    const past = new Date(0).toUTCString();
    for (const retryAfter of ['0', past, 'soon', '1.5', '-5']) {
      const client = start([problem(429, 'rate_limited', { 'retry-after': retryAfter })]);
      await client.checkInvite('x');
      assert.equal(received.length, 2, retryAfter);
    }
  });

  it('do not take the answer of somebody else for one of Doorlist', async () => {
    for (const answer of [html(200), json(200, null), json(200, 'ok')])
      await assert.rejects(start([answer]).signup('wl_acme', { email: 'a@example.com' }), {
        code: 'unexpected_response',
        status: 200,
      });
    await assert.rejects(start([json(404, { error: 'no' })]).checkInvite('x'), {
      code: 'unexpected_response',
    });
  });

  it('do not follow a redirect, which would lose the key or the body', async () => {
    const client = start([json(301, {}, { location: 'https://waitlist.example.com/' })]);
    await assert.rejects(client.signup('wl_acme', { email: 'a@example.com' }), {
      code: 'unexpected_response',
      status: 301,
      message: 'redirected to https://waitlist.example.com/: use the new address as url',
    });
    assert.equal(received.length, 1);
  });

  it('give each attempt its own time', async () => {
    const client = start([silence], { timeoutMs: 50 });
    assert.deepEqual(await client.checkInvite('x'), { valid: true });
    const never = start([silence, silence], { timeoutMs: 20, retries: 1 });
    await assert.rejects(never.checkInvite('x'), { code: 'timeout', status: null });
  });

  it('stop when the caller does not want the answer any more, also while waiting', async () => {
    const during = new AbortController();
    const asking = start([() => during.abort()]).checkInvite('x', { signal: during.signal });
    await assert.rejects(asking, { name: 'AbortError' });
    const between = new AbortController();
    const refuse = problem(429, 'rate_limited', { 'retry-after': '30' });
    const waiting = start([
      (request, response) => {
        refuse(request, response);
        response.on('close', () => setImmediate(() => between.abort(new Error('enough'))));
      },
    ]).checkInvite('x', { signal: between.signal });
    await assert.rejects(waiting, /enough/);
    assert.equal(received.length, 1);
  });

  it('say so when nobody is there', async () => {
    const client = createClient({ url: 'http://127.0.0.1:1', retries: 1, retryDelayMs: 1 });
    await assert.rejects(client.checkInvite('x'), (error: DoorlistError) => {
      assert.deepEqual([error.code, error.message], ['network_error', 'cannot reach 127.0.0.1:1']);
      return error.cause instanceof Error;
    });
  });
});

describe('verifyWebhook and the deliveries of the service', () => {
  it('agree while a secret is rotated, and not about a changed or an old delivery', async () => {
    const receiver = await startReceiver();
    const service = await startSending('sqlite');
    try {
      const own = await service.waitlist();
      const endpoint = await endpointFor(service.context, await own.queue(), receiver.url);
      const deliver = async (email: string) => {
        const before = receiver.received.length;
        await own.signup({ email });
        await until('a delivery', () => receiver.received.length > before);
        return receiver.received.at(-1) as Received;
      };
      const check = ({ body, headers }: Received, secret: string, now = service.clock.now) =>
        verifyWebhook(body, headers, { secret, now }).then(
          (event) => event.event,
          ({ reason }) => reason,
        );
      const first = await deliver('first@example.com');
      assert.equal(await check(first, endpoint.secret), 'signup.created');
      const { secret } = await rotateEndpointSecret(service.context, endpoint.id, 60_000);
      const during = await deliver('during@example.com');
      assert.equal(await check(during, endpoint.secret), 'signup.created');
      assert.equal(await check(during, secret), 'signup.created');
      assert.equal(await check(first, secret), 'signature_mismatch');
      service.clock.advance(61_000);
      const later = await deliver('later@example.com');
      assert.equal(await check(later, endpoint.secret), 'signature_mismatch');
      assert.equal(await check(later, secret), 'signup.created');
      const changed = { ...later, body: later.body.replace('later@', 'other@') };
      assert.equal(await check(changed, secret), 'signature_mismatch');
      assert.equal(await check(later, secret, service.clock.now + 301_000), 'timestamp_too_old');
    } finally {
      await service.close();
      await receiver.close();
    }
  });
});

describe('verifyWebhook', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const now = Date.UTC(2026, 10, 15, 9, 30);
  const payload = '{"event":"signup.created","data":{"name":"Zoë"}}';
  const sign = (at = now, body = payload, key = secret) => ({
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(at / 1000),
    'webhook-signature': new Webhook(key).sign('evt_1', new Date(at), body),
  });
  const reasonOf = (...[body, headers, options]: Parameters<typeof verifyWebhook>) =>
    verifyWebhook(body, headers, options).then(
      () => 'verified',
      (error) => (error instanceof WebhookError ? error.reason : error),
    );

  it('takes text and bytes, every kind of headers, and both names of each', async () => {
    const headers = sign();
    const other = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.replace('webhook', 'Wh'), value]),
    );
    const distinct = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    for (const body of [payload, new TextEncoder().encode(payload), Buffer.from(payload)])
      for (const given of [headers, new Headers(headers), other, distinct])
        assert.equal((await verifyWebhook(body, given, { secret, now })).event, 'signup.created');
  });

  it('accepts one good signature among several, as during a rotation', async () => {
    const headers = sign();
    const old = sign(now, payload, `whsec_${Buffer.alloc(32, 8).toString('base64')}`);
    const both = {
      ...headers,
      'webhook-signature': `v2,x v1,??? ${old['webhook-signature']} ${headers['webhook-signature']}`,
    };
    assert.equal(await reasonOf(payload, both, { secret, now }), 'verified');
  });

  it('refuses everything else and says why', async () => {
    const headers = sign();
    const { 'webhook-id': _, ...without } = headers;
    const cases: [
      string,
      string | Uint8Array,
      Record<string, string>,
      Partial<{ secret: string; now: number }>,
    ][] = [
      ['signature_mismatch', `${payload} `, headers, {}],
      ['signature_mismatch', payload, { ...headers, 'webhook-id': 'evt_2' }, {}],
      ['signature_mismatch', payload, headers, { secret: `whsec_${btoa('another')}` }],
      ['invalid_secret', payload, headers, { secret: 'whsec_' }],
      ['invalid_secret', payload, headers, { secret: 'whsec_!!!' }],
      ['missing_header', payload, without, {}],
      ['invalid_timestamp', payload, { ...headers, 'webhook-timestamp': '1e9' }, {}],
      ['timestamp_too_old', payload, headers, { now: now + 301_000 }],
      ['timestamp_too_new', payload, headers, { now: now - 301_000 }],
      ['invalid_signature', payload, { ...headers, 'webhook-signature': 'v1a,abc' }, {}],
      ['invalid_payload', 'null', sign(now, 'null'), {}],
    ];
    for (const [reason, body, given, options] of cases)
      assert.equal(await reasonOf(body, given, { secret, now, ...options }), reason);
    assert.equal(await reasonOf(payload, headers, { secret, now: now + 300_000 }), 'verified');
  });
});
