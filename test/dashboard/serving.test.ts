import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { ensureDashboard } from '../support/ensure-dashboard.ts';
import { type Answer, forEachEngine, type Service, startService } from '../support/harness.ts';
import { type Browser, setUp } from '../support/operators.ts';

before(() => ensureDashboard());

const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

forEachEngine((engine) => {
  let service: Service;
  let owner: Browser;
  const open = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${service.url}${path}`, { redirect: 'manual', headers: { ...PAGE, ...headers } });
  const assetOf = (page: string, kind: string) => {
    const [, asset] = new RegExp(`"(/assets/[^"]+\\.${kind})"`).exec(page) ?? [];
    assert.ok(asset, page);
    return asset;
  };

  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  describe('the dashboard before the set-up', () => {
    it('leads to the page that says where the set-up link is', async () => {
      for (const path of ['/', '/waitlists', '/instance/team']) {
        const answer = await open(path);
        assert.equal(answer.status, 302, path);
        assert.equal(answer.headers.get('location'), '/setup', path);
      }
      const answer = await open('/setup');
      assert.equal(answer.status, 200);
      assert.match(await answer.text(), /<title>Doorlist<\/title>/);
    });
  });

  describe('the dashboard', () => {
    before(async () => {
      owner = await setUp(service);
    });
    const signedIn = () => ({ cookie: [...owner.cookies].map((pair) => pair.join('=')).join('; ') });

    it('sends people without a session to the sign-in page, which brings them back', async () => {
      const answer = await open('/waitlists/wl_acme/queue?environment=development&status=waiting');
      assert.equal(answer.status, 302);
      const location = new URL(answer.headers.get('location') ?? '', service.url);
      assert.equal(location.pathname, '/sign-in');
      assert.equal(
        location.searchParams.get('next'),
        '/waitlists/wl_acme/queue?environment=development&status=waiting',
      );
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.equal((await open('/')).headers.get('location'), '/sign-in');
      assert.equal((await open('/', { cookie: 'doorlist=forged' })).headers.get('location'), '/sign-in');
    });

    it('shows the sign-in page to everybody, and the set-up page to nobody any more', async () => {
      assert.equal((await open('/sign-in')).status, 200);
      assert.equal((await open('/forgot-password')).status, 200);
      const answer = await open('/setup');
      assert.equal(answer.status, 302);
      assert.equal(answer.headers.get('location'), '/');
    });

    it('answers every address of the app with the page, under a strict policy', async () => {
      for (const path of [
        '/',
        '/waitlists',
        '/waitlists/wl_x/queue?entry=ent_1',
        '/account',
        '/instance/audit',
      ]) {
        const answer = await open(path, signedIn());
        assert.equal(answer.status, 200, path);
        assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
        const policy = answer.headers.get('content-security-policy') ?? '';
        for (const rule of [
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "frame-ancestors 'none'",
          "require-trusted-types-for 'script'",
        ])
          assert.ok(policy.split('; ').includes(rule), `${path}: ${rule}`);
        assert.doesNotMatch(policy, /unsafe|https?:/);
        assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      }
    });

    it('shows emails in a frame without an origin, which runs only its own script', async () => {
      const answer = await open('/mail-frame');
      assert.equal(answer.status, 200);
      const policy = (answer.headers.get('content-security-policy') ?? '').split('; ');
      const [, script = ''] = /<script>(.*)<\/script>/s.exec(await answer.text()) ?? [];
      const hash = createHash('sha256').update(script).digest('base64');
      for (const rule of [
        "default-src 'none'",
        `script-src 'sha256-${hash}'`,
        "frame-ancestors 'self'",
        'sandbox allow-scripts',
      ])
        assert.ok(policy.includes(rule), rule);
    });

    it('validates the page by its ETag', async () => {
      const first = await open('/sign-in');
      const etag = first.headers.get('etag') ?? '';
      assert.match(etag, /^"[\w-]{22}"$/);
      assert.equal(first.headers.get('cache-control'), 'private, no-cache');
      const again = await open('/sign-in', { 'if-none-match': etag });
      assert.equal(again.status, 304);
      assert.equal(await again.text(), '');
    });

    it('serves its files compressed, forever cacheable, and no others', async () => {
      const page = await (await open('/sign-in')).text();
      for (const kind of ['js', 'css']) {
        const path = assetOf(page, kind);
        const plain = await rawGet(service, path, 'identity');
        assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
        assert.equal(plain.headers['content-encoding'], undefined);
        for (const [coding, unpack] of [
          ['br', brotliDecompressSync],
          ['gzip', gunzipSync],
        ] as const) {
          const packed = await rawGet(service, path, coding);
          assert.equal(packed.headers['content-encoding'], coding);
          assert.deepEqual(unpack(packed.body), plain.body, `${path} ${coding}`);
        }
      }
      for (const path of [
        '/assets/nothing.js',
        '/assets/../package.json',
        '/assets/%2e%2e/index.html',
        '/assets/',
      ]) {
        const answer = await service.request('GET', path);
        assert.equal(answer.status, 404, path);
        assert.equal((answer as Answer<{ code: string }>).body.code, 'not_found');
      }
    });

    it('answers unknown paths with its own 404 page for people and JSON for programs', async () => {
      const page = await open('/nothing/here');
      assert.equal(page.status, 404);
      assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
      const program = await service.request<{ code: string }>('GET', '/nothing/here');
      assert.deepEqual([program.status, program.body.code], [404, 'not_found']);
      for (const path of [
        '/sdk/v1/nothing',
        '/admin/v1/nothing',
        '/admin',
        '/form/v1/nothing/at/all',
        '/docs/nothing',
      ]) {
        const answer = await open(path);
        assert.equal(answer.status, 404, path);
        assert.match(answer.headers.get('content-type') ?? '', /^application\/json/, path);
      }
      const posted = await fetch(`${service.url}/nothing/here`, { method: 'POST', headers: PAGE });
      assert.match(posted.headers.get('content-type') ?? '', /^application\/json/);
    });

    it('is read-only: other methods are refused', async () => {
      const answer = await service.request<{ code: string }>('POST', '/waitlists');
      assert.deepEqual([answer.status, answer.body.code], [405, 'method_not_allowed']);
      assert.equal(answer.headers.get('allow'), 'GET, HEAD');
    });
  });
});

