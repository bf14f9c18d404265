import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { auditOf } from '../support/admin.ts';
import { assertError, forEachEngine, type Service, startService } from '../support/harness.ts';
import { type Browser, browserOf, join, OWNER, PASSWORD, setUp, tokenOf } from '../support/operators.ts';
import { unique } from '../support/storage.ts';

interface Invited {
  operator: { id: string; email: string };
  link: { url: string };
}

interface Token {
  id: string;
  token: string;
  role: string;
  expiresAt: string | null;
  revokedAt: string | null;
  createdBy: string | null;
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

  const address = () => `${unique('p')}@example.com`;
  const idOf = async (browser: Browser) =>
    (await browser.get<{ operator: { id: string } }>('/me')).body.operator.id;
  const admin = () => join(service, owner, 'admin', address());
  const invite = async (by: Browser, role: string) =>
    (await by.post<Invited>('/operators', { email: address(), role })).body;
  const follow = (url: string) =>
    browserOf(service).post('/password', { token: tokenOf(url), password: PASSWORD });
  const pageOf = async (url: string) => (await fetch(`${service.url}/password/${tokenOf(url)}`)).status;
  const isOver = async (url: string) => {
    assert.equal(await pageOf(url), 410);
    assertError(await follow(url), 410, 'expired');
  };
  const tokenBy = async (by: Browser, body: object) => {
    const answer = await by.post<Token>('/tokens', { name: 'ci', ...body });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const withToken = (key: string) => ({
    me: () => service.request<{ token: Token }>('GET', '/admin/v1/me', { key }),
    post: <T>(path: string, body: unknown) => service.request<T>('POST', `/admin/v1${path}`, { key, body }),
    delete: (path: string) => service.request('DELETE', `/admin/v1${path}`, { key }),
  });
  const works = async ({ token }: Token) => (await withToken(token).me()).status === 200;
  const listed = async (id: string) =>
    (await owner.get<{ tokens: Token[] }>('/tokens')).body.tokens.find((token) => token.id === id);

  describe('a one-time link', () => {
    it('ends when the role of its operator rises, so that an admin does not become an owner', async () => {
      const eve = await admin();
      const { operator, link } = await invite(eve, 'support');
      assert.equal((await owner.patch(`/operators/${operator.id}`, { role: 'owner' })).status, 200);
      await isOver(link.url);
      const fresh = await owner.post<Invited['link']>(`/operators/${operator.id}/link`);
      assert.equal((await follow(fresh.body.url)).status, 200);
    });

    it('for a new password ends in the same way, step by step', async () => {
      const eve = await admin();
      const bob = await join(service, owner, 'viewer', address());
      const reset = await eve.post<Invited['link']>(`/operators/${await idOf(bob)}/link`);
      await owner.patch(`/operators/${await idOf(bob)}`, { role: 'support' });
      await isOver(reset.body.url);
    });

    it('stays when a role sinks or is set again', async () => {
      const { operator, link } = await invite(owner, 'admin');
      await owner.patch(`/operators/${operator.id}`, { role: 'admin' });
      await owner.patch(`/operators/${operator.id}`, { role: 'viewer' });
      assert.equal((await follow(link.url)).status, 200);
    });

    it('gives no more than the rank of its maker, whatever happened to the operator', async () => {
      const eve = await admin();
      const { operator, link } = await invite(eve, 'support');
      const { db } = service.context;
      const [row] = await db.query
        .selectFrom('operator_link')
        .selectAll()
        .orderBy('created_at', 'desc')
        .execute();
      assert.equal(row?.max_role, 'admin');
      await db.query
        .updateTable('operator')
        .set({ role: 'owner' })
        .where('id', '=', row?.operator_id ?? Buffer.alloc(0))
        .execute();
      await isOver(link.url);
      await owner.delete(`/operators/${operator.id}`);
    });

    it('ends with its maker: removed, or below the role it would give', async () => {
      const eve = await admin();
      const ci = await tokenBy(eve, { role: 'admin' });
      const byEve = await invite(eve, 'admin');
      const byToken = (
        await withToken(ci.token).post<Invited>('/operators', { email: address(), role: 'admin' })
      ).body;
      const lower = await invite(eve, 'viewer');
      await owner.patch(`/operators/${await idOf(eve)}`, { role: 'support' });
      await isOver(byEve.link.url);
      await isOver(byToken.link.url);
      assert.equal(await pageOf(lower.link.url), 200);
      await owner.delete(`/operators/${await idOf(eve)}`);
      await isOver(lower.link.url);
    });
  });

  describe('a token', () => {
    it('says who created it', async () => {
      const eve = await admin();
      const parent = await tokenBy(eve, { role: 'admin' });
      assert.equal(parent.createdBy, `operator:${await idOf(eve)}`);
      const child = await withToken(parent.token).post<Token>('/tokens', { name: 'child', role: 'viewer' });
      assert.equal(child.body.createdBy, `token:${parent.id}`);
      assert.equal((await listed(child.body.id))?.createdBy, `token:${parent.id}`);
      assert.equal((await withToken(parent.token).me()).body.token.createdBy, parent.createdBy);
    });

    it('ends when its maker is removed, and so do those that it created', async () => {
      const eve = await admin();
      const parent = await tokenBy(eve, { role: 'admin' });
      const child = (await withToken(parent.token).post<Token>('/tokens', { name: 'b', role: 'admin' })).body;
      const grandchild = (await withToken(child.token).post<Token>('/tokens', { name: 'c', role: 'viewer' }))
        .body;
      const other = await tokenBy(owner, { role: 'admin' });
      await owner.delete(`/operators/${await idOf(eve)}`);
      for (const token of [parent, child, grandchild]) {
        assertError(await withToken(token.token).me(), 401, 'unauthorized');
        const last = (await auditOf(service, `token:${token.id}`)).at(-1);
        assert.deepEqual([last?.action, last?.details.actorName], ['token.revoked', OWNER.email]);
      }
      assert.equal(await works(other), true);
    });

    it('goes on if whoever removes its maker says so, as theirs', async () => {
      const eve = await admin();
      const kept = await tokenBy(eve, { role: 'support' });
      const child = await tokenBy(eve, { role: 'admin' });
      assertError(await owner.delete(`/operators/${await idOf(eve)}?tokens=all`), 400, 'invalid_request');
      assert.equal((await owner.delete(`/operators/${await idOf(eve)}?tokens=keep`)).status, 200);
      assert.equal(await works(kept), true);
      assert.equal(await works(child), true);
      assert.equal((await listed(kept.id))?.createdBy, `operator:${await idOf(owner)}`);
      const last = (await auditOf(service, `token:${kept.id}`)).at(-1);
      assert.equal(last?.action, 'token.changed');
    });

    it('kept by a token that expires expires with it', async () => {
      const eve = await admin();
      const kept = await tokenBy(eve, { role: 'viewer' });
      const expiresAt = new Date(service.clock.now + 60_000).toISOString();
      const short = await tokenBy(owner, { role: 'admin', expiresAt });
      await withToken(short.token).delete(`/operators/${await idOf(eve)}?tokens=keep`);
      assert.equal((await listed(kept.id))?.expiresAt, expiresAt);
    });

    it('ends when its maker sinks below its role', async () => {
      const eve = await admin();
      const above = await tokenBy(eve, { role: 'admin' });
      const child = (await withToken(above.token).post<Token>('/tokens', { name: 'b', role: 'viewer' })).body;
      const below = await tokenBy(eve, { role: 'viewer' });
      await owner.patch(`/operators/${await idOf(eve)}`, { role: 'support' });
      assert.deepEqual([await works(above), await works(child), await works(below)], [false, false, true]);
    });

    it('sinks with its maker if whoever changes the role says so', async () => {
      const eve = await admin();
      const above = await tokenBy(eve, { role: 'admin' });
      const child = (await withToken(above.token).post<Token>('/tokens', { name: 'b', role: 'admin' })).body;
      const below = await tokenBy(eve, { role: 'viewer' });
      const id = await idOf(eve);
      assertError(
        await owner.patch(`/operators/${id}`, { role: 'support', tokens: 'keep' }),
        400,
        'invalid_request',
      );
      await owner.patch(`/operators/${id}`, { role: 'support', tokens: 'cap' });
      const roles = await Promise.all([above, child, below].map(async ({ id }) => (await listed(id))?.role));
      assert.deepEqual(roles, ['support', 'support', 'viewer']);
      assertError(
        await withToken(above.token).post('/tokens', { name: 'x', role: 'viewer' }),
        403,
        'forbidden',
      );
      const last = (await auditOf(service, `token:${above.id}`)).at(-1);
      assert.deepEqual(
        [last?.action, last?.details.before, last?.details.after],
        ['token.changed', { role: 'admin' }, { role: 'support' }],
      );
    });

    it('never outlives or outranks the token that created it', async () => {
      const soon = new Date(service.clock.now + 4_000).toISOString();
      const later = new Date(service.clock.now + 5_000).toISOString();
      const parent = withToken((await tokenBy(owner, { role: 'admin', expiresAt: soon })).token);
      const child = await parent.post<Token>('/tokens', { name: 'x', role: 'viewer' });
      assert.equal(child.body.expiresAt, soon, 'without an expiry it takes its parent’s');
      for (const expiresAt of [null, later])
        assertError(
          await parent.post('/tokens', { name: 'x', role: 'viewer', expiresAt }),
          400,
          'invalid_request',
          /^expiresAt: /,
        );
      assertError(await parent.post('/tokens', { name: 'x', role: 'owner' }), 403, 'forbidden', /^role: /);
      const grandchild = await withToken(child.body.token).post('/tokens', { name: 'y', role: 'viewer' });
      assertError(grandchild, 403, 'forbidden');
    });

    it('ends with the token that created it', async () => {
      const parent = await tokenBy(owner, { role: 'admin' });
      const child = (await withToken(parent.token).post<Token>('/tokens', { name: 'b', role: 'viewer' }))
        .body;
      const { link } = (
        await withToken(parent.token).post<Invited>('/operators', { email: address(), role: 'viewer' })
      ).body;
      await owner.delete(`/tokens/${parent.id}`);
      assert.equal(await works(child), false);
      await isOver(link.url);
    });
  });
});
