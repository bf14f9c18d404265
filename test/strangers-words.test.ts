import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Document } from '../src/http/docs/document.ts';
import { updateWaitlist } from '../src/waitlist/settings/update-waitlist.ts';
import { readValues } from '../src/waitlist/statistics/read-statistics.ts';
import { keepUp } from '../src/waitlist/upkeep/upkeep.ts';
import { mapText } from '../web/src/pages/transfer/column-map.ts';
import { parseSearch } from '../web/src/search.ts';
import { type AdminClient, adminClient, succeeded } from './support/admin.ts';
import { operationsOf } from './support/documented.ts';
import { openForm } from './support/forms.ts';
import { assertError, forEachEngine, type List, type Service, startService } from './support/harness.ts';
import { assertProperty } from './support/property.ts';
import { command } from './support/terminal.ts';
import { endpointFor, LOOPBACK } from './support/webhooks.ts';

/** What every object has, so that a careless lookup finds it. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype);
/** The API refuses this one as a key. */
const REFUSED = '__proto__';
const WORDS = INHERITED.filter((word) => word !== REFUSED);

const words = fc.uniqueArray(fc.constantFrom(...WORDS, 'plan', 'source'), { minLength: 1, maxLength: 5 });
const RUNS = { numRuns: 3, seed: 7 };

interface Job {
  id: string;
  state: string;
  error: string | null;
  result: { created: number; failed: number };
}

forEachEngine((engine) => {
  describe('words that every object knows', () => {
    let service: Service;
    let admin: AdminClient;
    let list: List;
    before(async () => {
      service = await startService(engine);
      admin = await adminClient(service);
      list = await service.waitlist();
    });
    after(() => service.close());

    const upload = async (to: List, rawBody: string, type: string, query = '') => {
      const headers = { 'content-type': type };
      const sent = await admin.request<Job>('POST', `/waitlists/${to.id}/imports${query}`, {
        rawBody,
        headers,
      });
      const { id } = succeeded(sent, 202);
      await service.runJobs();
      return succeeded(await admin.get<Job>(`/jobs/${id}`));
    };
    const metadataOf = async (to: List) => (await to.lookup('ada@example.com')).body.metadata;

    it('are ordinary columns of an import', async (test) => {
      await assertProperty(
        test,
        import.meta.filename,
        fc.asyncProperty(words, async (columns) => {
          const wanted = Object.fromEntries(columns.map((column) => [column, `value of ${column}`]));
          const csv = `email,${columns.join(',')}\nada@example.com,${Object.values(wanted).join(',')}\n`;
          const map = `?map=${encodeURIComponent(columns.map((name) => `${name}=metadata.${name}`).join(','))}`;
          const json = JSON.stringify({ email: 'ada@example.com', ...wanted });
          for (const [body, type, query] of [
            [csv, 'text/csv', ''],
            [csv, 'text/csv', map],
            [`[${json}]`, 'application/json', ''],
            [json, 'application/x-ndjson', ''],
          ] as const) {
            const to = await service.waitlist();
            const { state, error, result } = await upload(to, body, type, query);
            assert.deepEqual(
              [state, error, result?.created],
              ['done', null, 1],
              `${type}${query} ${columns}`,
            );
            assert.deepEqual(await metadataOf(to), wanted);
          }
        }),
        RUNS,
      );
    });

    it('are ordinary metadata keys: to sign up with, to change, to select by and to count', async (test) => {
      await assertProperty(
        test,
        import.meta.filename,
        fc.asyncProperty(words, async (keys) => {
          const to = await service.waitlist();
          const metadata = Object.fromEntries(keys.map((key) => [key, key.length]));
          assert.equal((await to.signup({ email: 'ada@example.com', metadata })).status, 201);
          assert.equal((await to.signup({ email: 'bob@example.com' })).status, 201);
          assert.deepEqual(await metadataOf(to), metadata);
          await updateWaitlist(service.context, to.id, { metadataKeys: keys });
          await keepUp(service.context);
          const day = { from: 0, to: Number.MAX_SAFE_INTEGER };
          for (const { key, values } of await readValues(service.context, await to.queue(), day))
            assert.deepEqual(values, [{ value: key.length, signups: 1 }], key);
          for (const key of keys) {
            const where = encodeURIComponent(`${key}=${key.length}`);
            const page = await admin.get<{ entries: { id: string }[] }>(
              `/waitlists/${to.id}/entries?where=${where}`,
            );
            const [entry, ...others] = succeeded(page).entries;
            assert.ok(entry && others.length === 0, `${key} selects one`);
            succeeded(
              await admin.patch(`/waitlists/${to.id}/entries/${entry.id}`, { metadata: { [key]: 'new' } }),
            );
            assert.deepEqual(await metadataOf(to), { [key]: 'new' });
            succeeded(await admin.patch(`/waitlists/${to.id}/entries/${entry.id}`, { metadata }));
          }
        }),
        RUNS,
      );
      const refused = await service.request('POST', '/sdk/v1/waitlist/signup', {
        key: list.key,
        rawBody: `{"waitlistId":"${list.id}","entries":[{"email":"eve@example.com","metadata":{"${REFUSED}":1}}]}`,
        headers: { 'content-type': 'application/json' },
      });
      assertError(refused, 400, 'invalid_request', /__proto__/);
    });
  });
});

