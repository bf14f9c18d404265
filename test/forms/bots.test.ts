import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ANSWER_MS } from '../../src/http/form/post.ts';
import { TOKEN_MS_MAX } from '../../src/waitlist/forms/challenge.ts';
import { startCaptchaProvider } from '../support/captcha-provider.ts';
import { openForm } from '../support/forms.ts';
import { assertError, forEachEngine, type Service, startService } from '../support/harness.ts';
import { adminToken } from '../support/operators.ts';

const POSTS = 2_000;
const CONNECTIONS = 100;

forEachEngine((engine) => {
  describe('bots', () => {
    let service: Service;
    let provider: Awaited<ReturnType<typeof startCaptchaProvider>>;
    before(async () => {
      provider = await startCaptchaProvider();
      service = await startService(engine, {
        environment: {
          DOORLIST_WEBHOOK_ALLOW: '127.0.0.1',
          DOORLIST_RATE_LIMIT_FORM_WAITLIST: '5',
          DOORLIST_TRUSTED_PROXIES: '127.0.0.1',
        },
        captchaUrls: { turnstile: provider.url, hcaptcha: provider.url },
      });
    });
    after(async () => {
      await service.close();
      provider.close();
    });

    const totals = async (waitlistId: string) => {
      const path = `/admin/v1/waitlists/${waitlistId}/form/refused`;
      const key = await adminToken(service, 'viewer');
      return (await service.request<{ totals: Record<string, number> }>('GET', path, { key })).body.totals;
    };

    it(`get nobody in with ${POSTS} posts, while a person passes`, async () => {
      const form = await openForm(service, { blockDisposable: true });
      const old = await form.proof();
      service.clock.advance(TOKEN_MS_MAX + 1);
      const spent = await form.proof();
      await form.post({ email: 'first@example.com', proof: spent });
      const fresh = await form.proof();
      const kinds: ((email: string) => Record<string, unknown>)[] = [
        (email) => ({ email }),
        (email) => ({ email, token: 'x'.repeat(51) }),
        (email) => ({ email, proof: old }),
        (email) => ({ email, proof: spent }),
        (email) => ({ email, proof: fresh, website: 'https://spam.example' }),
        () => ({ email: 'bot@mailinator.com', proof: fresh }),
      ];
      const send = async (first: number) => {
        for (let i = first; i < POSTS; i += CONNECTIONS) {
          const body = kinds[i % kinds.length]?.(`bot${i}@example.com`) ?? {};
          assert.equal((await form.post(body)).status, 403);
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, (_, first) => send(first)));
      service.clock.advance(60_000);
      assert.equal((await form.join({ email: 'person@example.com' })).status, 200);
      const emails = (await form.list.walk()).map(({ email }) => email);
      assert.deepEqual(emails, ['first@example.com', 'person@example.com']);
      const counted = await totals(form.list.id);
      assert.deepEqual(Object.keys(counted).sort(), ['disposable', 'expired', 'honeypot', 'spent', 'token']);
      const all = Object.values(counted).reduce((sum, count) => sum + count, 0);
      assert.equal(all, POSTS);
    });

    it('cannot join faster than the limit of a waitlist, but what is refused does not count', async () => {
      const form = await openForm(service);
      await Promise.all(Array.from({ length: 20 }, (_, i) => form.post({ email: `bot${i}@example.com` })));
      const proofs = await Promise.all(Array.from({ length: 7 }, () => form.proof()));
      const answers = [];
      for (const [i, proof] of proofs.entries())
        answers.push((await form.post({ email: `person${i}@example.com`, proof })).status);
      assert.deepEqual(answers, [200, 200, 200, 200, 200, 429, 429]);
      assert.deepEqual(await totals(form.list.id), { token: 20, rate_limited: 2 });
      service.clock.advance(61_000);
      assert.equal((await form.join({ email: 'later@example.com' })).status, 200);
    });

    it('wait for a refusal as long as people wait for a place', async () => {
      const form = await openForm(service);
      const startedAt = performance.now();
      assertError(await form.post({ email: 'bot@example.com' }), 403, 'refused');
      assert.ok(
        performance.now() - startedAt >= ANSWER_MS - 1,
        'the timers of Node may be a millisecond early',
      );
    });

    it('are refused before their proof is checked, which costs more than all the rest', async () => {
      const form = await openForm(service, { blockDisposable: true });
      const spent = await form.proof();
      await form.post({ email: 'first@example.com', proof: spent });
      await form.post({ email: 'bot@mailinator.com', proof: unsolved(await form.proof()) });
      await form.post({ email: 'bot@example.com', proof: unsolved(spent) });
      await form.post({ email: 'bot@example.com', proof: unsolved(await form.proof()) });
      assert.deepEqual(await totals(form.list.id), { disposable: 1, spent: 1, proof: 1 });
    });

    for (const name of ['turnstile', 'hcaptcha'] as const) {
      it(`do not pass ${name}, which is asked with the secret`, async () => {
        const captcha = { provider: name, siteKey: 'site', secret: `secret-${name}` };
        const form = await openForm(service, { captcha });
        const email = 'ada@example.com';
        assertError(await form.join({ email }), 403, 'refused');
        assertError(await form.join({ email, captcha: 'robot' }), 403, 'refused');
        const plain = await form.send({ email, token: form.token() });
        assert.equal(plain.status, 403, 'also without scripts');
        assert.equal((await form.join({ email, captcha: 'human' })).status, 200);
        assert.equal(provider.asked.at(-1)?.get('secret'), `secret-${name}`);
        assert.equal((await form.get()).text.includes('secret-'), false);
        assert.deepEqual(await totals(form.list.id), { captcha: 3 });
      });
    }

    it('cannot tell a known address by the time, even if the provider is slow', async () => {
      const form = await openForm(service, { captcha: { provider: 'turnstile', siteKey: 'x', secret: 'y' } });
      provider.slowDown(ANSWER_MS + 50);
      assert.equal((await form.join({ email: 'ada@example.com', captcha: 'human' })).status, 200);
      assert.ok(performance.now() - provider.answeredAt() >= ANSWER_MS - 1);
      provider.slowDown(0);
    });

    it('do not pass when the provider fails', async () => {
      const form = await openForm(service, { captcha: { provider: 'turnstile', siteKey: 'x', secret: 'y' } });
      provider.break();
      assertError(await form.join({ email: 'ada@example.com', captcha: 'human' }), 403, 'refused');
    });
  });

  describe('a client of forms', () => {
    it('has a limit of its own for reading', async () => {
      const service = await startService(engine, {
        environment: { DOORLIST_RATE_LIMIT_INVITE_CHECK: '1', DOORLIST_RATE_LIMIT_FORM_READ: '4' },
      });
      try {
        const form = await openForm(service);
        const pages = [form.path, `/w/${form.list.id}`, '/form.js', '/s/none', form.path];
        const statuses = [];
        for (const page of pages) statuses.push((await service.request('GET', page)).status);
        assert.deepEqual(statuses, [200, 200, 200, 404, 429]);
        assert.equal((await service.check('none')).status, 200);
      } finally {
        await service.close();
      }
    });

    it('is slowed down by its address', async () => {
      const service = await startService(engine, {
        environment: { DOORLIST_RATE_LIMIT_FORM: '3', DOORLIST_TRUSTED_PROXIES: '127.0.0.1' },
      });
      try {
        const form = await openForm(service);
        const from = (address: string) =>
          form.post(
            { email: 'a@example.com' },
            { headers: { 'x-forwarded-for': address, 'content-type': 'application/json' } },
          );
        const answers = [];
        for (let i = 0; i < 4; i += 1) answers.push((await from('192.0.2.1')).status);
        assert.deepEqual(answers, [403, 403, 403, 429]);
        assertError(await from('192.0.2.1'), 429, 'rate_limited');
        assert.equal((await from('192.0.2.2')).status, 403);
        const page = await form.send({ email: 'a@example.com' }, { 'x-forwarded-for': '192.0.2.1' });
        assert.equal(page.status, 429);
        assert.match(await page.text(), /Too many requests/);
      } finally {
        await service.close();
      }
    });
  });
});

/** The same challenge with an answer that is wrong. */
function unsolved(proof: string): string {
  const { challenge, solution } = JSON.parse(Buffer.from(proof, 'base64').toString());
  const derivedKey = 'f'.repeat(solution.derivedKey.length);
  return Buffer.from(JSON.stringify({ challenge, solution: { ...solution, derivedKey } })).toString('base64');
}
