import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { adminToken } from '../support/operators.ts';

interface Form {
  key: string | null;
  url: string;
  enabled: boolean;
  allowedOrigins: string[];
  captcha: unknown;
  [setting: string]: unknown;
}

forEachEngine((engine) => {
  describe('the settings of a form', () => {
    let service: Service;
    let key: string;
    let list: List;
    before(async () => {
      service = await startService(engine, { environment: { DOORLIST_PUBLIC_URL: 'https://w.example' } });
      key = await adminToken(service, 'admin');
    });
    after(() => service.close());

    const path = (suffix = '') => `/admin/v1/waitlists/${list.id}/form${suffix}`;
    const get = (suffix = '') => service.request<Form>('GET', path(suffix), { key });
    const patch = (body: unknown, suffix = '') => service.request<Form>('PATCH', path(suffix), { key, body });

    it('are off by default, and separate for each environment', async () => {
      list = await service.waitlist();
      const { status, body } = await get();
      assert.equal(status, 200);
      assert.deepEqual([body.enabled, body.key, body.url], [false, null, `https://w.example/w/${list.id}`]);
      const changed = await patch({ enabled: true });
      assert.equal(changed.status, 200, changed.text);
      assert.match(changed.body.key ?? '', /^dlf_[0-9A-Za-z]{34}$/);
      const other = (await get('?environment=development')).body;
      assert.deepEqual([other.enabled, other.key], [false, null]);
      assert.equal(other.url, `https://w.example/w/${list.id}?environment=development`);
    });

    it('keep what is not changed, and their key', async () => {
      list = await service.waitlist();
      const settings = {
        allowedOrigins: ['https://acme.example', 'http://localhost:5173'],
        fields: [
          { name: 'company', label: 'Company', type: 'text', required: false },
          { name: 'plan', label: 'Plan', type: 'choice', options: ['Free', 'Pro'], required: true },
        ],
        consent: { text: 'I agree.', version: '1' },
        headline: 'Hello',
      };
      const { body: first } = await patch(settings);
      const { body: second } = await patch({ utm: true, headline: null });
      assert.deepEqual(second, { ...first, ...settings, utm: true, headline: null });
      assert.deepEqual((await get()).body, second);
    });

    it('never show the secret of a CAPTCHA, which is sealed', async () => {
      list = await service.waitlist();
      const captcha = { provider: 'turnstile', siteKey: '0x4AAA' };
      assertError(await patch({ captcha }), 400, 'invalid_request', 'captcha.secret: is required');
      const { text, body } = await patch({ captcha: { ...captcha, secret: 'very-secret-value' } });
      assert.deepEqual(body.captcha, captcha);
      assert.doesNotMatch(text, /very-secret/);
      assert.equal((await patch({ captcha: { ...captcha, siteKey: '0x4BBB' } })).status, 200);
      const other = { provider: 'hcaptcha', siteKey: 'x' };
      assertError(await patch({ captcha: other }), 400, 'invalid_request', 'captcha.secret: is required');
      assert.equal((await patch({ captcha: null })).body.captcha, null);
      const rows = await service.context.db.query.selectFrom('form').selectAll().execute();
      for (const row of rows) assert.doesNotMatch(Buffer.from(JSON.stringify(row)).toString(), /very-secret/);
    });

    it('are refused by name when something is wrong with them', async () => {
      list = await service.waitlist();
      const field = { name: 'company', label: 'Company', type: 'text', required: false };
      const cases: [object, RegExp][] = [
        [{}, /at least one setting/],
        [{ enabeld: true }, /enabeld: unknown field/],
        [{ enabled: 'yes' }, /enabled: must be a boolean/],
        [{ allowedOrigins: ['https://acme.example/'] }, /allowedOrigins\[0\]: must be an origin/],
        [{ allowedOrigins: ['http://acme.example'] }, /allowedOrigins\[0\]/],
        [{ allowedOrigins: ['*'] }, /allowedOrigins\[0\]/],
        [
          { allowedOrigins: ['https://acme.example', 'https://*.acme.example'] },
          /allowedOrigins\[1\]: must be an origin .* without wildcards/,
        ],
        [{ allowedOrigins: ['https://acme!.example'] }, /allowedOrigins\[0\]/],
        [{ allowedOrigins: Array(51).fill('https://a.example') }, /at most 50/],
        [{ fields: [{ ...field, name: 'email' }] }, /fields\[0\]\.name/],
        [{ fields: [{ ...field, name: 'utm_source' }] }, /fields\[0\]\.name/],
        [{ fields: [field, field] }, /fields\[1\]\.name: company is used twice/],
        [{ fields: [{ ...field, label: ' ' }] }, /fields\[0\]\.label/],
        [{ fields: [{ ...field, type: 'file' }] }, /fields\[0\]\.type: must be one of/],
        [{ fields: [{ ...field, type: 'choice' }] }, /fields\[0\]\.options: must have 1 to 100/],
        [
          { fields: [{ ...field, type: 'choice', options: ['a', 'a'] }] },
          /fields\[0\]\.options: must be different/,
        ],
        [{ fields: [{ ...field, options: ['a'] }] }, /only a choice has options/],
        [{ fields: Array.from({ length: 21 }, (_, i) => ({ ...field, name: `f${i}` })) }, /at most 20/],
        [{ consent: { text: '', version: '1' } }, /consent\.text/],
        [{ consent: { text: 'x' } }, /version: is required/],
        [{ redirectUrl: 'javascript:alert(1)' }, /redirectUrl: must be an http/],
        [{ redirectUrl: 'https://acme.example/\nnext' }, /redirectUrl: must be an http/],
        [{ redirectUrl: ' https://acme.example' }, /redirectUrl: must be an http/],
        [{ redirectUrl: 'https://ada:secret@acme.example/' }, /redirectUrl: .* without a user name/],
        [{ acceptedUrl: 'https://ada@acme.example/' }, /acceptedUrl: .* without a user name/],
        [{ headline: 'two\nlines' }, /headline: must be one line/],
        [{ buttonText: 'x'.repeat(61) }, /buttonText/],
        [{ captcha: { provider: 'recaptcha', siteKey: 'x', secret: 'x' } }, /captcha\.provider/],
        [{ captcha: { provider: 'hcaptcha', siteKey: '<x>', secret: 'x' } }, /captcha\.siteKey/],
      ];
      for (const [body, message] of cases) assertError(await patch(body), 400, 'invalid_request', message);
      assert.equal((await get()).body.key, null, 'nothing was stored');
      assertError(await patch({ enabled: true }, '?environment=nowhere'), 404, 'not_found', /nowhere/);
    });

    it('require a new version with a new text of consent', async () => {
      list = await service.waitlist();
      await patch({ consent: { text: 'One.', version: '1' } });
      const same = { consent: { text: 'Two.', version: '1' } };
      assertError(
        await patch(same),
        400,
        'invalid_request',
        'consent.version: must change when the text changes',
      );
      assert.equal((await patch({ consent: { text: 'Two.', version: '2' } })).status, 200);
    });

    it('can be changed only by admins, and changes are in the audit trail', async () => {
      list = await service.waitlist();
      for (const role of ['viewer', 'support'] as const) {
        const weaker = await adminToken(service, role);
        assert.equal((await service.request('GET', path(), { key: weaker })).status, 200);
        const refused = await service.request('PATCH', path(), { key: weaker, body: { enabled: true } });
        assertError(refused, 403, 'forbidden');
        assertError(await service.request('POST', path('/rotate'), { key: weaker }), 403, 'forbidden');
      }
      await patch({
        enabled: true,
        headline: 'Hi',
        captcha: { provider: 'hcaptcha', siteKey: 'k', secret: 'hidden' },
      });
      await service.request('POST', path('/rotate'), { key });
      const { body, text } = await service.request<{
        records: { action: string; after: { headline: string } }[];
      }>('GET', `/admin/v1/audit?limit=2`, { key: await adminToken(service, 'owner') });
      const trail = Object.values(body)[0] as { action: string; after: { headline: string } | null }[];
      const actions = trail.map(({ action }) => action);
      assert.ok(actions.includes('form.key_rotated'), text);
      assert.doesNotMatch(text, /hidden/);
    });

    it('get a new key at once when it is rotated', async () => {
      list = await service.waitlist();
      assertError(await service.request('POST', path('/rotate'), { key }), 409, 'conflict');
      const { body: before } = await patch({ enabled: true });
      const { body: rotated } = await service.request<Form>('POST', path('/rotate'), { key });
      assert.notEqual(rotated.key, before.key);
      assert.deepEqual({ ...rotated, key: null }, { ...before, key: null });
    });

    it('come with counters of what was turned away', async () => {
      list = await service.waitlist();
      const { body } = await service.request<{ totals: object; series: unknown[] }>('GET', path('/refused'), {
        key,
      });
      assert.deepEqual([body.totals, body.series], [{}, []]);
      const bad = path('/refused?from=2026-11-15T00:00:00Z&to=2026-11-14T00:00:00Z');
      assertError(
        await service.request('GET', bad, { key }),
        400,
        'invalid_request',
        'from: must be before to',
      );
      assertError(
        await service.request('GET', path('/refused?from=yesterday'), { key }),
        400,
        'invalid_request',
        /from/,
      );
    });
  });
});
