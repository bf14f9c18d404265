import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openOperators } from '../../src/operators/context.ts';
import { createOperatorLink } from '../../src/operators/operators.ts';
import { siteOf } from '../../src/operators/passkey-challenge.ts';
import { COMMAND_LINE } from '../../src/operators/roles.ts';
import { type Authenticator, newAuthenticator } from '../support/authenticator.ts';
import { type Answer, assertError, forEachEngine, type Service, startService } from '../support/harness.ts';
import { type Browser, browserOf, join, OWNER, PASSWORD, setUp } from '../support/operators.ts';

const ORIGIN = 'http://localhost:3000';
const TEN_MINUTES = 10 * 60_000;

interface Passkey {
  id: string;
  name: string;
  lastUsedAt: string | null;
}

forEachEngine((engine) => {
  describe('passkeys', () => {
    let service: Service;
    let owner: Browser;
    before(async () => {
      service = await startService(engine, { environment: { DOORLIST_PUBLIC_URL: ORIGIN } });
      owner = await setUp(service);
    });
    after(() => service.close());

    const options = async (browser: Browser, body: object = {}) => {
      const answer = await browser.post('/me/passkeys/options', body);
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const add = async (browser: Browser, device: Authenticator, name = 'Laptop'): Promise<Passkey> => {
      const response = device.create(await options(browser, { password: PASSWORD }));
      const answer = await browser.post<Passkey>('/me/passkeys', { name, response });
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    };
    const begin = async (browser: Browser) => (await browser.post('/session/passkey/options')).body;
    const signIn = async (
      device: Authenticator,
      how: Parameters<Authenticator['get']>[1] = {},
      browser = browserOf(service),
    ): Promise<Answer<{ email: string }>> =>
      browser.post('/session/passkey', { response: device.get(await begin(browser), how) });
    const refused = (answer: Answer<unknown>) =>
      assertError(answer, 401, 'unauthorized', 'this passkey was not accepted');

    it('sign in alone, without a password and without a code', async () => {
      const device = newAuthenticator(ORIGIN);
      const added = await add(owner, device);
      assert.deepEqual(
        { name: added.name, lastUsedAt: added.lastUsedAt },
        { name: 'Laptop', lastUsedAt: null },
      );
      const browser = browserOf(service);
      const answer = await signIn(device, {}, browser);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.body.email, OWNER.email);
      assert.equal((await browser.get('/me')).status, 200);
      const { passkeys } = (await owner.get<{ passkeys: Passkey[] }>('/me/passkeys')).body;
      assert.ok(passkeys.find(({ id }) => id === added.id)?.lastUsedAt);
      assert.equal((await signIn(device)).status, 200, 'again, with the next count');
      const { records } = (await owner.get<{ records: { action: string; after: unknown }[] }>('/audit')).body;
      assert.deepEqual(records[0]?.after, { with: 'passkey' });
      assert.ok(records.some(({ action }) => action === 'passkey.added'));
    });

    it('take a password or a fresh sign-in to add or remove, renaming does not', async () => {
      const ada = await join(service, owner, 'viewer', 'ada@example.com');
      const device = newAuthenticator(ORIGIN);
      const response = device.create(await options(ada));
      const added = await ada.post<Passkey>('/me/passkeys', { response });
      assert.equal(added.body.name, 'Passkey');
      service.clock.advance(TEN_MINUTES);
      assertError(await ada.post('/me/passkeys/options'), 403, 'forbidden', /^password: is required/);
      assertError(await ada.post('/me/passkeys/options', { password: 'wrong' }), 403, 'forbidden');
      const path = `/me/passkeys/${added.body.id}`;
      const renamed = await ada.patch<Passkey>(path, { name: 'Phone' });
      assert.equal(renamed.body.name, 'Phone');
      assertError(await ada.patch(path, { name: ' ' }), 400, 'invalid_request', /name/);
      assertError(await owner.patch(path, { name: 'Mine' }), 404, 'not_found');
      assertError(await ada.delete(path), 403, 'forbidden');
      assert.equal((await signIn(device)).status, 200);
      const remove = (body: object) => ada.request('DELETE', `/admin/v1${path}`, { body });
      assert.equal((await remove({ password: PASSWORD })).status, 200);
      assertError(await remove({ password: PASSWORD }), 404, 'not_found');
      refused(await signIn(device));
    });

    it('are told to their owner by email when they are added, and not when adding fails', async () => {
      const noor = await join(service, owner, 'viewer', 'noor@example.com');
      const notices = async () => {
        const { mails } = (await owner.get<{ mails: { id: string; kind: string; to: string }[] }>('/mails'))
          .body;
        return mails.filter(({ kind, to }) => kind === 'passkey-added' && to === 'noor@example.com');
      };
      const response = newAuthenticator('https://evil.example').create(await options(noor));
      assertError(await noor.post('/me/passkeys', { response }), 400, 'invalid_request');
      assert.deepEqual(await notices(), []);
      await add(noor, newAuthenticator(ORIGIN));
      const [notice, ...others] = await notices();
      assert.deepEqual(others, []);
      const mail = (await owner.get<{ subject: string; text: string }>(`/mails/${notice?.id}`)).body;
      assert.equal(mail.subject, 'New passkey for localhost:3000');
      assert.match(mail.text, /A passkey was added to your account on localhost:3000 on /);
      assert.match(mail.text, /It came from the address 127\.0\.0\.1\./);
      assert.match(mail.text, /If this wasn't you, set a new password at once/);
      assert.ok(mail.text.includes(`${ORIGIN}/sign-in`));
    });

    it('are refused from another site, for another site, unverified, or of another kind', async () => {
      const device = newAuthenticator(ORIGIN);
      await add(owner, device);
      refused(await signIn(device, { origin: 'https://evil.example' }));
      refused(await signIn(device, { rpId: 'evil.example' }));
      refused(await signIn(device, { flags: 0x01 }));
      refused(await signIn(device, { flags: 0x04 }));
      refused(await signIn(device, { type: 'webauthn.create' }));
      refused(await signIn(device, { challenge: 'AAAA' }));
      refused(await signIn(device, { userHandle: 'AAAA' }));
      refused(await signIn(newAuthenticator(ORIGIN)));
      assert.equal((await signIn(device)).status, 200, 'the device itself is fine');
      for (const [how, message] of [
        [{ origin: 'https://evil.example' }, /comes from another address than http:\/\/localhost:3000/],
        [{ rpId: 'evil.example' }, /is not a passkey for this request/],
        [{ flags: 0x01 }, /is not a passkey for this request/],
        [{ challenge: 'AAAA' }, /is not a passkey for this request/],
        [{ type: 'webauthn.get' }, /is not a passkey for this request/],
      ] as const) {
        const response = newAuthenticator(ORIGIN).create(await options(owner, { password: PASSWORD }), how);
        assertError(await owner.post('/me/passkeys', { response }), 400, 'invalid_request', message);
      }
    });

    it('answer a challenge once, in time, and in the browser that asked for it', async () => {
      const device = newAuthenticator(ORIGIN);
      await add(owner, device);
      const browser = browserOf(service);
      const response = device.get(await begin(browser));
      const kept = browser.cookies.get('doorlist-passkey') ?? '';
      const send = (cookie: string, body: object = { response }) =>
        service.request('POST', '/admin/v1/session/passkey', {
          body,
          headers: cookie ? { cookie: `doorlist-passkey=${cookie}` } : {},
        });
      refused(await send(''));
      const other = browserOf(service);
      await begin(other);
      refused(await send(other.cookies.get('doorlist-passkey') ?? ''));
      const answers = await Promise.all([send(kept), send(kept), send(kept)]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401]);
      refused(await send(kept));

      const late = browserOf(service);
      const answer = device.get(await begin(late));
      const longer = (late.cookies.get('doorlist-passkey') ?? '').replace(/\d+$/, (time) =>
        String(Number(time) + TEN_MINUTES),
      );
      service.clock.advance(5 * 60_000);
      refused(await late.post('/session/passkey', { response: answer }));
      refused(await send(longer, { response: answer }));

      const created = newAuthenticator(ORIGIN).create(await options(owner, { password: PASSWORD }));
      const first = owner.cookies.get('doorlist-passkey') ?? '';
      assert.equal((await owner.post('/me/passkeys', { response: created })).status, 201);
      owner.cookies.set('doorlist-passkey', first);
      assertError(
        await owner.post('/me/passkeys', { response: created }),
        400,
        'invalid_request',
        /start again/,
      );
      const eve = await join(service, owner, 'viewer', 'eve@example.com');
      const hers = newAuthenticator(ORIGIN).create(await options(owner, { password: PASSWORD }));
      eve.cookies.set('doorlist-passkey', owner.cookies.get('doorlist-passkey') ?? '');
      assertError(await eve.post('/me/passkeys', { response: hers }), 400, 'invalid_request');
    });

    it('that were copied are refused: their count goes back', async () => {
      const device = newAuthenticator(ORIGIN);
      await add(owner, device);
      assert.equal((await signIn(device)).status, 200);
      device.counter = 0;
      refused(await signIn(device));
      assert.equal((await signIn(device)).status, 200);
    });

    it('cannot be added twice, and not to two accounts', async () => {
      const device = newAuthenticator(ORIGIN);
      await add(owner, device);
      const again = device.create(await options(owner, { password: PASSWORD }));
      assertError(await owner.post('/me/passkeys', { response: again }), 409, 'conflict');
      const bob = await join(service, owner, 'viewer', 'bob@example.com');
      const stolen = device.create(await options(bob));
      assertError(await bob.post('/me/passkeys', { response: stolen }), 409, 'conflict');
    });

    it('refuse what is malformed, without a stack trace and without an account', async () => {
      const browser = browserOf(service);
      await begin(browser);
      const credential = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: {} };
      refused(await browser.post('/session/passkey', { response: credential }));
      for (const response of [
        undefined,
        null,
        'x',
        {},
        { ...credential, id: 1 },
        { ...credential, type: 'x' },
      ])
        assertError(await browser.post('/session/passkey', { response }), 400, 'invalid_request');
      await options(owner, { password: PASSWORD });
      assertError(await owner.post('/me/passkeys', { response: credential }), 400, 'invalid_request');
      assertError(await browser.post('/me/passkeys/options'), 401, 'unauthorized');
    });

    it('go with the operator, and with a lost device', async () => {
      const kim = await join(service, owner, 'viewer', 'kim@example.com');
      const device = newAuthenticator(ORIGIN);
      await add(kim, device);
      const find = { email: 'kim@example.com' };
      await createOperatorLink(await openOperators(service.context), COMMAND_LINE, find, true);
      refused(await signIn(device));
      const second = newAuthenticator(ORIGIN);
      await add(kim, second);
      const { operator } = (await kim.get<{ operator: { id: string } }>('/me')).body;
      assert.equal((await owner.delete(`/operators/${operator.id}`)).status, 200);
      refused(await signIn(second));
    });

    it('are stored sealed', async () => {
      const device = newAuthenticator(ORIGIN);
      await add(owner, device, 'a name to look for');
      const rows = await service.context.db.query.selectFrom('passkey').selectAll().execute();
      const bytes = Buffer.concat(
        rows.flatMap(({ sealed, credential_hash }) => [sealed, credential_hash]),
      ).toString('latin1');
      assert.ok(!bytes.includes('a name to look for') && !bytes.includes(device.id));
    });
  });
});

describe('the site of passkeys', () => {
  it('is a name over https, or localhost', () => {
    assert.deepEqual(siteOf('https://waitlist.example.com'), {
      id: 'waitlist.example.com',
      origin: 'https://waitlist.example.com',
    });
    assert.deepEqual(siteOf('http://localhost:3000'), { id: 'localhost', origin: 'http://localhost:3000' });
    for (const url of ['http://127.0.0.1:3000', 'https://127.0.0.1', 'https://[::1]', 'http://example.com'])
      assert.throws(() => siteOf(url), /passkeys require DOORLIST_PUBLIC_URL/);
  });
});
