import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { openOperators } from '../../src/operators/context.ts';
import { setupToken } from '../../src/operators/setup.ts';
import { assertError, forEachEngine, type Service, startService } from '../support/harness.ts';
import {
  type Browser,
  browserOf,
  join,
  OWNER,
  PASSWORD,
  setUp,
  slowPasswords,
  tokenForSetup,
  tokenOf,
} from '../support/operators.ts';
import { unique } from '../support/storage.ts';

const REFUSAL = 'the email, password or code is incorrect';
const DAY_MS = 86_400_000;

forEachEngine((engine) => {
  describe('setting up', () => {
    let service: Service;
    beforeEach(async () => {
      service = await startService(engine);
    });
    afterEach(() => service.close());

    it('makes the first owner, signs them in, and works once', async () => {
      const browser = browserOf(service);
      const token = await tokenForSetup(service);
      const created = await browser.post<{ role: string }>('/setup', { token, ...OWNER });
      assert.equal(created.status, 201, created.text);
      assert.equal(created.body.role, 'owner');
      const me = await browser.get<{ kind: string; operator: { email: string } }>('/me');
      assert.equal(me.body.operator.email, OWNER.email);
      const again = await browserOf(service).post('/setup', { token, ...OWNER, email: 'b@example.com' });
      assertError(again, 404, 'not_found');
    });

    it('answers a wrong token with 404, and refuses a weak password by name', async () => {
      const browser = browserOf(service);
      const token = await tokenForSetup(service);
      for (const wrong of ['', 'x', `${token}x`, token.toLowerCase()])
        assertError(await browser.post('/setup', { token: wrong, ...OWNER }), 404, 'not_found');
      const weak = ['short', 'password1234', 'passwordpassword', 'aaaaaaaaaaaaaaaa', 'grace@example.com'];
      for (const password of weak)
        assertError(
          await browser.post('/setup', { token, ...OWNER, password }),
          400,
          'invalid_request',
          /^password: /,
        );
      assertError(await browser.post('/setup', { token, ...OWNER, email: 'no' }), 400, 'invalid_request');
      assertError(
        await browser.post('/setup', { token, ...OWNER, extra: 1 }),
        400,
        'invalid_request',
        /extra/,
      );
      assert.equal((await browser.post('/setup', { token, ...OWNER })).status, 201);
    });

    it('makes one owner when many try at once', async () => {
      const token = await tokenForSetup(service);
      const answers = await Promise.all(
        Array.from({ length: 5 }, (_, i) =>
          browserOf(service).post('/setup', { token, ...OWNER, email: `o${i}@example.com` }),
        ),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 404, 404, 404, 404]);
    });

    it('has one link for all instances', async () => {
      const { context } = service;
      const opened = await Promise.all(Array.from({ length: 4 }, () => openOperators(context)));
      assert.equal(new Set(opened.map(setupToken)).size, 1);
    });

    it('shows a form at the link, which works without a script', async () => {
      const token = await tokenForSetup(service);
      const page = await fetch(`${service.url}/setup/${token}`);
      assert.equal(page.status, 200);
      assert.match(await page.text(), /<form method="post">/);
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      const send = (headers: Record<string, string>) =>
        fetch(`${service.url}/setup/${token}`, {
          method: 'POST',
          headers,
          body: new URLSearchParams(OWNER),
        });
      assert.equal((await send({ origin: 'https://evil.example' })).status, 403);
      assert.equal((await send({ origin: service.url })).status, 200);
      assert.equal((await fetch(`${service.url}/setup/${token}`)).status, 404);
      assert.equal((await browserOf(service).signIn(OWNER.email, PASSWORD)).status, 200);
    });
  });

  describe('signing in', () => {
    let service: Service;
    let owner: Browser;
    const { passwords, meanwhile } = slowPasswords();
    before(async () => {
      service = await startService(engine, { passwords });
      owner = await setUp(service);
    });
    after(() => service.close());
    beforeEach(() => service.clock.advance(2 * 3_600_000)); // Nobody is slowed down for what another test did.

    /** A link with which a new operator, whose browser is returned as well, sets another password. */
    const forgetful = async () => {
      await owner.signIn(OWNER.email, PASSWORD);
      const email = `${unique('p')}@example.com`;
      const person = await join(service, owner, 'viewer', email);
      const { operator } = (await person.get<{ operator: { id: string } }>('/me')).body;
      const { url } = (await owner.post<{ url: string }>(`/operators/${operator.id}/link`)).body;
      return { email, person, token: tokenOf(url) };
    };

    it('says the same for every wrong part, and for accounts that do not exist', async () => {
      const wrong = [
        [OWNER.email, 'not the password'],
        ['nobody@example.com', PASSWORD],
        ['not an email', PASSWORD],
        ['', ''],
        [OWNER.email, PASSWORD.toUpperCase()],
        [OWNER.email, `${PASSWORD} `],
      ] as const;
      const answers = [];
      for (const [email, password] of wrong) answers.push(await browserOf(service).signIn(email, password));
      for (const answer of answers) {
        assertError(answer, 401, 'unauthorized', REFUSAL);
        assert.equal(answer.headers.getSetCookie().length, 0);
      }
    });

    it('takes the email in any case, and sets a cookie that scripts cannot read', async () => {
      const answer = await browserOf(service).signIn(OWNER.email.toUpperCase(), PASSWORD);
      assert.equal(answer.status, 200, answer.text);
      assert.ok(!answer.text.includes('password'));
      const [session = '', device = ''] = answer.headers.getSetCookie();
      assert.match(session, /^doorlist=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
      assert.match(device, /^doorlist-device=[\w.-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
    });

    it('gives each sign-in a new secret and ends the session that the browser had', async () => {
      const browser = browserOf(service);
      await browser.signIn(OWNER.email, PASSWORD);
      const first = browser.cookies.get('doorlist');
      await browser.signIn(OWNER.email, PASSWORD);
      assert.notEqual(browser.cookies.get('doorlist'), first);
      const old = await service.request('GET', '/admin/v1/me', { headers: { cookie: `doorlist=${first}` } });
      assertError(old, 401, 'unauthorized');
    });

    it('does not take a session that somebody else put into the browser', async () => {
      const browser = browserOf(service);
      browser.cookies.set('doorlist', 'a'.repeat(43));
      await browser.signIn(OWNER.email, PASSWORD);
      assert.notEqual(browser.cookies.get('doorlist'), 'a'.repeat(43));
      const twice = await service.request('GET', '/admin/v1/me', {
        headers: { cookie: `doorlist=${browser.cookies.get('doorlist')}; doorlist=${'b'.repeat(43)}` },
      });
      assertError(twice, 401, 'unauthorized');
    });

    it('slows guesses down for one account and address, without locking anybody out', async () => {
      const guess = (email: string, headers = {}) =>
        service.request('POST', '/admin/v1/session', { headers, body: { email, password: 'a wrong guess' } });
      const known = browserOf(service);
      await known.signIn(OWNER.email, PASSWORD);
      for (let i = 0; i < 5; i += 1) assertError(await guess(OWNER.email), 401, 'unauthorized');
      const slowed = await guess(OWNER.email);
      assertError(slowed, 429, 'rate_limited', 'too many attempts: try again in 1 second');
      assertError(await browserOf(service).signIn(OWNER.email, PASSWORD), 429, 'rate_limited');
      assertError(await guess('other@example.com'), 401, 'unauthorized');
      assert.equal((await known.signIn(OWNER.email, PASSWORD)).status, 200, 'a known browser gets in');
      service.clock.advance(Number(slowed.headers.get('retry-after')) * 1_000);
      assert.equal((await browserOf(service).signIn(OWNER.email, PASSWORD)).status, 200);
    });

    it('counts guesses that are made at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => browserOf(service).signIn('many@example.com', 'a wrong guess')),
      );
      const statuses = answers.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [...Array(5).fill(401), ...Array(7).fill(429)]);
    });

    it('slows down just as much for an account that does not exist', async () => {
      const statuses = [];
      for (let i = 0; i < 6; i += 1)
        statuses.push((await browserOf(service).signIn('ghost@example.com', 'a wrong guess')).status);
      assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429]);
    });

    it('counts idle time from the last request, to the second', async () => {
      const idleMs = 24 * 3_600_000;
      const browser = browserOf(service);
      await browser.signIn(OWNER.email, PASSWORD);
      service.clock.advance(59_000);
      assert.equal((await browser.get('/me')).status, 200);
      service.clock.advance(idleMs - 1_000);
      assert.equal((await browser.get('/me')).status, 200, '59 seconds count');
      service.clock.advance(idleMs);
      assertError(await browser.get('/me'), 401, 'unauthorized');
    });

    it('ends sessions that are idle, and all of them after their lifetime', async () => {
      const browser = browserOf(service);
      await browser.signIn(OWNER.email, PASSWORD);
      service.clock.advance(DAY_MS - 1_000);
      assert.equal((await browser.get('/me')).status, 200);
      service.clock.advance(DAY_MS);
      assertError(await browser.get('/me'), 401, 'unauthorized');
      await browser.signIn(OWNER.email, PASSWORD);
      for (let day = 0; day < 13; day += 1) {
        service.clock.advance(DAY_MS - 1_000);
        assert.equal((await browser.get('/me')).status, 200, `day ${day}`);
      }
      service.clock.advance(DAY_MS);
      assertError(await browser.get('/me'), 401, 'unauthorized');
      await owner.signIn(OWNER.email, PASSWORD);
    });

    it('lists sessions and ends one, the others, or the own one', async () => {
      await owner.signIn(OWNER.email, PASSWORD);
      await owner.delete('/me/sessions');
      service.clock.advance(1_000);
      const second = browserOf(service);
      await second.signIn(OWNER.email, PASSWORD);
      service.clock.advance(1_000);
      const third = browserOf(service);
      await third.signIn(OWNER.email, PASSWORD);
      const { body } = await owner.get<{ sessions: { id: string; current: boolean; address: string }[] }>(
        '/me/sessions',
      );
      assert.deepEqual(
        body.sessions.map(({ current }) => current),
        [false, false, true],
      );
      assert.equal(body.sessions[0]?.address, '127.0.0.1');
      const id = body.sessions[1]?.id;
      assert.deepEqual((await owner.delete(`/me/sessions/${id}`)).body, { id, deleted: true });
      assertError(await second.get('/me'), 401, 'unauthorized');
      assertError(await owner.delete(`/me/sessions/${id}`), 404, 'not_found');
      assert.deepEqual((await owner.delete('/me/sessions')).body, { ended: 1 });
      assertError(await third.get('/me'), 401, 'unauthorized');
      assert.equal((await owner.delete('/session')).status, 200);
      assert.equal(owner.cookies.has('doorlist'), false);
      assertError(await owner.get('/me'), 401, 'unauthorized');
      await owner.signIn(OWNER.email, PASSWORD);
    });

    it('changes the password with the old one, and ends every other session', async () => {
      const other = browserOf(service);
      await other.signIn(OWNER.email, PASSWORD);
      await owner.signIn(OWNER.email, PASSWORD);
      const newPassword = 'nanoseconds are wires';
      const wrong = await owner.post('/me/password', { password: 'wrong', newPassword });
      assertError(wrong, 403, 'forbidden', 'password: is incorrect');
      const weak = await owner.post('/me/password', { password: PASSWORD, newPassword: 'qwertyuiop12' });
      assertError(weak, 400, 'invalid_request', /^newPassword: /);
      assert.equal((await owner.post('/me/password', { password: PASSWORD, newPassword })).status, 200);
      assert.equal((await owner.get('/me')).status, 200);
      assertError(await other.get('/me'), 401, 'unauthorized');
      assertError(await other.signIn(OWNER.email, PASSWORD), 401, 'unauthorized');
      assert.equal((await other.signIn(OWNER.email, newPassword)).status, 200);
      await owner.post('/me/password', { password: newPassword, newPassword: PASSWORD });
    });

    it('changes nothing with a password that was reset while it was compared', async () => {
      const password = 'nanoseconds are wires';
      const changes: ((person: Browser) => ReturnType<Browser['post']>)[] = [
        (person) => person.post('/me/password', { password: PASSWORD, newPassword: 'a stolen account' }),
        (person) => person.patch('/me', { email: `${unique('x')}@example.com`, password: PASSWORD }),
        (person) => person.post('/me/two-factor', { password: PASSWORD }),
      ];
      for (const change of changes) {
        const { email, person, token } = await forgetful();
        meanwhile(() => browserOf(service).post('/password', { token, password }));
        assertError(await change(person), 403, 'forbidden', 'password: is incorrect');
        assert.equal((await browserOf(service).signIn(email, password)).status, 200);
      }
    });

    it('lets a person in who sets a password with a link, however many guesses came before', async () => {
      const { email, token } = await forgetful();
      for (let i = 0; i < 5; i += 1) await browserOf(service).signIn(email, 'a wrong guess');
      assertError(await browserOf(service).signIn(email, 'a wrong guess'), 429, 'rate_limited');
      const set = await fetch(`${service.url}/password/${token}`, {
        method: 'POST',
        body: new URLSearchParams({ password: 'nanoseconds are wires' }),
        redirect: 'manual',
      });
      assert.deepEqual([set.status, set.headers.get('location')], [303, '/'], await set.text());
      const cookie = set.headers.getSetCookie().map((each) => each.split(';')[0]);
      const me = await service.request('GET', '/admin/v1/me', { headers: { cookie: cookie.join('; ') } });
      assert.equal(me.status, 200, me.text);
    });
  });

  describe('behind https', () => {
    it('binds its cookies to the host', async (test) => {
      const service = await startService(engine, {
        environment: { DOORLIST_PUBLIC_URL: 'https://waitlist.example.com' },
      });
      test.after(() => service.close());
      const browser = browserOf(service);
      const answer = await browser.post('/setup', { token: await tokenForSetup(service), ...OWNER });
      for (const cookie of answer.headers.getSetCookie()) assert.match(cookie, /^__Host-doorlist.*; Secure$/);
      assert.equal((await browser.get('/me')).status, 200);
      const plain = await service.request('GET', '/admin/v1/me', {
        headers: { cookie: `doorlist=${browser.cookies.get('__Host-doorlist')}` },
      });
      assertError(plain, 401, 'unauthorized');
    });
  });

  describe('behind https, below a path', () => {
    it('keeps its cookies from whatever else is on the host', async (test) => {
      const service = await startService(engine, {
        environment: { DOORLIST_PUBLIC_URL: 'https://example.com/waitlist' },
      });
      test.after(() => service.close());
      const browser = browserOf(service);
      const answer = await browser.post('/setup', { token: await tokenForSetup(service), ...OWNER });
      for (const cookie of answer.headers.getSetCookie())
        assert.match(cookie, /^__Secure-doorlist.*; Path=\/waitlist; .*; Secure$/);
      assert.equal((await browser.get('/me')).status, 200);
    });
  });

  describe('many addresses', () => {
    it('are limited each, whatever accounts they try', async (test) => {
      const service = await startService(engine, { environment: { DOORLIST_RATE_LIMIT_SIGN_IN: '3' } });
      test.after(() => service.close());
      const statuses = [];
      for (let i = 0; i < 4; i += 1)
        statuses.push((await browserOf(service).signIn(`a${i}@example.com`, 'a wrong guess')).status);
      assert.deepEqual(statuses, [401, 401, 401, 429]);
    });
  });
});