describe('words that every object knows, whatever the engine', () => {
  let service: Service;
  let admin: AdminClient;
  let list: List;
  before(async () => {
    service = await startService('sqlite', { environment: LOOPBACK });
    admin = await adminClient(service);
    list = await service.waitlist();
  });
  after(() => service.close());

  it('are ordinary fields of a form, and unknown ones where the form has none', async () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty']) {
      const fields = ['text', 'checkbox'].map((type) => ({
        name: type === 'text' ? name : 'valueOf',
        label: name,
        type: type as 'text' | 'checkbox',
        required: false,
      }));
      const form = await openForm(service, { fields });
      const page = await (await fetch(`${service.url}/w/${form.key}`)).text();
      assert.doesNotMatch(page, /native code/);
      assert.equal((await form.join({ email: 'ada@example.com' })).status, 200);
      assert.deepEqual((await form.list.lookup('ada@example.com')).body.metadata, { valueOf: false });
      assert.equal((await form.join({ email: 'bob@example.com', [name]: 'x' })).status, 200);
      const bob = (await form.list.lookup('bob@example.com')).body.metadata;
      assert.deepEqual(bob, { [name]: 'x', valueOf: false });
    }
    const plain = await openForm(service);
    for (const name of INHERITED) {
      const answer = await plain.send({ email: 'ada@example.com', [name]: 'x', token: plain.token() });
      assert.ok(answer.status < 500, `${name}: ${answer.status}`);
    }
  });

  it('are empty in a template, and no tag or filter', async () => {
    const preview = async (body: string) =>
      succeeded(
        await admin.post<{ text: string | null; problems: object[] }>(
          `/waitlists/${list.id}/mail/templates/welcome/preview`,
          { subject: 'Hello', body },
        ),
      );
    for (const word of INHERITED) {
      const { text, problems } = await preview(`A{{ metadata.${word} }}B{{ metadata["${word}"] }}C`);
      assert.deepEqual([problems, text?.includes('ABC')], [[], true], word);
      for (const body of [
        `{{ ${word} }}`,
        `{% ${word} %}`,
        `{{ position | ${word} }}`,
        `{{ position.${word} }}`,
      ])
        assert.equal((await preview(body)).problems.length, 1, body);
    }
  });

  it('are ordinary headers of a webhook, and of a request', async () => {
    const names = WORDS.filter((word) => /^[a-z]+$/i.test(word));
    const headers = Object.fromEntries(names.map((name) => [name, 'x']));
    const { id } = await endpointFor(service.context, await list.queue(), 'http://127.0.0.1:9/', {
      headers,
    });
    const shown = await admin.get<{ headers: string[] }>(`/waitlists/${list.id}/webhooks/${id}`);
    assert.deepEqual(succeeded(shown).headers.toSorted(), names.toSorted());
    const page = await service.request('GET', `/sdk/v1/waitlist/${list.id}/entries`, {
      key: list.key,
      headers,
    });
    assert.equal(page.status, 200, page.text);
  });

  it('are unknown parameters, fields and ids to every operation', async () => {
    for (const at of ['/openapi.json', '/admin/openapi.json']) {
      const { body } = await service.request<Document>('GET', at);
      for (const { path, method, operation } of operationsOf(body)) {
        if (path.endsWith('/stream')) continue;
        for (const word of ['constructor', REFUSED]) {
          const url = path.replace('{waitlistId}', list.id).replace(/\{[^}]+\}/g, word);
          const key = path.startsWith('/sdk') ? list.key : undefined;
          const query = `${url}?${word}=1`;
          const send = key
            ? service.request(method.toUpperCase(), query, { key, ...bodyOf(operation, word) })
            : admin.request(method.toUpperCase(), query.replace('/admin/v1', ''), bodyOf(operation, word));
          const answer = await send;
          assert.ok(answer.status < 500, `${method} ${query}: ${answer.text}`);
        }
      }
    }
  });

  it('are unknown commands and flags', async () => {
    for (const word of ['constructor', REFUSED, 'hasOwnProperty']) {
      for (const given of [[word], [word, word], ['waitlist', word], ['waitlist', 'list', `--${word}`]]) {
        const { code, error } = await command(service.storage.environment, ...given);
        assert.deepEqual(
          [code, /unknown/i.test(error), / {4}at /.test(error)],
          [2, true, false],
          given.join(' '),
        );
      }
    }
  });
});

function bodyOf(operation: { requestBody?: unknown }, word: string) {
  if (!operation.requestBody) return {};
  return { rawBody: `{"${word}":{"${word}":"x"}}`, headers: { 'content-type': 'application/json' } };
}

describe('words that every object knows, in the dashboard', () => {
  it('are ordinary parameters of an address', () => {
    for (const word of INHERITED) {
      const search = parseSearch(`?${word}=a&${word}=b&x=1`);
      assert.deepEqual(Object.entries(search), [
        [word, ['a', 'b']],
        ['x', '1'],
      ]);
    }
  });

  it('are ordinary columns to map', () => {
    for (const word of INHERITED) {
      assert.equal(mapText(new Map([[word, 'metadata']])), `${word}=metadata.${word}`);
    }
  });
});
