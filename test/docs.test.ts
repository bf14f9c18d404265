import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { get } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import Fastify from 'fastify';
import Type from 'typebox';
import type { Document } from '../src/http/docs/document.ts';
import { renderPage } from '../src/http/docs/reference-page.ts';
import { CONTENTS } from '../src/http/guides/contents.ts';
import { registerDocs } from '../src/http/plugins/docs.ts';
import { type Api, registerOpenApi } from '../src/http/plugins/openapi.ts';
import { okResponse } from '../src/http/responses.ts';
import { operationsOf } from './support/documented.ts';
import { without } from './support/programs.ts';
import { type ReferenceApp, startReferenceApp } from './support/reference-app.ts';

let reference: ReferenceApp;
let page: string;
let policy: string;

before(async () => {
  reference = await startReferenceApp();
  const response = await fetch(`${reference.url}/docs`);
  page = await response.text();
  policy = response.headers.get('content-security-policy') ?? '';
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
});
after(() => reference.close());

describe('/docs', () => {
  it('shows every operation, linked from the contents', () => {
    for (const { operation, path } of operationsOf(reference.document)) {
      assert.ok(page.includes(`<article id="${operation.operationId}"`), operation.operationId);
      assert.ok(page.includes(`<a href="#${operation.operationId}">`), operation.operationId);
      assert.ok(page.replaceAll(/<wbr>|<\/?em>/g, '').includes(path), path);
    }
  });

  it('shows every event that webhooks are sent, with its data', () => {
    for (const [kind, { post }] of Object.entries(reference.document.webhooks)) {
      assert.ok(page.includes(`<a href="#${post.operationId}">${kind}</a>`), kind);
      assert.ok(page.includes(`aria-label="Data of ${kind}"`), kind);
    }
    assert.ok(page.includes('<a href="#object-Entry">Entry</a> or null'));
    assert.match(page, /wh-signature<\/code>/);
  });

  it('shows the name of every schema, and each variant of a discriminated one', () => {
    for (const name of ['SignupRequest', 'SignupResult', 'EntryPage', 'InviteCheck', 'Verification']) {
      assert.ok(page.includes(`<code class="schema">${name}</code>`), name);
    }
    assert.ok(page.includes('array of SignupEntry'));
    assert.match(page, /When <code>valid<\/code> is <code>false<\/code> <code class="schema">InvalidInvite</);
    assert.match(
      page,
      /When <code>verified<\/code> is <code>true<\/code> <code class="schema">VerifiedDelivery</,
    );
    const objects = [...page.matchAll(/<article id="object-(\w+)"/g)].map(([, name]) => name);
    assert.deepEqual(objects.sort(), ['Entry', 'Invite', 'Problem', 'WaitlistReference', 'WaveReference']);
  });

  it('links to every page of the documentation', () => {
    for (const { slug } of CONTENTS.flatMap(({ pages }) => pages))
      assert.ok(page.includes(`<li><a href="/docs/${slug}">`), slug);
  });

  it('has no broken links', () => {
    const ids = new Set([...page.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id));
    const links = [...page.matchAll(/\bhref="#([^"]+)"/g)].map(([, id]) => id);
    assert.deepEqual(
      links.filter((id) => !ids.has(id)),
      [],
    );
  });

  it('allows only its own style and script', () => {
    assert.match(policy, /^default-src 'none'; /);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    for (const [directive, tag] of [
      ['style-src', 'style'],
      ['script-src', 'script'],
    ] as const) {
      const [, text = ''] = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(page) ?? [];
      const hash = createHash('sha256').update(text).digest('base64');
      assert.ok(policy.includes(`${directive} 'sha256-${hash}'`), directive);
    }
    assert.doesNotMatch(page, /\s(style|on\w+)="/);
    const targets = [...page.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, target = '']) => target);
    assert.deepEqual(
      targets.filter((target) => !/^(#|data:|\/openapi\.json$|\/docs\/[\w-]+$)/.test(target)),
      [],
    );
  });

  it('escapes everything in the document', () => {
    const hostile = JSON.parse(JSON.stringify(reference.document), (key, value) =>
      typeof value === 'string' && ['summary', 'description', 'title', 'message'].includes(key)
        ? `${value}<script>alert("1")</script>'&`
        : value,
    );
    const rendered = renderPage(hostile, { source: '/openapi.json' })('http://localhost');
    assert.equal(rendered.match(/<script/g)?.length, 1);
    assert.ok(rendered.includes('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;'));
  });

  it('shows the address it was requested at, unless that is invalid', async () => {
    assert.ok(
      (await pageFor('waitlist.example:8080')).includes('curl &#39;http://waitlist.example:8080/sdk'),
    );
    const odd = await pageFor("x'$(reboot)");
    assert.ok(!odd.includes('reboot'));
    assert.ok(odd.includes('curl &#39;http://127.0.0.1:3000/sdk'));
  });

  it('is built for each document separately: its tagged routes, and no events if it has none', async () => {
    const app = Fastify();
    const api = (name: string): Api => ({
      path: `/${name}.json`,
      title: `The ${name} API`,
      summary: '',
      description: `All about ${name}.`,
      tags: [{ name, description: `Ask for ${name}.` }],
      securitySchemes: { [`${name}Key`]: { type: 'http', scheme: 'bearer', description: '' } },
      webhooks: {},
    });
    const documents: (() => Document)[] = [];
    for (const name of ['tea', 'coffee']) {
      const document = await registerOpenApi(app, api(name), '1.0.0');
      registerDocs(app, { path: `/docs/${name}`, source: `/${name}.json`, document });
      documents.push(document);
    }
    for (const name of ['tea', 'coffee']) {
      const Cup = Type.Object({ cups: Type.Integer() }, { 'x-name': `${name}Cup` });
      const response = {
        200: okResponse({ description: 'A cup.', schema: Cup, examples: {}, limited: false }),
      };
      const security = [{ [`${name}Key`]: [] }];
      const schema = {
        operationId: name,
        tags: [name],
        summary: name,
        description: 'Asks.',
        security,
        response,
      };
      app.get(`/${name}`, { schema, serializerCompiler: () => JSON.stringify }, async () => ({ cups: 1 }));
    }
    await app.ready();
    try {
      for (const [index, name] of ['tea', 'coffee'].entries()) {
        const document = documents[index]?.();
        assert.deepEqual(Object.keys(document?.paths ?? {}), [`/${name}`]);
        assert.deepEqual(Object.keys(document?.components.schemas ?? {}), [`${name}Cup`]);
        const { body } = await app.inject(`/docs/${name}`);
        assert.ok(body.includes(`<title>The ${name} API reference</title>`));
        assert.ok(body.includes(`href="/${name}.json"`) && body.includes(`<article id="${name}"`));
        assert.match(body, new RegExp(`${name} key</a>`, 'i'));
        assert.doesNotMatch(body, /section-events|event-envelope/);
      }
    } finally {
      await app.close();
    }
  });

  it('has commands that work as shown', { skip: without('curl') }, async () => {
    const commands = [...page.matchAll(/class="curl"><code>([\s\S]*?)<\/code>/g)].map(([, text = '']) =>
      text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
    );
    assert.equal(commands.length, operationsOf(reference.document).length);
    const run = (command: string) =>
      promisify(execFile)('sh', ['-c', command], { env: { ...process.env, KEY: reference.keys.reader } });
    const statuses: number[] = [];
    for (const command of commands) {
      const { stdout } = await run(`${command} -s -o /dev/null -w '%{http_code}'`);
      statuses.push(Number(stdout));
    }
    // Signup, page, lookup, invite check, accept of a code, the gate and mail events with keys that are only examples,
    // verification, health, readiness.
    assert.deepEqual(statuses, [201, 200, 200, 200, 404, 401, 401, 200, 200, 200]);
  });
});

function pageFor(host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(`${reference.url}/docs`, { headers: { host }, agent: false }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve(text);
    }).on('error', reject);
  });
}
