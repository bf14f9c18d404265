import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Document } from '../src/http/docs/document.ts';
import { schemaPlaces } from './support/document-places.ts';
import { forEachEngine, type Service, startService } from './support/harness.ts';
import { type HostileRequest, hostileRequests } from './support/hostile-values.ts';
import { adminToken } from './support/operators.ts';

let service: Service;
const documents: Document[] = [];

before(async () => {
  service = await startService('sqlite');
  for (const path of ['/openapi.json', '/admin/openapi.json'])
    documents.push((await service.request<Document>('GET', path)).body);
});
after(() => service.close());

describe('more unknown fields than anybody reads', () => {
  const withKeys = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 0])));
  const answers = async (rawBody: string) => {
    const list = await service.waitlist();
    const key = await adminToken(service);
    const options = { rawBody, headers: { 'content-type': 'application/json' } };
    return [
      await service.request('POST', '/sdk/v1/waitlist/signup', { key: list.key, ...options }),
      await service.request('PATCH', `/admin/v1/waitlists/${list.id}`, { key, ...options }),
    ];
  };

  it('are told up to the tenth', async () => {
    for (const { status, text } of await answers(withKeys(1_000))) {
      assert.equal(status, 400);
      assert.match(text, /k9: unknown field/);
      assert.doesNotMatch(text, /k10\b/);
    }
  });

  it('are refused before any of them is built', async () => {
    const { parse } = JSON;
    let parsed = 0;
    JSON.parse = (text: string, reviver) => {
      if (text.length > 50_000) parsed += 1;
      return parse(text, reviver);
    };
    try {
      const [signup] = await answers(withKeys(60_000));
      assert.equal(signup?.status, 400);
      assert.match(signup?.text ?? '', /body: has an object with more than 10000 keys/);
    } finally {
      JSON.parse = parse;
    }
    assert.equal(parsed, 0);
  });
});

describe('both OpenAPI documents', () => {
  const places = () => documents.flatMap(schemaPlaces);
  const ofType = (type: string) => places().filter(({ schema }) => [schema.type].flat().includes(type));

  it('say how long each text that is sent may be', () => {
    const texts = ofType('string').filter(({ sent }) => sent);
    assert.ok(texts.length > 200);
    const unbounded = texts.filter(
      ({ schema: { maxLength, enum: choices, const: constant, format } }) =>
        !(maxLength ?? choices ?? constant) && format !== 'date-time',
    );
    assert.deepEqual(
      unbounded.map(({ at }) => at),
      [],
    );
  });

  it('say from where to where each whole number goes, within what a number can be', () => {
    const numbers = ofType('integer');
    assert.ok(numbers.length > 100);
    for (const { at, schema } of numbers) {
      const { minimum = Number.NaN, maximum = Number.NaN } = schema;
      assert.ok(Number.isSafeInteger(minimum) && Number.isSafeInteger(maximum) && minimum <= maximum, at);
    }
  });

  it('say how many elements each list that is sent may have', () => {
    const lists = ofType('array').filter(({ sent }) => sent);
    assert.deepEqual(
      lists.filter(({ schema }) => schema.maxItems === undefined).map(({ at }) => at),
      [],
    );
  });
});

/** The processor time of a request, of all threads of this process, and the longest text that it normalized. */
async function costOf(
  send: () => Promise<number>,
): Promise<{ cpuMs: number; normalized: number; status: number }> {
  const { normalize } = String.prototype;
  let normalized = 0;
  String.prototype.normalize = function (form?: string) {
    normalized = Math.max(normalized, this.length);
    return normalize.call(this, form);
  };
  const before = process.cpuUsage();
  try {
    const status = await send();
    const { user, system } = process.cpuUsage(before);
    return { cpuMs: (user + system) / 1000, normalized, status };
  } finally {
    String.prototype.normalize = normalize;
  }
}

/** Longer than any text is that may be normalized whole. */
const NORMALIZED_MAX = 2_000;
const UNSUSPICIOUS_MS = 60;

forEachEngine((engine) => {
  describe('a value that no caller should send, anywhere in a request', () => {
    let target: Service;
    before(async () => {
      target = await startService(engine);
    });
    after(() => target.close());

    it('gets no 5xx, and no more work than its length is worth', async () => {
      const list = await target.waitlist();
      await list.signup({ email: 'ada@example.com' });
      const key = await adminToken(target);
      const [sdk, admin] = documents as [Document, Document];
      const credentials = [
        { document: sdk, key: list.key },
        { document: admin, key },
      ];
      const [gate, mailEvents] = [await list.gate(), await list.mailEvents()];
      let sent = 0;
      const send = async ({ method, url, rawBody }: HostileRequest, key: string) => {
        sent += 1;
        const where = url.replace(/^\/gate\/v1\/none/, gate).replace(/^\/mail-events\/v1\/none/, mailEvents);
        const body =
          rawBody === undefined ? {} : { rawBody, headers: { 'content-type': 'application/json' } };
        return (await target.request(method, where, { key, ...body })).status;
      };
      for (const { document, key } of credentials) {
        const requests = [...hostileRequests(document, list.id)];
        // What a value costs is the same on both engines, as no statement runs with it.
        const measured = requests.filter(({ isLong }) => isLong && engine === 'sqlite');
        const others = requests.filter((request) => !measured.includes(request));
        for (const some of inGroups(others, 16)) {
          const statuses = await Promise.all(some.map((request) => send(request, key)));
          for (const [at, status] of statuses.entries())
            assert.ok(status < 500, `${some[at]?.what}: ${status}`);
        }
        for (const request of measured) {
          const { cpuMs, normalized, status } = await costOf(() => send(request, key));
          assert.ok(status < 500, `${request.what}: ${status}`);
          assert.ok(normalized < NORMALIZED_MAX, `${request.what}: ${normalized} units were normalized`);
          if (cpuMs < UNSUSPICIOUS_MS) continue;
          const again = await costOf(() => send(request, key));
          const shorter = await costOf(() =>
            send({ ...request, rawBody: quarter(request.rawBody ?? '') }, key),
          );
          const ratio = again.cpuMs / Math.max(shorter.cpuMs, UNSUSPICIOUS_MS / 8);
          assert.ok(ratio < 10, `${request.what}: four times the length takes ${ratio} times as long`);
        }
      }
      assert.ok(sent > 5_000, String(sent));
    });
  });
});

/** The same request with a quarter of its long text. */
function quarter(rawBody: string): string {
  return rawBody.replace(/(a\u0316\u0301){1000,}|\.{1000,}/g, (text) => text.slice(0, text.length / 4));
}

function* inGroups<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}
