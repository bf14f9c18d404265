import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Document } from '../src/http/docs/document.ts';
import { adminClient } from './support/admin.ts';
import { schemaPlaces } from './support/document-places.ts';
import { existingThings } from './support/existing-things.ts';
import { forEachEngine, type Service, startService } from './support/harness.ts';
import { HOSTILE_JSON, type HostileRequest, hostileRequests } from './support/hostile-values.ts';
import { adminToken } from './support/operators.ts';
import { LOOPBACK } from './support/webhooks.ts';

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

/** The processor time of a request, of the thread that everybody's requests wait for, and the longest text that it normalized. */
async function costOf(
  send: () => Promise<number>,
): Promise<{ cpuMs: number; normalized: number; status: number }> {
  const { normalize } = String.prototype;
  let normalized = 0;
  String.prototype.normalize = function (form?: string) {
    normalized = Math.max(normalized, this.length);
    return normalize.call(this, form);
  };
  const before = process.threadCpuUsage();
  try {
    const status = await send();
    return { cpuMs: threadMsSince(before), normalized, status };
  } finally {
    String.prototype.normalize = normalize;
  }
}

/** Longer than any text is that may be normalized whole. */
const NORMALIZED_MAX = 2_000;
/**
 * A piece takes about 25 ms on a slow core, so others wait for less than 100 ms. The densest bodies that are read to their
 * end take one and a half: most of that is `JSON.parse`. Counted in pieces, because a busy machine slows down both.
 */
const PIECES_OF_WORK_MAX = 4;

/**
 * The processor time that `JSON.parse` takes here and now for a hundred thousand short texts. Taken over several, because
 * the system may count in steps of 4 ms.
 */
function pieceOfWorkMs(): number {
  const json = HOSTILE_JSON['a hundred thousand elements'] as string;
  const times = 8;
  const before = process.threadCpuUsage();
  for (let time = 0; time < times; time += 1) JSON.parse(json);
  return threadMsSince(before) / times;
}

function threadMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

forEachEngine((engine) => {
  describe('a value that no caller should send, anywhere in a request', () => {
    let target: Service;
    before(async () => {
      target = await startService(engine, { environment: LOOPBACK });
    });
    after(() => target.close());

    it('gets no 5xx, and no more work than its length is worth', async () => {
      const list = await target.waitlist();
      const existing = await existingThings(await adminClient(target), list);
      const key = await adminToken(target);
      const pieceMs = pieceOfWorkMs();
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
        const requests = [...hostileRequests(document, existing)];
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
          let least = cpuMs / pieceMs;
          // Others of this process may have cost it: what a request costs itself, it costs each time.
          for (let again = 1; again <= 9 && least > PIECES_OF_WORK_MAX; again += 1)
            least = Math.min(least, (await costOf(() => send(request, key))).cpuMs / pieceOfWorkMs());
          assert.ok(least <= PIECES_OF_WORK_MAX, `${request.what}: costs ${least} pieces of work`);
        }
      }
      assert.ok(sent > 5_000, String(sent));
    });
  });
});

function* inGroups<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}
