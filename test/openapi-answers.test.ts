import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Document } from '../src/http/docs/document.ts';
import { assertMatches, operationOf, operationsOf } from './support/documented.ts';
import { type ReferenceApp, startReferenceApp } from './support/reference-app.ts';

let reference: ReferenceApp;
let document: Document;

before(async () => {
  reference = await startReferenceApp();
  document = reference.document;
});
after(() => reference.close());

interface Call {
  operation: string;
  /** The status and, for an error, its code, that this call must get. */
  gets: [number, string?];
  path: string;
  method?: string;
  key?: string;
  type?: string;
  prefer?: string;
  body?: unknown;
}

const SDK = '/sdk/v1/waitlist';

async function perform(call: Call, { url } = reference): Promise<void> {
  const { operation, gets, path: where, method = 'GET', key, type = 'application/json', prefer, body } = call;
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  if (body !== undefined) headers['content-type'] = type;
  if (prefer !== undefined) headers.prefer = prefer;
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url + where, {
    method,
    headers,
    ...(text === undefined ? {} : { body: text }),
  });
  assertDocumented(operation, gets, response.status, await response.json(), response.headers);
}

function assertDocumented(
  id: string,
  [status, code]: Call['gets'],
  given: number,
  body: unknown,
  headers: Headers,
): void {
  const what = `${id} ${given} ${JSON.stringify(body)}`;
  assert.equal(given, status, what);
  const documented = operationOf(document, id).responses[status];
  const media = documented?.content['application/json'];
  assert.ok(documented && media, `${id} does not document ${status}`);
  assertMatches(document, media.schema, body, what);
  for (const name of Object.keys(document.components.headers)) {
    const promised: boolean = name in (documented.headers ?? {});
    // What never reached its route was not counted by its limit, and a preference may be ignored.
    if (headers.has(name) || !(name.startsWith('RateLimit') || name === 'Preference-Applied')) {
      assert.equal(headers.has(name), promised, `${what} header ${name}`);
    }
  }
  if (code === undefined) return;
  const blur = (value: unknown) => JSON.stringify(value).replace(/more than \d+/, 'more than N');
  assert.equal(
    blur(body),
    blur(media.examples[code]?.value),
    `${id} ${status}: the example is not what it says`,
  );
  provoked.add(`${id} ${status} ${code}`);
}

const provoked = new Set<string>();

