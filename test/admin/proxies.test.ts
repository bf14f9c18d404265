import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertError, forEachEngine, type Service, startService } from '../support/harness.ts';
import { type Browser, browserOf, join, OWNER, PASSWORD, setUp, tokenOf } from '../support/operators.ts';
import { startProcess } from '../support/process.ts';
import { createStorage } from '../support/storage.ts';

const LIMIT = 3;
const HTTPS = { 'x-forwarded-proto': 'https' };

forEachEngine((engine) => {
  describe('behind a proxy that is not trusted, where all clients have one address', () => {
    let service: Service;
    let owner: Browser;
    before(async () => {
      service = await startService(engine, {
        environment: {
          DOORLIST_RATE_LIMIT_SIGN_IN: String(LIMIT),
          DOORLIST_PUBLIC_URL: 'http://localhost:3000',
        },
      });
      owner = await setUp(service);
    });
    after(() => service.close());

    /** Nobody without a mark of an earlier sign-in gets further for a minute. */
    async function useUpAddress(): Promise<void> {
      for (let i = 0; i < LIMIT; i += 1)
        await browserOf(service).signIn(`a${i}@example.com`, 'a wrong guess');
      assertError(await browserOf(service).signIn('b@example.com', 'a wrong guess'), 429, 'rate_limited');
    }

    it('strangers do not lock out a browser that has signed in', async () => {
      await useUpAddress();
      assert.equal((await owner.signIn(OWNER.email, PASSWORD)).status, 200);
      assert.equal((await owner.post('/session/passkey/options')).status, 200);
      service.clock.advance(60_000);
    });

    it('such a browser has a limit of its own, which all browsers of an operator share', async () => {
      await useUpAddress();
      const statuses = [];
      for (let i = 0; i < LIMIT + 1; i += 1)
        statuses.push((await owner.signIn('other@example.com', 'a wrong guess')).status);
      assert.deepEqual(statuses, [401, 401, 401, 429]);
      service.clock.advance(60_000);
      assert.equal((await owner.signIn(OWNER.email, PASSWORD)).status, 200);
    });

    it('a mark that was changed counts as none', async () => {
      await useUpAddress();
      const forger = browserOf(service);
      const device = owner.cookies.get('doorlist-device') ?? '';
      forger.cookies.set(
        'doorlist-device',
        device.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
      );
      assertError(await forger.signIn(OWNER.email, PASSWORD), 429, 'rate_limited');
      service.clock.advance(60_000);
    });

    it('strangers do not keep anybody from using a one-time link', async () => {
      const invited = await owner.post<{ link: { url: string } }>('/operators', {
        email: 'ada@example.com',
        role: 'support',
      });
      const token = tokenOf(invited.body.link.url);
      await useUpAddress();
      assert.equal((await service.request('GET', `/password/${token}`)).status, 200);
      assert.equal((await service.request('GET', '/password/wrong')).status, 429);
      const set = await browserOf(service).post('/password', { token, name: 'Ada', password: PASSWORD });
      assert.equal(set.status, 200, set.text);
      service.clock.advance(60_000);
      await join(service, owner, 'viewer', 'vera@example.com');
    });
  });

  describe('forwarded headers of a proxy that is not trusted', () => {
    it('are logged once, with the variable to set', async (test) => {
      const service = await startService(engine);
      test.after(() => service.close());
      assert.equal((await service.request('GET', '/healthz')).status, 200);
      const told = () => service.log.filter((line) => line.includes('DOORLIST_TRUSTED_PROXIES'));
      assert.deepEqual(told(), []);
      for (let i = 0; i < 3; i += 1)
        await service.request('GET', '/healthz', { headers: { 'x-forwarded-for': `192.0.2.${i}` } });
      assert.equal(told().length, 1);
      assert.match(told()[0] ?? '', /"proxy":"127\.0\.0\.1".*set DOORLIST_TRUSTED_PROXIES/);
      assert.ok(!told()[0]?.includes('192.0.2.'));
    });

    it('are not logged if the proxy is trusted', async (test) => {
      const service = await startService(engine, { environment: { DOORLIST_TRUSTED_PROXIES: '127.0.0.1' } });
      test.after(() => service.close());
      await service.request('GET', '/healthz', { headers: { 'x-forwarded-for': '192.0.2.1', ...HTTPS } });
      await service.request('GET', '/healthz', { headers: HTTPS });
      assert.deepEqual(
        service.log.filter((line) => line.includes('DOORLIST_TRUSTED_PROXIES')),
        [],
      );
    });
  });

  describe('without a public URL', () => {
    it('cookies are bound to the host when a trusted proxy says https', async (test) => {
      const service = await startService(engine, { environment: { DOORLIST_TRUSTED_PROXIES: '127.0.0.1' } });
      test.after(() => service.close());
      await setUp(service);
      const browser = browserOf(service);
      const signIn = (headers = {}) =>
        browser.request('POST', '/admin/v1/session', {
          headers,
          body: { email: OWNER.email, password: PASSWORD },
        });
      const safe = (await signIn(HTTPS)).headers.getSetCookie();
      assert.equal(safe.length, 2);
      for (const cookie of safe) assert.match(cookie, /^__Host-doorlist.*; Path=\/; .*; Secure$/);
      assert.equal((await browser.request('GET', '/admin/v1/me', { headers: HTTPS })).status, 200);
      assertError(await browser.get('/me'), 401, 'unauthorized');
      for (const cookie of (await signIn()).headers.getSetCookie())
        assert.match(cookie, /^doorlist.*; SameSite=(Lax|Strict)$/);
    });

    it('a client that is not a proxy cannot claim https', async (test) => {
      const service = await startService(engine);
      test.after(() => service.close());
      await setUp(service);
      const { headers } = await service.request('POST', '/admin/v1/session', {
        headers: HTTPS,
        body: { email: OWNER.email, password: PASSWORD },
      });
      for (const cookie of headers.getSetCookie())
        assert.match(cookie, /^doorlist.*; SameSite=(Lax|Strict)$/);
    });
  });
});

describe('a server behind a trusted proxy', () => {
  it('asks for its public URL at the start', async (test) => {
    const storage = await createStorage('sqlite', { migrated: true });
    test.after(() => storage.remove());
    const said = async (environment: Record<string, string>) => {
      const running = await startProcess({
        ...storage.environment,
        DOORLIST_TRUSTED_PROXIES: '127.0.0.1',
        ...environment,
      });
      return (await running.stop()).stdout;
    };
    assert.match(await said({}), /"level":"warn".*Set DOORLIST_PUBLIC_URL/);
    assert.doesNotMatch(
      await said({ DOORLIST_PUBLIC_URL: 'https://waitlist.example.com' }),
      /Set DOORLIST_PUBLIC_URL/,
    );
  });
});
