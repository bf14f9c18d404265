import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { updateForm } from '../../src/waitlist/forms/update-form.ts';
import { revokeKey } from '../../src/waitlist/keys/server-keys.ts';
import { PICTURES_MAX } from '../../src/waitlist/settings/pictures.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import type { PresentedEntry } from '../../src/wire/entry.ts';
import { type AskInRoles, askInRoles, auditOf, succeeded } from '../support/admin.ts';
import { type DocumentedClient, documentedClient } from '../support/documented-client.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { PNG } from '../support/pictures.ts';

interface Steps {
  dismissed: boolean;
  steps: { step: string; done: boolean; role: string }[];
}

interface Added {
  entry: PresentedEntry;
  created: boolean;
  mailable: { mailable: boolean; reason: string | null } | null;
}

forEachEngine((engine) => {
  describe('the first hour with a waitlist', () => {
    let service: Service;
    let admin: DocumentedClient;
    let ask: AskInRoles;
    before(async () => {
      service = await startService(engine);
      admin = await documentedClient(service, 'admin');
      ask = await askInRoles(service, 'admin');
    });
    after(() => service.close());

    const steps = async ({ id }: List, query = '') =>
      succeeded(await admin.call<Steps>('getFirstSteps', 'GET', `/waitlists/${id}/first-steps${query}`));
    const done = async (list: List, query = '') =>
      (await steps(list, query)).steps.filter((step) => step.done).map(({ step }) => step);
    const add = ({ id }: List, body: unknown, role = 'support') =>
      ask<Added>('POST', `/waitlists/${id}/entries`, { role, body });
    const upload = ({ id }: List, rawBody: Uint8Array) =>
      admin.call<{ logoUrl: string }>('uploadLogo', 'POST', `/waitlists/${id}/logo`, {
        rawBody,
        headers: { 'content-type': 'application/octet-stream' },
      });

    it('ticks steps off by what is there, in each environment', async () => {
      const list = await service.waitlist();
      assert.deepEqual(await done(list), ['signups'], 'by its key');
      await revokeKey(service.context, list.keyId);
      assert.deepEqual(await done(list), []);
      await updateForm(service.context, await list.queue(), { enabled: true });
      assert.deepEqual(await done(list), ['signups'], 'by its form');
      succeeded(await add(list, { email: 'ada@example.com' }), 201);
      succeeded(await upload(list, PNG));
      await list.invite('ada@example.com');
      assert.deepEqual(await done(list), ['signups', 'person', 'look', 'invite']);
      assert.deepEqual(await done(list, '?environment=development'), ['look']);
      const { steps: all } = await steps(list);
      assert.deepEqual(
        all.filter(({ role }) => role === 'support').map(({ step }) => step),
        ['person', 'invite'],
      );
    });

    it('dismisses them for good, for everyone', async () => {
      const list = await service.waitlist();
      const path = `/waitlists/${list.id}/first-steps/dismiss`;
      assertError(await ask('POST', path, { role: 'support' }), 403, 'forbidden');
      assert.equal((await steps(list)).dismissed, false);
      succeeded(await admin.call('dismissFirstSteps', 'POST', path));
      assert.equal((await steps(list, '?environment=development')).dismissed, true);
      const [record] = await auditOf(service, `waitlist:${list.id}`);
      assert.equal(record?.action, 'first_steps.dismissed');
    });

    it('adds a person as a signup does, and says whether they are emailed', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'grace@example.com' });
      const added = succeeded(
        await admin.call<Added>('addEntry', 'POST', `/waitlists/${list.id}/entries`, {
          body: { email: 'Ada@Example.com', metadata: { name: 'Ada' }, referredBy: 'grace@example.com' },
        }),
        201,
      );
      assert.equal(added.entry.email, 'Ada@Example.com');
      assert.deepEqual(added.entry.metadata, { name: 'Ada' });
      assert.equal(added.entry.referredBy, 'grace@example.com');
      assert.deepEqual([added.created, added.mailable?.reason], [true, 'kind_off']);
      assert.equal((await list.lookup('grace@example.com')).body.referrals, 1);
      const [record] = await auditOf(service, `entry:${added.entry.id}`);
      assert.equal(record?.action, 'entry.added');
      const again = succeeded(await add(list, { email: 'ada@example.com', metadata: { name: 'Eve' } }));
      assert.deepEqual([again.created, again.mailable, again.entry.metadata], [false, null, { name: 'Ada' }]);
      assert.equal((await auditOf(service, `entry:${added.entry.id}`)).length, 1);
      await updateWaitlist(service.context, list.id, { confirmEmails: true });
      assert.equal((await add(list, { email: 'linus@example.com' })).body.entry.status, 'pending');
      await updateWaitlist(service.context, list.id, { closed: true });
      assertError(await add(list, { email: 'late@example.com' }), 409, 'waitlist_closed');
    });

    it('refuses to add what a signup refuses, field by field', async () => {
      const list = await service.waitlist();
      const { status, body } = await ask<{ fields: { name: string }[] }>(
        'POST',
        `/waitlists/${list.id}/entries`,
        { body: { email: 'ada', phone: '12', metadata: { '': 1 } } },
      );
      assert.equal(status, 400);
      assert.deepEqual(
        body.fields.map(({ name }) => name),
        ['email', 'phone', 'metadata'],
      );
      assert.equal((await add(list, { emial: 'ada@example.com' })).status, 400);
      assert.equal((await add(list, {})).status, 400);
      assertError(await add(list, { email: 'ada@example.com' }, 'viewer'), 403, 'forbidden');
      assert.equal((await list.walk()).length, 0);
    });

    it('takes a logo by its content, and shows it to everyone', async () => {
      const list = await service.waitlist();
      const { logoUrl } = succeeded(await upload(list, PNG));
      const { origin, pathname } = new URL(logoUrl);
      assert.equal(origin, 'http://127.0.0.1:3000', 'the public URL');
      assert.match(pathname, new RegExp(`^/w/${list.id}/pictures/[0-9a-f]{32}\\.png$`));
      const address = service.url + pathname;
      const shown = await fetch(address);
      assert.deepEqual(Buffer.from(await shown.arrayBuffer()), PNG);
      assert.equal(shown.headers.get('content-type'), 'image/png');
      assert.equal(shown.headers.get('x-content-type-options'), 'nosniff');
      assert.match(shown.headers.get('cache-control') ?? '', /immutable/);
      assert.match(shown.headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/);
      const etag = shown.headers.get('etag') ?? '';
      assert.equal((await fetch(address, { headers: { 'if-none-match': etag } })).status, 304);
      assert.equal((await fetch(address.replace(/[0-9a-f]{32}/, '0'.repeat(32)))).status, 404);
      const settings = `/waitlists/${list.id}/mail/settings`;
      const patch = (body: object) =>
        admin.call<{ logoUrl: string | null }>('updateMailSettings', 'PATCH', settings, { body });
      assert.equal(succeeded(await patch({ logoUrl })).logoUrl, logoUrl, 'its own address is accepted');
      assertError(await patch({ logoUrl: '/elsewhere.png' }), 400, 'invalid_request');
      assert.equal(succeeded(await patch({ logoUrl: null })).logoUrl, null);
      assert.equal((await fetch(address)).status, 200, 'emails that were sent still show it');
    });

    it('keeps the newest pictures of a waitlist, among them the one in use', async () => {
      const list = await service.waitlist();
      const addresses: string[] = [];
      for (let i = 0; i <= PICTURES_MAX; i += 1) {
        service.clock.now += 1_000;
        addresses.push(succeeded(await upload(list, Buffer.concat([PNG, Buffer.from([i])]))).logoUrl);
      }
      const shown = async (address = '') => (await fetch(service.url + new URL(address).pathname)).status;
      assert.equal(await shown(addresses[0]), 404);
      assert.equal(await shown(addresses[1]), 200);
      service.clock.now += 1_000;
      succeeded(await upload(list, Buffer.concat([PNG, Buffer.from([1])])));
      service.clock.now += 1_000;
      succeeded(await upload(list, PNG));
      assert.equal(await shown(addresses[1]), 200, 'uploaded again, it is new again');
      assert.equal(await shown(addresses[2]), 404);
    });

    it('takes nothing for a logo that could run, or is too large', async () => {
      const list = await service.waitlist();
      const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
      assertError(await upload(list, svg), 400, 'invalid_request');
      assertError(await upload(list, Buffer.alloc(0)), 400, 'invalid_request');
      const large = Buffer.concat([PNG, Buffer.alloc(256 * 1024)]);
      assertError(await upload(list, large), 413, 'payload_too_large');
      assert.deepEqual(await done(list), ['signups']);
    });

    it('previews the form with settings that are not saved', async () => {
      const list = await service.waitlist();
      const path = `/waitlists/${list.id}/form/preview`;
      const preview = (body: object) => admin.call<{ html: string }>('previewForm', 'POST', path, { body });
      const { html } = succeeded(await preview({ headline: 'Be <first>', colour: '#123456' }));
      assert.match(html, /--accent: #123456.*<h1 dir="auto">Be &lt;first&gt;<\/h1>.*name="email"/s);
      assertError(await preview({ colour: 'blue' }), 400, 'invalid_request');
      assert.equal((await fetch(`${service.url}/w/${list.id}`)).status, 404, 'nothing was saved');
    });
  });
});