describe('the dashboard without built files', () => {
  let problem: string | undefined;
  let service: Service;
  before(async () => {
    service = await startService('sqlite', {
      dashboard: {
        directory: path.join(tmpdir(), 'doorlist-no-dashboard'),
        problem: () => problem,
        building: () => problem === undefined,
      },
    });
  });
  after(() => service.close());
  const read = async () => {
    const answer = await fetch(`${service.url}/sign-in`);
    assert.equal(answer.status, 503);
    return { text: await answer.text(), refresh: answer.headers.get('refresh') };
  };

  it('asks for patience while they are built, and says what to do if that failed', async () => {
    const building = await read();
    assert.match(building.text, /Building the dashboard/);
    assert.equal(building.refresh, '2');
    const ready = await service.request('GET', '/readyz');
    assert.deepEqual([ready.status, ready.body], [200, { status: 'ok', dashboard: 'building' }]);
    problem = 'Vite failed: <script>';
    const failed = await read();
    assert.match(failed.text, /is not built.*npm ci --include=dev.*npm run build/s);
    assert.doesNotMatch(failed.text, /Vite failed/);
    assert.equal(failed.refresh, null);
  });

  it('does not keep the API from working', async () => {
    const ready = await service.request('GET', '/readyz');
    assert.deepEqual([ready.status, ready.body], [200, { status: 'ok', dashboard: 'not_built' }]);
    assert.deepEqual((await service.request('GET', '/healthz')).body, { status: 'ok' });
    assert.equal((await service.request('GET', '/admin/v1/me')).status, 401);
  });
});

/** As it is on the wire: `fetch` would unpack it. */
function rawGet(service: Service, path: string, coding: string) {
  return new Promise<{ headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    request(`${service.url}${path}`, { headers: { 'accept-encoding': coding } }, async (response) => {
      resolve({ headers: response.headers, body: await buffer(response) });
    })
      .on('error', reject)
      .end();
  });
}
