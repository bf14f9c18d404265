import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { get } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { renderPage } from '../src/http/docs/page.ts';
import { operationsOf } from './support/documented.ts';
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
  it('shows every operation, with a way to it from the contents', () => {
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

  it('shows the name of every schema, and those that a field tells apart one by one', () => {
    for (const name of ['SignupRequest', 'SignupResult', 'EntryPage', 'InviteCheck', 'Verification']) {
      assert.ok(page.includes(`<code class="schema">${name}</code>`), name);
    }
    assert.ok(page.includes('array of SignupEntry'));
    assert.match(page, /If <code>valid<\/code> is <code>false<\/code> <code class="schema">InvalidInvite</);
    assert.match(
      page,
      /If <code>verified<\/code> is <code>true<\/code> <code class="schema">VerifiedDelivery</,
    );
    const objects = [...page.matchAll(/<article id="object-(\w+)"/g)].map(([, name]) => name);
    assert.deepEqual(objects.sort(), ['Entry', 'Invite', 'Problem', 'WaitlistReference']);
  });

  it('has no link that leads nowhere', () => {
    const ids = new Set([...page.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id));
    const links = [...page.matchAll(/\bhref="#([^"]+)"/g)].map(([, id]) => id);
    assert.deepEqual(
      links.filter((id) => !ids.has(id)),
      [],
    );
  });

  it('allows its own style and script and nothing else', () => {
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
      targets.filter((target) => !/^(#|data:|\/openapi\.json$)/.test(target)),
      [],
    );
  });

  it('escapes whatever the document says', () => {
    const hostile = JSON.parse(JSON.stringify(reference.document), (key, value) =>
      typeof value === 'string' && ['summary', 'description', 'title', 'message'].includes(key)
        ? `${value}<script>alert("1")</script>'&`
        : value,
    );
    const rendered = renderPage(hostile, '/openapi.json')('http://localhost');
    assert.equal(rendered.match(/<script/g)?.length, 1);
    assert.ok(rendered.includes('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;'));
  });

  it('names the address that it was asked at, unless that is none', async () => {
    assert.ok(
      (await pageFor('waitlist.example:8080')).includes('curl &#39;http://waitlist.example:8080/sdk'),
    );
    const odd = await pageFor("x'$(reboot)");
    assert.ok(!odd.includes('reboot'));
    assert.ok(odd.includes('curl &#39;http://127.0.0.1:3000/sdk'));
  });

  it('has commands that work as they stand', async (test) => {
    const commands = [...page.matchAll(/class="curl"><code>([\s\S]*?)<\/code>/g)].map(([, text = '']) =>
      text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
    );
    assert.equal(commands.length, operationsOf(reference.document).length);
    const run = (command: string) =>
      promisify(execFile)('sh', ['-c', command], { env: { ...process.env, KEY: reference.keys.reader } });
    if (!(await run('command -v curl').catch(() => undefined))) return test.skip('there is no curl');
    const statuses: number[] = [];
    for (const command of commands) {
      const { stdout } = await run(`${command} -s -o /dev/null -w '%{http_code}'`);
      statuses.push(Number(stdout));
    }
    // Signup, page, lookup, invite check, accept of a code that is only an example, verification, health, readiness.
    assert.deepEqual(statuses, [201, 200, 200, 200, 404, 200, 200, 200]);
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
