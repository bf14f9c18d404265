import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CONTENTS } from '../src/http/guides/contents.ts';
import { readSite } from '../src/http/guides/site.ts';
import { COMMAND } from '../src/lib/root.ts';
import { type ReferenceApp, startReferenceApp } from './support/reference-app.ts';

const ROOT = path.join(import.meta.dirname, '..');
const SOURCES = CONTENTS.flatMap(({ pages }) => pages);

let reference: ReferenceApp;
before(async () => {
  reference = await startReferenceApp();
});
after(() => reference.close());

const read = async (where: string) => {
  const { statusCode, headers, body } = await reference.app.inject(where);
  return { status: statusCode, headers, text: body };
};

describe('the documentation at /docs', () => {
  it('has every page of the repository, listed in the README with the same words', () => {
    const files = readdirSync(path.join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
    const shown = SOURCES.map(({ file }) => file).filter((file) => file.startsWith('docs/'));
    assert.deepEqual(shown.toSorted(), files.map((name) => `docs/${name}`).toSorted());
    const readme = readFileSync(path.join(ROOT, 'README.md'), 'utf8');
    const listed = [...readme.matchAll(/^- \[.+\]\((docs\/.+)\): (.+)$/gm)].map(([, file, about]) => [
      file,
      about,
    ]);
    const wanted = SOURCES.filter(({ file }) => file.startsWith('docs/')).map(({ file, about }) => [
      file,
      about,
    ]);
    assert.deepEqual(listed, wanted);
  });

  it('shows each page with its text, its outline and the navigation', async () => {
    const { pages } = readSite(ROOT, COMMAND);
    for (const { slug, title, sections } of pages) {
      const { status, headers, text } = await read(`/docs/${slug}`);
      assert.equal(status, 200, slug);
      assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      assert.ok(text.includes(`<title>${escaped(title)} – Doorlist</title>`), slug);
      assert.match(text, new RegExp(`href="/docs/${slug}" aria-current="page"`));
      for (const { id } of sections)
        assert.ok(text.includes(` id="${id}"><a href="#${id}"`), `${slug}#${id}`);
      const ids = [...text.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id);
      assert.equal(new Set(ids).size, ids.length, `an id of ${slug} occurs twice`);
    }
    const start = (await read('/docs/quick-start')).text;
    for (const title of ['Start', 'Add someone', 'Look someone up', 'Invite someone'])
      assert.ok(start.includes(`>${title}</a></h2>`), title);
    assert.doesNotMatch(start, /Development|DOORLIST_SESSION_IDLE/);
    assert.match(
      (await read('/docs/configuration')).text,
      /<td data-label="Variable"><code>DOORLIST_SESSION_IDLE<\/code><\/td>/,
    );
  });

  it('has no broken links, neither in pages nor in Markdown', async () => {
    const places = new Map<string, Set<string>>();
    const follow = async (where: string) => {
      const known = places.get(where);
      if (known) return known;
      const { status, text } = await read(where);
      assert.equal(status, 200, where);
      const ids = new Set([...text.matchAll(/\bid="([^"]+)"/g)].map(([, id = '']) => id));
      places.set(where, ids);
      return ids;
    };
    let count = 0;
    for (const { slug } of SOURCES) {
      const page = (await read(`/docs/${slug}`)).text;
      const markdown = (await read(`/docs/${slug}.md`)).text.replace(/^```.*?^```/gms, '');
      const inPage = [...page.matchAll(/\b(?:href|src|srcset)="([^"]+)"/g)].map(([, target = '']) => target);
      const inText = [...markdown.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
      for (const target of [...inPage, ...inText]) {
        if (/^(https:|data:)/.test(target)) continue;
        const url = new URL(target, `http://localhost/docs/${slug}`);
        const ids = await follow(url.pathname);
        // A page of Markdown has no anchors of its own. The same page has them.
        const anchors = url.pathname.endsWith('.md') ? await follow(url.pathname.slice(0, -3)) : ids;
        if (url.hash) assert.ok(anchors.has(url.hash.slice(1)), `${slug}: ${target}`);
        count += 1;
      }
    }
    assert.ok(count > 1000, `only ${count} links were found`);
  });

  it('loads nothing from elsewhere, and allows only its own style and script', async () => {
    for (const where of ['/docs/queue', '/docs/dashboard', '/docs/search?q=invite']) {
      const { headers, text } = await read(where);
      const policy = String(headers['content-security-policy']);
      assert.match(policy, /^default-src 'none'; /);
      assert.doesNotMatch(policy, /unsafe|https?:|\*/);
      for (const [directive, tag] of [
        ['style-src', 'style'],
        ['script-src', 'script'],
      ] as const) {
        const [, content = ''] = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(text) ?? [];
        const hash = createHash('sha256').update(content).digest('base64');
        assert.ok(policy.includes(`${directive} 'sha256-${hash}'`), directive);
      }
      assert.doesNotMatch(text, /\s(style|on\w+)="/);
      assert.doesNotMatch(text, /<(?:img|source|script)[^>]*https?:/);
    }
  });

  it('shows commands as its reader runs them', () => {
    const { pages } = readSite(ROOT, 'doorlist');
    const queue = pages.find(({ slug }) => slug === 'queue');
    assert.match(queue?.markdown ?? '', /^doorlist waitlist update wl_acme --boost 10$/m);
    assert.match(queue?.content().text ?? '', />doorlist waitlist update wl_acme --boost 10/);
    assert.ok(!pages.some(({ content }) => content().text.includes('npm run -s doorlist -- ')));
  });

  it('sends each page as Markdown, and pictures', async () => {
    const { headers, text } = await read('/docs/operators.md');
    assert.equal(headers['content-type'], 'text/markdown; charset=utf-8');
    assert.match(text, /^# Operators and the admin API\n/);
    const picture = await read('/docs/images/overview-light.webp');
    assert.equal(picture.headers['content-type'], 'image/webp');
    for (const where of [
      '/docs/nothing',
      '/docs/nothing.md',
      '/docs/images/nothing.png',
      '/docs/images/..%2Fqueue.md',
    ])
      assert.equal((await read(where)).status, 404, where);
  });

  it('is listed for language models, with addresses that work', async () => {
    const { headers, text } = await read('/llms.txt');
    assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
    assert.match(text, /^# Doorlist\n\n> .+\n\n## Start\n\n- \[Quick start\]\(/);
    const links = [...text.matchAll(/^- \[.+?\]\(http:\/\/localhost:80(\/.+?)\): .+$/gm)].map(
      ([, link = '']) => link,
    );
    assert.equal(links.length, SOURCES.length + 2);
    for (const link of links) assert.equal((await read(link)).status, 200, link);
    assert.match(
      text,
      /## Optional\n\n- \[Architecture\].+\n- \[Benchmarks\].+\n- \[Adding to Doorlist\].+\n$/,
    );
    const full = (await read('/llms-full.txt')).text;
    assert.match(full, /^# The queue$/m);
    assert.doesNotMatch(full, /^# Architecture$/m);
  });
});

describe('the search of the documentation', () => {
  const titles = (text: string) =>
    [...text.matchAll(/<li><a href="([^"]+)">(.+?)<\/a>/g)].map(([, href, title]) => ({ href, title }));
  const results = async (query: string) => {
    const { status, text } = await read(`/docs/search?q=${encodeURIComponent(query)}`);
    assert.equal(status, 200);
    return { text, found: titles(text.split('<ol class="results">')[1] ?? '') };
  };

  it('finds sections by their titles first, and operations of both APIs', async () => {
    const { found, text } = await results('Rotating the secret');
    assert.deepEqual(found[0], { href: '/docs/webhooks#rotating-the-secret', title: 'Rotating the secret' });
    assert.match(text, /<mark>secret<\/mark>/i);
    const accept = (await results('accept an invite')).found;
    assert.ok(accept.some(({ href }) => href === '/docs#acceptInvite'));
    const team = (await results('audit records')).found;
    assert.ok(team.some(({ href }) => href?.startsWith('/docs/admin#')));
  });

  it('wants every word, in any case', async () => {
    assert.ok((await results('PGBOUNCER pooler')).found.length > 0);
    const none = await results('pgbouncer leaderboards-of-nobody');
    assert.deepEqual(none.found, []);
    assert.match(none.text, /Nothing found for “pgbouncer leaderboards-of-nobody”/);
  });

  it('lists all pages without a question', async () => {
    const { text } = await read('/docs/search');
    for (const { slug } of SOURCES) assert.ok(text.includes(`<li><a href="/docs/${slug}">`), slug);
  });

  it('escapes what was asked, and takes odd questions', async () => {
    const { text } = await results('<script>alert(1)</script>"');
    assert.equal(text.match(/<script/g)?.length, 1);
    assert.ok(text.includes('value="&lt;script&gt;alert(1)&lt;/script&gt;&quot;"'));
    for (const odd of ['(', '[a-', '\\', '.*', ' ', 'é'.repeat(5000)]) await results(odd);
    assert.equal((await read('/docs/search?q=a&q=b')).status, 200);
  });
});

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll("'", '&#39;');
}