describe('responses match the OpenAPI document', () => {
  const entry = { email: 'ada@example.com' };
  const signup = (gets: Call['gets'], body: unknown, more: Partial<Call> = {}): Call => ({
    operation: 'createSignups',
    gets,
    path: `${SDK}/signup`,
    method: 'POST',
    key: reference.keys.writer,
    body,
    ...more,
  });

  it('to signups', async () => {
    const ada = { waitlistId: 'wl_acme', entries: [entry] };
    await perform(signup([201], ada));
    await perform(signup([200], ada));
    const represented = { key: reference.keys.reader, prefer: 'return=representation' };
    await perform(signup([200], ada, represented));
    const bad = { waitlistId: 'wl_acme', entries: [entry, entry, entry, { email: 'nobody' }] };
    await perform(signup([400, 'invalid_request'], bad));
    await perform(signup([401, 'unauthorized'], ada, { key: 'wrong' }));
    await perform(signup([404, 'not_found'], { ...ada, waitlistId: 'wl_other' }));
    const closed = { ...ada, waitlistId: 'wl_closed' };
    await perform(signup([409, 'waitlist_closed'], closed, { key: reference.keys.reader }));
    await perform(signup([413, 'payload_too_large'], ' '.repeat(4 * 1024 * 1024 + 1)));
    await perform(signup([415, 'unsupported_media_type'], ada, { type: 'text/plain' }));
  });

  it('to reads', async () => {
    const { reader, writer } = reference.keys;
    for (const [operation, rest] of [
      ['listEntries', '/entries'],
      ['getEntry', '/entries/ada%40example.com'],
    ] as const) {
      const read = (gets: Call['gets'], list: string, key: string): Call => ({
        operation,
        gets,
        path: `${SDK}/${list}${rest}`,
        key,
      });
      await perform(read([200], 'wl_acme', reader));
      await perform(read([401, 'unauthorized'], 'wl_acme', 'wrong'));
      await perform(read([403, 'forbidden'], 'wl_acme', writer));
    }
    const list = `${SDK}/wl_acme/entries`;
    await perform({
      operation: 'listEntries',
      gets: [200],
      path: `${list}?sort=position&limit=1`,
      key: reader,
    });
    const foreign = { operation: 'listEntries', path: `${list}?cursor=x`, key: reader };
    await perform({ ...foreign, gets: [400, 'invalid_request'] });
    const unknown = { operation: 'listEntries', path: `${SDK}/wl_other/entries`, key: reader };
    await perform({ ...unknown, gets: [404, 'not_found'] });
    const nobody = { operation: 'getEntry', path: `${list}/nobody%40example.com`, key: reader };
    await perform({ ...nobody, gets: [404, 'not_found'] });
  });

  it('to invites', async () => {
    const { live, other, revoked, expired } = reference.codes;
    const check = { operation: 'checkInvite' };
    for (const code of [live, revoked, expired, 'unknown']) {
      await perform({ ...check, gets: [200], path: `${SDK}/invites/${code}` });
    }
    await perform({ ...check, gets: [400, 'invalid_request'], path: `${SDK}/invites/${'x'.repeat(201)}` });

    const accept = (gets: Call['gets'], code: string, body?: unknown, more: Partial<Call> = {}): Call => ({
      operation: 'acceptInvite',
      gets,
      path: `${SDK}/invites/${code}/accept`,
      method: 'POST',
      body,
      ...more,
    });
    await perform(accept([400, 'invalid_request'], live, { email: 'nobody' }));
    await perform(accept([409, 'email_mismatch'], live, { email: 'grace@example.com' }));
    await perform(accept([200], live));
    await perform(accept([409, 'accepted'], live));
    await perform(accept([410, 'expired'], expired));
    await perform(accept([410, 'revoked'], revoked));
    await perform(accept([404, 'not_found'], 'unknown'));
    await perform(accept([413, 'payload_too_large'], other, ' '.repeat(16 * 1024 + 1)));
    await perform(accept([415, 'unsupported_media_type'], other, entry, { type: 'text/plain' }));
  });

  it('to the gate', async () => {
    const ask = (gets: Call['gets'], body: unknown, more: Partial<Call> = {}): Call => ({
      operation: 'passGate',
      gets,
      path: `/gate/v1/${reference.keys.gate}`,
      method: 'POST',
      body,
      ...more,
    });
    await perform(ask([200], entry));
    await perform(ask([200], { email: 'nobody@example.com' }));
    await perform(ask([400, 'invalid_request'], { email: 'nobody' }));
    await perform(ask([401, 'unauthorized'], entry, { path: '/gate/v1/wrong' }));
    await perform(ask([413, 'payload_too_large'], ' '.repeat(64 * 1024 + 1)));
    await perform(ask([415, 'unsupported_media_type'], entry, { type: 'text/plain' }));
  });

  it('to mail events', async () => {
    const report = (gets: Call['gets'], body: unknown, more: Partial<Call> = {}): Call => ({
      operation: 'reportMailEvents',
      gets,
      path: `/mail-events/v1/${reference.keys.mailEvents}`,
      method: 'POST',
      body,
      ...more,
    });
    const events = [{ type: 'complaint', ...entry }];
    await perform(report([200], { events }));
    await perform(report([400, 'invalid_request'], {}));
    await perform(report([401, 'unauthorized'], { events }, { path: '/mail-events/v1/wrong' }));
    await perform(report([413, 'payload_too_large'], ' '.repeat(1024 * 1024 + 1)));
    await perform(report([415, 'unsupported_media_type'], { events }, { type: 'text/plain' }));
  });

  it('to webhook verification', async () => {
    const verify = { operation: 'verifyWebhook', path: `${SDK}/webhooks/verify`, method: 'POST' };
    const media = operationOf(document, 'verifyWebhook').requestBody?.content['application/json'];
    const delivery = media?.examples.delivery?.value as { headers: Record<string, string> };
    await perform({ ...verify, gets: [200], body: delivery });
    await perform({ ...verify, gets: [200], body: { ...delivery, payload: '{}' } });
    const response = await fetch(reference.url + verify.path, requestOf({ ...verify, body: delivery }));
    assert.partialDeepStrictEqual(await response.json(), { verified: true }, 'the example is not genuine');
    const { signature: _, ...headers } = delivery.headers;
    await perform({ ...verify, gets: [400, 'invalid_request'], body: { ...delivery, headers } });
    await perform({ ...verify, gets: [415, 'unsupported_media_type'], type: 'text/plain', body: '{}' });
  });

  it('to monitoring', async () => {
    for (const [operation, where] of [
      ['health', '/healthz'],
      ['readiness', '/readyz'],
    ] as const) {
      await perform({ operation, gets: [200], path: where });
      const { status, headers, body } = await sendRaw(`GET ${where} HTTP/1.1\r\nnot a header\r\n\r\n`);
      assertDocumented(operation, [400, 'invalid_request'], status, body, headers);
    }
  });

  it('to a path that is not valid percent-encoding', async () => {
    const where = `${SDK}/wl_acme/entries/%ff`;
    const { status, headers, body } = await sendRaw(
      `GET ${where} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    assertDocumented('getEntry', [400, 'invalid_request'], status, body, headers);
  });

  it('past a rate limit', async () => {
    const one = {
      inviteCheck: 1,
      inviteAccept: 1,
      verify: 1,
      authFailures: 1,
      perKey: 1,
      signIn: 1,
      form: 1,
      formRead: 1,
      formWaitlist: 1,
    };
    const limited = await startReferenceApp(one);
    try {
      for (const call of callsOfAll(limited)) {
        await fetch(limited.url + call.path, requestOf(call));
        if (call.key) await fetch(limited.url + call.path, requestOf(call));
        await perform({ ...call, gets: [429, 'rate_limited'] }, limited);
      }
    } finally {
      await limited.close();
    }
  });

  it('during shutdown', async () => {
    const stopping = await startReferenceApp();
    try {
      await stopping.drain();
      const monitoring = [
        { operation: 'health', path: '/healthz' },
        { operation: 'readiness', path: '/readyz' },
      ];
      for (const call of [...callsOfAll(stopping), ...monitoring]) {
        await perform({ ...call, gets: [503, 'unavailable'] }, stopping);
      }
    } finally {
      await stopping.close();
    }
  });

  it('for every documented error', () => {
    const documented = operationsOf(document).flatMap(({ operation }) =>
      Object.entries(operation.responses)
        .filter(([status]) => Number(status) >= 400)
        .flatMap(([status, { content }]) =>
          Object.keys(content['application/json']?.examples ?? {}).map(
            (code) => `${operation.operationId} ${status} ${code}`,
          ),
        ),
    );
    // A defect of our own is the one error that cannot be asked for.
    const expected = documented.filter((name) => !name.endsWith('500 internal_error'));
    assert.deepEqual([...provoked].sort(), expected.sort());
  });
});

function callsOfAll({ keys }: ReferenceApp): Omit<Call, 'gets'>[] {
  return [
    { operation: 'createSignups', path: `${SDK}/signup`, method: 'POST', key: keys.writer, body: {} },
    { operation: 'listEntries', path: `${SDK}/wl_acme/entries`, key: keys.reader },
    { operation: 'getEntry', path: `${SDK}/wl_acme/entries/ada%40example.com`, key: keys.reader },
    { operation: 'checkInvite', path: `${SDK}/invites/unknown` },
    { operation: 'acceptInvite', path: `${SDK}/invites/unknown/accept`, method: 'POST' },
    { operation: 'verifyWebhook', path: `${SDK}/webhooks/verify`, method: 'POST', body: {} },
    { operation: 'passGate', path: `/gate/v1/${keys.gate}`, method: 'POST', body: {} },
    {
      operation: 'reportMailEvents',
      path: `/mail-events/v1/${keys.mailEvents}`,
      method: 'POST',
      body: {},
    },
  ];
}

function requestOf({ method = 'GET', key, body }: Omit<Call, 'gets'>): RequestInit {
  return {
    method,
    headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

/** What fetch would not send. */
async function sendRaw(request: string): Promise<{ status: number; headers: Headers; body: unknown }> {
  const { port } = new URL(reference.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.end(request);
  let text = '';
  for await (const chunk of socket) text += chunk;
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(': ', 2) as [string, string]));
  return { status: Number(first.split(' ')[1]), headers, body: JSON.parse(body) };
}
