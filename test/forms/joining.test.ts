import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Challenge } from 'altcha-lib';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { TOKEN_MS_MAX, TOKEN_MS_MIN } from '../../src/waitlist/forms/challenge.ts';
import { forgetExpired } from '../../src/waitlist/forms/forget.ts';
import { removeEntry } from '../../src/waitlist/invites/removal.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { adminClient, succeeded } from '../support/admin.ts';
import { type OpenForm, openForm, SITE, solved } from '../support/forms.ts';
import { assertError, forEachEngine, type Service, startService } from '../support/harness.ts';
import { adminToken } from '../support/operators.ts';
import { without } from '../support/programs.ts';

interface PublicForm {
  challenge: Challenge;
  fields: unknown[];
  closed: boolean;
  language: string;
  texts: Record<string, string>;
}

forEachEngine((engine) => {
  describe('joining through the form', () => {
    let service: Service;
    before(async () => {
      service = await startService(engine, { environment: { DOORLIST_PUBLIC_URL: 'https://w.example' } });
    });
    after(() => service.close());

    const refused = async (
      form: OpenForm,
      answer: { status: number; text: string; body: unknown; headers: Headers },
    ) => {
      assertError(answer, 403, 'refused', 'this request was refused');
      assert.equal((await form.list.page()).body.total, 0);
    };

    const statusOf = async (statusUrl = '') => {
      const { body } = await service.request<{
        status: string;
        referrals: number;
        position: number;
        shareUrl: string;
      }>('GET', new URL(statusUrl).pathname, { headers: { accept: 'application/json' } });
      return body;
    };

    it('works for an app that solves the challenge as documented', { skip: without('Python') }, async () => {
      const guide = readFileSync(new URL('../../docs/forms.md', import.meta.url), 'utf8');
      const program = /```python\n(.*?)```/s.exec(guide)?.[1] ?? '';
      const form = await openForm(service);
      const passing = setInterval(() => service.clock.advance(TOKEN_MS_MIN), 100);
      try {
        const words = ['-c', program, service.url + form.path, 'app@example.com'];
        const { stdout } = await promisify(execFile)('python3', words);
        assert.match(stdout, /'state': 'joined'.*'position': 1\b/s);
      } finally {
        clearInterval(passing);
      }
    });

    it('takes the served challenge and shows the place in line', async () => {
      const form = await openForm(service, {
        fields: [{ name: 'company', label: 'Company', type: 'text', required: false }],
      });
      const { status, body, headers } = await form.get({ headers: { origin: SITE } });
      assert.equal(status, 200);
      const shown = body as PublicForm;
      assert.equal(headers.get('access-control-allow-origin'), SITE);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.deepEqual(shown.fields, [{ name: 'company', label: 'Company', type: 'text', required: false }]);
      service.clock.advance(TOKEN_MS_MIN);
      const proof = await solved(shown.challenge);
      const joined = await form.post({
        email: 'ada@example.com',
        company: 'Analytical',
        proof,
        include: 'status',
      });
      assert.equal(joined.status, 200, joined.text);
      assert.equal(joined.body.state, 'joined');
      assert.match(joined.body.statusUrl ?? '', /^https:\/\/w\.example\/s\/[\w-]+$/);
      assert.equal(joined.body.status?.position, 1);
      assert.match(
        joined.body.status?.shareUrl ?? '',
        new RegExp(`^https://w\\.example/w/${form.list.id}\\?ref=\\w{16}$`),
      );
      const { body: entry } = await form.list.lookup('ada@example.com');
      assert.deepEqual([entry.status, entry.metadata], ['waiting', { company: 'Analytical' }]);
    });

    it('answers exactly as specified, and the same for a known address', async () => {
      const form = await openForm(service);
      await form.list.signup({ email: 'known@example.com' });
      const answers = [];
      for (const email of ['new@example.com', 'known@example.com', 'KNOWN@example.com', 'new@example.com']) {
        const { status, body, text } = await form.join({ email });
        assert.deepEqual(Object.keys(body), ['state', 'statusUrl']);
        answers.push([status, body.state, body.statusUrl?.length, text.length]);
      }
      for (const answer of answers) assert.deepEqual(answer, answers[0]);
      assert.equal((await form.list.page()).body.total, 2);
    });

    it('shows a known address the end of the line, not its place, and credits its owner', async () => {
      const form = await openForm(service);
      await form.list.signup({ email: 'first@example.com' }, { email: 'second@example.com' });
      const known = await form.join({ email: 'first@example.com', include: 'status' });
      assert.equal(known.body.status?.position, 3);
      const fresh = await form.join({ email: 'third@example.com', include: 'status' });
      assert.equal(fresh.body.status?.position, 3);
      const ref = new URL(known.body.status?.shareUrl ?? '').searchParams.get('ref');
      await form.join({ email: 'friend@example.com', ref });
      assert.equal((await form.list.lookup('first@example.com')).body.referrals, 1);
      const path = new URL(known.body.statusUrl ?? '').pathname;
      const { body } = await service.request<{ position: number; referrals: number }>('GET', path, {
        headers: { accept: 'application/json' },
      });
      assert.deepEqual([body.position, body.referrals], [1, 1], 'as if they were new');
    });

    it('shows the same place when an address is sent again, whether or not it was known', async () => {
      const form = await openForm(service);
      await form.list.signup({ email: 'first@example.com' }, { email: 'known@example.com' });
      const seen: unknown[] = [];
      for (const email of ['known@example.com', 'known@example.com', 'new@example.com', 'new@example.com']) {
        const { status, body } = await form.join({ email, include: 'status' });
        const later = await statusOf(body.statusUrl);
        assert.deepEqual(later, body.status);
        seen.push([status, Object.keys(body), body.status?.position, later.status, later.referrals]);
      }
      const answer = [200, ['state', 'statusUrl', 'status'], 3, 'waiting', 0];
      assert.deepEqual(seen, [answer, answer, answer, answer]);
      await form.list.signup({ email: 'next@example.com' });
      assert.equal(
        (await form.join({ email: 'known@example.com', include: 'status' })).body.status?.position,
        3,
      );
      assert.equal(
        (await form.join({ email: 'new@example.com', include: 'status' })).body.status?.position,
        3,
      );
      service.clock.advance(25 * 3_600_000);
      await form.join({ email: 'known@example.com' });
      await form.list.signup({ email: 'last@example.com' });
      assert.equal(
        (await form.join({ email: 'known@example.com', include: 'status' })).body.status?.position,
        5,
      );
    });

    it('shows somebody elsewhere the end of the line, also for an address that has just joined', async () => {
      const trusting = await startService(engine, { environment: { DOORLIST_TRUSTED_PROXIES: '127.0.0.1' } });
      try {
        const form = await openForm(trusting);
        const join = async (email: string, network: string) => {
          const headers = { 'x-forwarded-for': network };
          return (await form.join({ email, include: 'status' }, { headers })).body.status?.position;
        };
        assert.equal(await join('ada@example.com', '192.0.2.1'), 1);
        assert.equal(await join('bob@example.com', '192.0.2.1'), 2);
        assert.equal(await join('ada@example.com', '198.51.100.1'), 3);
        assert.equal(await join('ada@example.com', '192.0.2.99'), 1);
      } finally {
        await trusting.close();
      }
    });

    it('never shows the referral code of an address: each visitor gets one of their own, which counts', async () => {
      const form = await openForm(service);
      await form.list.signup({ email: 'known@example.com' });
      const codes: string[] = [];
      for (const email of ['known@example.com', 'new@example.com', 'known@example.com', 'new@example.com']) {
        const { body } = await form.join({ email, include: 'status' });
        const code = new URL(body.status?.shareUrl ?? '').searchParams.get('ref') ?? '';
        assert.match(code, /^[0-9a-z]{16}$/);
        const { referralCode } = (await form.list.lookup(email)).body;
        assert.ok(!JSON.stringify(body).includes(referralCode ?? ''));
        assert.equal((await statusOf(body.statusUrl)).shareUrl, body.status?.shareUrl, 'it stays');
        codes.push(code);
      }
      assert.deepEqual([codes[2], codes[3], codes[0] === codes[1]], [codes[0], codes[1], false]);
      for (const [index, ref] of codes.entries())
        await form.join({ email: `friend${index}@example.com`, ref });
      await form.list.signup({ email: 'by-api@example.com', referredBy: codes[0]?.toUpperCase() });
      assert.equal((await form.list.lookup('known@example.com')).body.referrals, 3);
      assert.equal((await form.list.lookup('new@example.com')).body.referrals, 2);
      const broken = (codes[0] ?? '').replace(/^./, (first) => (first === '0' ? '1' : '0'));
      await form.join({ email: 'lost@example.com', ref: broken });
      assert.equal((await form.list.lookup('lost@example.com')).body.referredBy, null);
    });

    it('tells nobody by their link whether an address was known, whoever joins with it and leaves', async () => {
      /** What somebody sees who types an address, and has others join with the link that they are shown. */
      const look = async (victim: string, known: 'waiting' | 'removed' | 'new') => {
        const form = await openForm(service);
        await updateWaitlist(service.context, form.list.id, { boost: 2, referralCap: 3 });
        const others = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ email: `${name}@example.com` }));
        await form.list.signup({ email: 'ann@example.com' }, ...others);
        const queue = await form.list.queue();
        if (known === 'removed')
          await removeEntry(service.context, queue, (await form.list.lookup(victim)).body.id);
        const states: unknown[] = [];
        const places: unknown[] = [];
        const join = async (email: string, ref?: string | null) => {
          const { body } = await form.join({ email, include: 'status', ...(ref && { ref }) });
          states.push(body.state);
          return body;
        };
        const first = await join(victim);
        const ref = new URL(first.status?.shareUrl ?? '').searchParams.get('ref');
        const note = async () => {
          const { status, referrals, position } = await statusOf(first.statusUrl);
          states.push(status, referrals);
          places.push(position);
        };
        await note();
        for (const name of ['one', 'two', 'three']) {
          await join(`${name}@example.com`, ref);
          await note();
        }
        await eraseEntry(service.context, queue, 'one@example.com');
        await note();
        const again = await join(victim);
        assert.equal(new URL(again.status?.shareUrl ?? '').searchParams.get('ref'), ref);
        for (const name of ['four', 'five', 'six', 'seven']) await join(`${name}@example.com`, ref);
        await note();
        return { states, places };
      };
      const fresh = await look('new@example.com', 'new');
      const known = await look('ann@example.com', 'waiting');
      const removed = await look('ann@example.com', 'removed');
      assert.deepEqual(known, fresh);
      assert.deepEqual(removed.states, fresh.states);
      assert.deepEqual(fresh.places, [8, 6, 4, 2, 4, 2]);
    });

    it('asks to confirm when the waitlist says so, without a status link', async () => {
      const form = await openForm(service);
      await updateWaitlist(service.context, form.list.id, { confirmEmails: true });
      for (const email of ['ada@example.com', 'ada@example.com']) {
        const { status, text } = await form.join({ email });
        assert.deepEqual([status, text], [200, '{"state":"confirm"}']);
      }
      assert.equal((await form.list.lookup('ada@example.com')).body.status, 'pending');
    });

    it('keeps fields, consent, the campaign and the language, all sealed with the person', async () => {
      const form = await openForm(service, {
        fields: [
          { name: 'company', label: 'Company', type: 'text', required: true },
          { name: 'plan', label: 'Plan', type: 'choice', options: ['Free', 'Pro'], required: true },
          { name: 'beta', label: 'Beta', type: 'checkbox', required: false },
        ],
        consent: { text: 'Mail me.', version: '3' },
        utm: true,
      });
      const values = { company: ' Acme\tInc ', plan: 'Pro', beta: true, consent: 'on', lang: 'de-AT' };
      const utm = { utm_source: 'x', utm_medium: 'y'.repeat(300), utm_evil: 'z' };
      const { body } = await form.join({ email: 'ada@example.com', ...values, ...utm });
      assert.equal(body.state, 'joined', JSON.stringify(body));
      const { metadata, createdAt } = (await form.list.lookup('ada@example.com')).body;
      assert.deepEqual(metadata, {
        company: 'Acme Inc',
        plan: 'Pro',
        beta: true,
        consent: { version: '3', at: createdAt },
        utm_source: 'x',
        utm_medium: 'y'.repeat(200),
      });
    });

    it('names every invalid field in the language of the person', async () => {
      const form = await openForm(service, {
        fields: [
          { name: 'company', label: 'Company', type: 'text', required: true },
          { name: 'note', label: 'Note', type: 'text', required: false },
          { name: 'plan', label: 'Plan', type: 'choice', options: ['Free'], required: false },
          { name: 'terms', label: 'Terms', type: 'checkbox', required: true },
        ],
        consent: { text: 'Mail me.', version: '1' },
      });
      const proof = await form.proof();
      const values = { email: 'ada', note: 'x'.repeat(501), plan: 'Pro' };
      const { status, body } = await form.post({ ...values, proof });
      assert.equal(status, 422);
      assert.equal(body.code, 'invalid_fields');
      assert.deepEqual(body.fields, {
        email: 'Enter a valid email address.',
        company: 'This field is required.',
        note: 'Use at most 500 characters.',
        plan: 'Choose one of the options.',
        terms: 'This field is required.',
        consent: 'Check this box to continue.',
      });
      const german = await form.post({ ...values, proof, lang: 'de' });
      assert.notEqual(german.body.fields?.email, body.fields?.email);
      const long = await form.post({ ...values, email: `${'a'.repeat(243)}@example.com`, proof });
      assert.equal(long.body.fields?.email, 'Use at most 254 characters.');
      const unknown = await form.post({ email: 'ada@example.com', compnay: 'x', proof });
      assert.deepEqual([unknown.status, unknown.body.fields], [422, { compnay: 'unknown field' }]);
      assert.equal((await form.list.page()).body.total, 0);
      const good = { email: 'ada@example.com', company: 'A', terms: true, consent: true };
      assert.equal((await form.post({ ...good, proof })).body.state, 'joined', 'the challenge was not spent');
    });

    it('refuses what looks like a bot, without saying why', async () => {
      const form = await openForm(service, { blockDisposable: true });
      const email = 'bot@example.com';
      const tampered = JSON.parse(Buffer.from(await form.proof(), 'base64').toString());
      tampered.challenge.parameters.cost = 2;
      const fast = await form.proof();
      service.clock.advance(-TOKEN_MS_MIN / 2);
      await refused(form, await form.post({ email, proof: fast }));
      service.clock.advance(TOKEN_MS_MIN);
      const old = await form.proof();
      service.clock.advance(TOKEN_MS_MAX + 1);
      const other = await openForm(service);
      const cases: Record<string, unknown>[] = [
        { email },
        { email, token: form.token() },
        { email, proof: 'x' },
        { email, proof: Buffer.from('{"challenge":{"parameters":{}},"solution":{}}').toString('base64') },
        { email, proof: Buffer.from(JSON.stringify(tampered)).toString('base64') },
        { email, proof: old },
        { email, proof: await other.proof() },
        { email, proof: await form.proof(), website: 'https://spam.example' },
        { email: 'bot@mailinator.com', proof: await form.proof() },
        { email: 'bot@sub.mailinator.com', proof: await form.proof() },
      ];
      for (const body of cases) await refused(form, await form.post(body));
      const foreign = { headers: { origin: 'https://evil.example', 'content-type': 'application/json' } };
      await refused(form, await form.join({ email }, foreign));
    });

    it('lets visitors of a site that is not allowed join on our page, and tells them so', async () => {
      const form = await openForm(service);
      const page = await service.request('POST', form.path, {
        headers: {
          origin: 'https://evil.example',
          accept: 'text/html',
          'content-type': 'application/x-www-form-urlencoded',
        },
        rawBody: 'email=ada%40example.com',
      });
      assert.equal(page.status, 403);
      assert.match(page.text, /The site you came from cannot use this form\. You can join here instead\./);
      assert.match(page.text, /value="ada@example\.com"/);
      assert.doesNotMatch(page.text, /Reload/);
    });

    it('takes a challenge once, but answers its sender again', async () => {
      const form = await openForm(service);
      const proof = await form.proof();
      const answers = [];
      for (const email of ['ada@example.com', 'ada@example.com', 'bob@example.com', 'eve@example.com'])
        answers.push((await form.post({ email, proof })).status);
      assert.deepEqual(answers, [200, 200, 403, 403]);
      const racing = await form.proof();
      const all = await Promise.all(
        Array.from({ length: 8 }, (_, i) => form.post({ email: `racer${i}@example.com`, proof: racing })),
      );
      assert.equal(all.filter(({ status }) => status === 200).length, 1);
      assert.equal((await form.list.page()).body.total, 2);
    });

    it('counts what was turned away, by reason', async () => {
      const form = await openForm(service);
      await form.post({ email: 'a@example.com' });
      await form.post({ email: 'a@example.com' });
      await form.post({ email: 'a@example.com', proof: await form.proof(), website: 'x' });
      const { body } = await service.request<{ totals: object }>(
        'GET',
        `/admin/v1/waitlists/${form.list.id}/form/refused`,
        { key: await adminToken(service, 'viewer') },
      );
      assert.deepEqual(body.totals, { token: 2, honeypot: 1 });
    });

    it('is not there when it is off, has another key or is misspelled', async () => {
      const form = await openForm(service);
      await form.change({ enabled: false });
      for (const path of [form.path, '/form/v1/x', `/form/v1/dlf_${'0'.repeat(34)}`, '/form/v1/%00']) {
        assertError(await service.request('GET', path), 404, 'not_found');
        assertError(
          await service.request('POST', path, { body: { email: 'a@example.com' } }),
          404,
          'not_found',
        );
      }
      assert.equal((await service.request('GET', `/w/${form.list.id}`)).status, 404);
    });

    it('is refused by a closed waitlist', async () => {
      const form = await openForm(service);
      await updateWaitlist(service.context, form.list.id, { closed: true });
      assert.equal(((await form.get()).body as PublicForm).closed, true);
      assertError(await form.join({ email: 'a@example.com' }), 409, 'waitlist_closed');
    });

    it('lets pages of allowed origins call it, and no others', async () => {
      const form = await openForm(service);
      const ask = async (origin: string, method: string) => {
        const { headers } = await service.request(method, form.path, { headers: { origin } });
        return headers.get('access-control-allow-origin');
      };
      for (const method of ['GET', 'OPTIONS', 'POST']) {
        assert.equal(await ask(SITE, method), SITE, method);
        assert.equal(await ask('https://w.example', method), 'https://w.example', method);
        for (const origin of ['https://evil.example', 'null', `${SITE}.evil.example`])
          assert.equal(await ask(origin, method), null, `${method} ${origin}`);
      }
      const admin = await adminClient(service, 'viewer');
      const blocked = async () => {
        const path = `/waitlists/${form.list.id}/form/blocked-origins`;
        const { origins } = succeeded(
          await admin.get<{ origins: { origin: string; attempts: number }[] }>(path),
        );
        return origins.map(({ origin, attempts }) => [origin, attempts]);
      };
      const [evil, similar] = [
        ['https://evil.example', 3],
        [`${SITE}.evil.example`, 3],
      ];
      assert.deepEqual(await blocked(), [similar, evil], 'not null, which is no site');
      await form.change({ allowedOrigins: [SITE, 'https://evil.example', 'https://w.example'] });
      assert.deepEqual(await blocked(), [similar]);
      service.clock.advance(1_000);
      for (let n = 0; n < 30; n += 1) await ask(`https://flood${n}.example`, 'GET');
      assert.equal((await blocked()).length, 20);
      service.clock.advance(31 * 86_400_000);
      await forgetExpired(service.context);
      assert.deepEqual(await blocked(), []);
      const { status, headers } = await service.request('OPTIONS', form.path, { headers: { origin: SITE } });
      assert.deepEqual([status, headers.get('access-control-allow-methods')], [204, 'GET, POST']);
    });

    it('refuses bodies that are malformed, too large or of another type', async () => {
      const form = await openForm(service);
      const send = (rawBody: string, type: string) =>
        service.request('POST', form.path, {
          rawBody,
          headers: { 'content-type': type, accept: 'application/json' },
        });
      assertError(await send('{', 'application/json'), 400, 'invalid_request');
      assertError(await send('{"email":"a","email":"b"}', 'application/json'), 400, 'invalid_request');
      assertError(await send('x'.repeat(33_000), 'application/json'), 413, 'payload_too_large');
      assertError(await send('email=a', 'text/plain'), 415, 'unsupported_media_type');
      for (const body of ['[]', '1', 'null', '"x"'])
        assertError(await send(body, 'application/json'), 400, 'invalid_request', /JSON object/);
      assertError(await service.request('POST', form.path), 400, 'invalid_request', /JSON object/);
    });
  });
});
