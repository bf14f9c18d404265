import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { Document } from '../../src/http/docs/document.ts';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import { updateForm } from '../../src/waitlist/forms/update-form.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import type { PresentedEntry } from '../../src/wire/entry.ts';
import { assertMatches } from '../support/documented.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';

const PATH = '/sdk/v1/waitlist/signup';
const PUBLIC_URL = 'https://waitlist.example.com';

type SignedUp = PresentedEntry & { shareUrl: string | null; statusUrl: string | null };
interface Represented {
  success: boolean;
  created: number;
  skipped: number;
  entries?: SignedUp[];
}

forEachEngine((engine) => {
  describe('POST /signup with Prefer: return=representation', () => {
    let service: Service;
    let document: Document;
    before(async () => {
      service = await startService(engine, { environment: { DOORLIST_PUBLIC_URL: PUBLIC_URL } });
      document = (await service.request<Document>('GET', '/openapi.json')).body;
    });
    after(() => service.close());

    const signUp = (list: Pick<List, 'id' | 'key'>, entries: unknown[], prefer = 'return=representation') =>
      service.request<Represented>('POST', PATH, {
        key: list.key,
        headers: { prefer },
        body: { waitlistId: list.id, entries },
      });

    it('answers with the new entry as a lookup shows it, and with its links', async () => {
      const list = await service.waitlist();
      const { status, headers, body } = await signUp(list, [
        { email: 'Ada@Example.com', metadata: { plan: 'pro' } },
      ]);
      assert.equal(status, 201);
      assert.equal(headers.get('preference-applied'), 'return=representation');
      assert.equal(headers.get('vary'), 'Prefer');
      assertMatches(document, { $ref: '#/components/schemas/SignupResult' }, body, 'the answer');
      const [signedUp] = body.entries ?? [];
      assert.ok(signedUp);
      const { shareUrl, statusUrl, ...entry } = signedUp;
      assert.deepEqual(entry, (await list.lookup('ada@example.com')).body);
      assert.deepEqual([entry.position, entry.metadata], [1, { plan: 'pro' }]);
      assert.equal(shareUrl, null, 'the waitlist has no page to share');
      const [, path = ''] = (statusUrl ?? '').split(PUBLIC_URL);
      const page = await service.request('GET', path, { headers: { accept: 'text/html' } });
      assert.equal(page.status, 200);
      assert.match(page.text, /You are number 1 in line|>1</);
    });

    it('shows known entries as they are stored, duplicates within the request, and all in the order sent', async () => {
      const list = await service.waitlist({ boost: 0 });
      await list.signup({ email: 'first@example.com', metadata: { kept: true } }, { phone: '+14155550100' });
      const { status, body } = await signUp(list, [
        { email: 'new@example.com', referredBy: 'first@example.com' },
        { email: 'FIRST@example.com', metadata: { kept: false } },
        { email: 'other@example.com', phone: '+1 415 555 0100' },
        { email: 'New@example.com' },
      ]);
      assert.equal(status, 201);
      assert.deepEqual([body.created, body.skipped], [1, 3]);
      const shown = body.entries?.map(({ email, phone, position, referrals }) => [
        email ?? phone,
        position,
        referrals,
      ]);
      assert.deepEqual(shown, [
        ['new@example.com', 3, 0],
        ['first@example.com', 1, 1],
        ['+14155550100', 2, 0],
        ['new@example.com', 3, 0],
      ]);
      assert.deepEqual(body.entries?.[1]?.metadata, { kept: true });
      const again = await signUp(list, [{ email: 'new@example.com' }]);
      assert.equal(again.status, 200);
      assert.deepEqual(again.body.entries, [body.entries?.[0]]);
    });

    it('shows whoever has the email if email and phone belong to two people', async () => {
      const list = await service.waitlist();
      await list.signup({ phone: '+14155550101' }, { email: 'ada@example.com' });
      const { body } = await signUp(list, [{ email: 'ada@example.com', phone: '+14155550101' }]);
      assert.deepEqual(
        body.entries?.map(({ email }) => email),
        ['ada@example.com'],
      );
    });

    it('shows 100 entries with their positions', async () => {
      const list = await service.waitlist({ boost: 0 });
      await list.signup({ email: 'earlier@example.com' });
      const emails = Array.from({ length: 100 }, (_, i) => `p${i}@example.com`);
      const { body } = await signUp(
        list,
        emails.map((email) => ({ email })),
      );
      assert.deepEqual(
        body.entries?.map(({ email, position }) => [email, position]),
        emails.map((email, i) => [email, i + 2]),
      );
    });

    it('gives each of many concurrent requests its own entries', async () => {
      const list = await service.waitlist({ boost: 0 });
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          signUp(list, [{ email: `p${i}@example.com` }, { email: 'shared@example.com' }]),
        ),
      );
      answers.forEach(({ body }, i) => {
        assert.deepEqual(
          body.entries?.map(({ email }) => email),
          [`p${i}@example.com`, 'shared@example.com'],
        );
      });
      const positions = answers.map(({ body }) => body.entries?.[0]?.position);
      assert.equal(new Set(positions).size, 20);
    });

    it('shows entries that are not confirmed yet without a position', async () => {
      const list = await service.waitlist();
      await updateWaitlist(service.context, list.id, { confirmEmails: true });
      const { body } = await signUp(list, [{ email: 'ada@example.com' }]);
      assert.deepEqual([body.entries?.[0]?.status, body.entries?.[0]?.position], ['pending', null]);
    });

    it("shares the waitlist's own page, or else the hosted page where it is on", async () => {
      const list = await service.waitlist();
      await updateForm(service.context, await list.queue(), { enabled: true });
      const hosted = (await signUp(list, [{ email: 'ada@example.com' }])).body.entries?.[0];
      assert.equal(hosted?.shareUrl, `${PUBLIC_URL}/w/${list.id}?ref=${hosted?.referralCode}`);
      await updateMailSettings(service.context, list.id, {
        referralUrl: 'https://acme.example/?ref={referralCode}',
      });
      const own = (await signUp(list, [{ email: 'ada@example.com' }])).body.entries?.[0];
      assert.equal(own?.shareUrl, `https://acme.example/?ref=${own?.referralCode}`);
    });

    it('is ignored for a key that may not read: exactly the three fields, and nothing is said to be applied', async () => {
      const list = await service.waitlist();
      const { key } = await service.key({ waitlistId: list.id });
      const { status, headers, body } = await signUp({ id: list.id, key }, [{ email: 'ada@example.com' }]);
      assert.equal(status, 201);
      assert.deepEqual(body, { success: true, created: 1, skipped: 0 });
      assert.equal(headers.get('preference-applied'), null);
    });

    it('is honored for a product key', async () => {
      const list = await service.waitlist();
      const { key } = await service.key();
      const { body } = await signUp({ id: list.id, key }, [{ email: 'ada@example.com' }]);
      assert.equal(body.entries?.length, 1);
    });

    it('changes nothing about refusals', async () => {
      const list = await service.waitlist();
      assertError(await signUp(list, [{ email: 'nonsense' }]), 400, 'invalid_request');
      assertError(
        await signUp({ id: 'wl_nowhere', key: list.key }, [{ email: 'a@example.com' }]),
        404,
        'not_found',
      );
      await updateWaitlist(service.context, list.id, { closed: true });
      assertError(await signUp(list, [{ email: 'ada@example.com' }]), 409, 'waitlist_closed');
      assert.equal((await list.page()).body.total, 0);
    });

    it('is read as RFC 7240 says', async () => {
      const list = await service.waitlist();
      for (const [prefer, applied] of [
        ['return=representation; foo, wait=10', true],
        ['respond-async, Return="representation"', true],
        ['return=minimal', false],
        ['return=minimal, return=representation', false],
        ['wait=10', false],
        ['', false],
      ] as const) {
        const { headers, body } = await signUp(list, [{ email: 'ada@example.com' }], prefer);
        assert.equal(body.entries !== undefined, applied, prefer);
        assert.equal(headers.get('preference-applied'), applied ? 'return=representation' : null, prefer);
      }
    });

    it('is found in the second of several headers', async () => {
      const list = await service.waitlist();
      const answer = await rawSignup(service, list, ['wait=10', 'return=representation']);
      assert.match(answer, /"entries":\[\{"id":"ent_/);
    });

    it('leaves the answer without it as it was', async () => {
      const list = await service.waitlist();
      const { text, headers } = await list.signup({ email: 'ada@example.com' });
      assert.equal(text, '{"success":true,"created":1,"skipped":0}');
      assert.deepEqual([headers.get('vary'), headers.get('preference-applied')], [null, null]);
    });
  });
});

/** `fetch` would join the headers. */
function rawSignup({ url }: Service, list: List, prefer: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${url}${PATH}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${list.key}`, 'content-type': 'application/json', prefer },
    });
    request.on('error', reject);
    request.on('response', async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve(Buffer.concat(chunks).toString());
    });
    request.end(JSON.stringify({ waitlistId: list.id, entries: [{ email: 'ada@example.com' }] }));
  });
}
