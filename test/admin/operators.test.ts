import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { newId, parseId } from '../../src/lib/ids.ts';
import { assertError, forEachEngine, type Service, startService } from '../support/harness.ts';
import { type Browser, browserOf, join, OWNER, PASSWORD, setUp, tokenOf } from '../support/operators.ts';
import { unique } from '../support/storage.ts';

interface Invited {
  operator: { id: string; email: string; state: string; role: string };
  link: { url: string; kind: string; expiresAt: string; emailed: boolean };
}

forEachEngine((engine) => {
  let service: Service;
  let owner: Browser;
  before(async () => {
    service = await startService(engine);
    owner = await setUp(service);
  });
  after(() => service.close());
  beforeEach(async () => {
    service.clock.advance(2 * 3_600_000);
    await owner.signIn(OWNER.email, PASSWORD);
  });

  const idOf = async (browser: Browser) =>
    (await browser.get<{ operator: { id: string } }>('/me')).body.operator.id;
  const invite = async (role: string, email = `${unique('p')}@example.com`) =>
    (await owner.post<Invited>('/operators', { email, role })).body;

  describe('operators', () => {
    it('are invited with a link that works once', async () => {
      const { operator, link } = await invite('support');
      assert.equal(operator.state, 'invited');
      assert.deepEqual([link.kind, link.emailed], ['invitation', false], 'there is no mail server');
      assertError(await browserOf(service).signIn(operator.email, PASSWORD), 401, 'unauthorized');
      const page = await fetch(`${service.url}/password/${tokenOf(link.url)}`);
      assert.match(await page.text(), new RegExp(operator.email));
      const accept = () =>
        browserOf(service).post<Invited['operator']>('/password', {
          token: tokenOf(link.url),
          name: 'Ada',
          password: PASSWORD,
        });
      const answers = await Promise.all([accept(), accept(), accept()]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 410, 410]);
      assert.equal((await browserOf(service).signIn(operator.email, PASSWORD)).status, 200);
      assert.equal((await fetch(`${service.url}/password/${tokenOf(link.url)}`)).status, 410);
    });

    it('have one link at a time, which expires', async () => {
      const { operator, link } = await invite('viewer');
      const again = await owner.post<Invited['link']>(`/operators/${operator.id}/link`);
      assert.equal(again.status, 201);
      const follow = (url: string) =>
        browserOf(service).post('/password', { token: tokenOf(url), password: PASSWORD });
      assertError(await follow(link.url), 410, 'expired');
      service.clock.advance(Date.parse(again.body.expiresAt) - service.clock.now);
      assertError(await follow(again.body.url), 410, 'expired');
    });

    it('are each there once, whatever the case of their email', async () => {
      const { operator } = await invite('viewer');
      const twice = await owner.post('/operators', { email: operator.email.toUpperCase(), role: 'admin' });
      assertError(twice, 409, 'conflict');
    });

    it('are not managed by somebody with a lower role', async () => {
      const admin = await join(service, owner, 'admin', `${unique('a')}@example.com`);
      const ownerId = await idOf(owner);
      assertError(
        await admin.post('/operators', { email: 'x@example.com', role: 'owner' }),
        403,
        'forbidden',
      );
      assertError(await admin.patch(`/operators/${ownerId}`, { role: 'viewer' }), 403, 'forbidden');
      assertError(await admin.delete(`/operators/${ownerId}`), 403, 'forbidden');
      assertError(await admin.post(`/operators/${ownerId}/link`), 403, 'forbidden');
      assertError(await admin.patch(`/operators/${await idOf(admin)}`, { role: 'owner' }), 403, 'forbidden');
      assertError(await admin.post('/tokens', { name: 'x', role: 'owner' }), 403, 'forbidden');
      const { operator } = await invite('viewer');
      assert.equal((await admin.patch(`/operators/${operator.id}`, { role: 'support' })).status, 200);
      assert.equal((await admin.delete(`/operators/${operator.id}`)).status, 200);
      assertError(await admin.delete(`/operators/${operator.id}`), 404, 'not_found');
    });

    it('are signed out by somebody who may manage them', async () => {
      const ada = await join(service, owner, 'viewer', `${unique('s')}@example.com`);
      const id = await idOf(ada);
      assert.deepEqual((await owner.delete(`/operators/${id}/sessions`)).body, { ended: 1 });
      assertError(await ada.get('/me'), 401, 'unauthorized');
      const admin = await join(service, owner, 'admin', `${unique('s')}@example.com`);
      assertError(await admin.delete(`/operators/${await idOf(owner)}/sessions`), 403, 'forbidden');
    });

    it('always have an owner who can sign in', async () => {
      const ownerId = await idOf(owner);
      await invite('owner'); // Has not accepted: does not count.
      assertError(await owner.delete(`/operators/${ownerId}`), 409, 'conflict');
      assertError(await owner.patch(`/operators/${ownerId}`, { role: 'admin' }), 409, 'conflict');
      const second = await join(service, owner, 'owner', `${unique('o')}@example.com`);
      const secondId = await idOf(second);
      const both = await Promise.all([
        owner.patch(`/operators/${ownerId}`, { role: 'admin' }),
        second.patch(`/operators/${secondId}`, { role: 'admin' }),
      ]);
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
      const left = both[0]?.status === 200 ? second : owner;
      assert.equal((await left.patch(`/operators/${ownerId}`, { role: 'owner' })).status, 200);
    });

    it('whose account is damaged are listed as such, and can be removed', async () => {
      const person = await join(service, owner, 'admin', `${unique('p')}@example.com`);
      const id = await idOf(person);
      const { query } = service.context.db;
      const row = parseId('opr', id) ?? Buffer.alloc(0);
      await query
        .updateTable('operator')
        .set({ profile: Buffer.from('damaged') })
        .where('id', '=', row)
        .execute();
      assertError(await person.get('/me'), 401, 'unauthorized');
      const { operators } = (await owner.get<{ operators: Invited['operator'][] }>('/operators')).body;
      const listed = operators.find((each) => each.id === id);
      assert.deepEqual([listed?.email, listed?.state, listed?.role], ['', 'damaged', 'admin']);
      assertError(await owner.post(`/operators/${id}/link`), 409, 'damaged', /^this account is damaged/);
      assert.equal((await owner.delete(`/operators/${id}`)).status, 200);
      assert.equal(
        (await owner.get<{ operators: unknown[] }>('/operators')).body.operators.length,
        operators.length - 1,
      );
    });

    it('see their other sessions and passkeys, also if one is damaged', async () => {
      const person = await join(service, owner, 'viewer', `${unique('p')}@example.com`);
      const damaged = Buffer.from('damaged');
      const row = parseId('opr', await idOf(person)) ?? damaged;
      const { query } = service.context.db;
      await query
        .updateTable('operator_session')
        .set({ client: damaged })
        .where('operator_id', '=', row)
        .execute();
      const passkey = {
        id: newId(service.clock.now),
        operator_id: row,
        credential_hash: damaged,
        sealed: damaged,
      };
      await query
        .insertInto('passkey')
        .values({ ...passkey, counter: 0, created_at: service.clock.now })
        .execute();
      const { sessions } = (await person.get<{ sessions: { address: string }[] }>('/me/sessions')).body;
      assert.deepEqual(
        sessions.map(({ address }) => address),
        [''],
      );
      const { passkeys } = (await person.get<{ passkeys: { id: string; name: string }[] }>('/me/passkeys'))
        .body;
      assert.deepEqual(
        passkeys.map(({ name }) => name),
        ['Damaged passkey'],
      );
      assert.equal((await person.delete(`/me/passkeys/${passkeys[0]?.id}`)).status, 200);
    });

    it('cannot be set up again once there is an owner', async () => {
      const { body } = await owner.get<{ operators: { role: string }[] }>('/operators');
      assert.ok(body.operators.some(({ role }) => role === 'owner'));
    });
  });

  describe('tokens', () => {
    it('are shown once, work until they expire or are revoked, and say who they are', async () => {
      const expiresAt = new Date(service.clock.now + 60_000).toISOString();
      const made = await owner.post<{ id: string; token: string; hint: string }>('/tokens', {
        name: 'Terraform',
        role: 'support',
        expiresAt,
      });
      assert.equal(made.status, 201, made.text);
      const { token, id, hint } = made.body;
      assert.match(token, /^dla_[0-9A-Za-z]{34}$/);
      assert.ok(token.endsWith(hint));
      const me = () =>
        service.request<{ kind: string; token: { id: string } }>('GET', '/admin/v1/me', { key: token });
      assert.equal((await me()).body.token.id, id);
      const listed = await owner.get<{ tokens: object[] }>('/tokens');
      assert.ok(!listed.text.includes(token));
      service.clock.advance(60_000);
      assertError(await me(), 401, 'unauthorized');

      const other = (
        await owner.post<{ id: string; token: string }>('/tokens', { name: 'b', role: 'viewer' })
      ).body;
      assert.equal((await owner.delete(`/tokens/${other.id}`)).status, 200);
      assertError(await service.request('GET', '/admin/v1/me', { key: other.token }), 401, 'unauthorized');
      assert.equal((await owner.delete(`/tokens/${other.id}`)).status, 200);
      assertError(await owner.delete('/tokens/tok_none'), 404, 'not_found');
    });

    it('are refused with an expiry that is past or no time', async () => {
      for (const expiresAt of ['2020-01-01T00:00:00Z', 'tomorrow', '2030-01-01'])
        assertError(
          await owner.post('/tokens', { name: 'x', role: 'viewer', expiresAt }),
          400,
          'invalid_request',
          /^expiresAt: /,
        );
      assertError(
        await owner.post('/tokens', { name: '', role: 'viewer' }),
        400,
        'invalid_request',
        /^name: /,
      );
      assertError(await owner.post('/tokens', { name: 'x', role: 'god' }), 400, 'invalid_request', /^role: /);
    });

    it('are not server keys, and server keys are not tokens', async () => {
      const list = await service.waitlist();
      assertError(await service.request('GET', '/admin/v1/me', { key: list.key }), 401, 'unauthorized');
      const { token } = (await owner.post<{ token: string }>('/tokens', { name: 'c', role: 'owner' })).body;
      const read = await service.request('GET', `/sdk/v1/waitlist/${list.id}/entries`, { key: token });
      assertError(read, 401, 'unauthorized');
    });
  });
});
