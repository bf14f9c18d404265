import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AdminClient, adminClient, auditOf, succeeded } from '../support/admin.ts';
import {
  assertError,
  eventually,
  forEachEngine,
  type List,
  type Service,
  START,
  startService,
} from '../support/harness.ts';

interface Key {
  id: string;
  key: string;
  name: string;
  hint: string;
  waitlistId: string | null;
  environment: string;
  canRead: boolean;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
}

interface Page {
  keys: Omit<Key, 'key'>[];
  nextCursor: string | null;
}

forEachEngine((engine) => {
  describe('server keys over the admin API', () => {
    let service: Service;
    let admin: AdminClient;
    let list: List;
    let at: string;
    before(async () => {
      service = await startService(engine);
      admin = await adminClient(service, 'admin');
      list = await service.waitlist();
      at = `/waitlists/${list.id}/keys`;
    });
    after(() => service.close());

    const signup = (key: string, email: string) =>
      service.request('POST', '/sdk/v1/waitlist/signup', {
        key,
        body: { waitlistId: list.id, entries: [{ email }] },
      });
    const read = (key: string) => service.request('GET', `/sdk/v1/waitlist/${list.id}/entries`, { key });
    const hour = new Date(START + 3_600_000).toISOString();

    it('are created for one environment, shown once, and work', async () => {
      const writer = succeeded(await admin.post<Key>(at, { name: ' Website backend ' }), 201);
      assert.equal(writer.name, 'Website backend');
      const named = succeeded(await admin.get<Page>(at)).keys.find(({ id }) => id === writer.id);
      assert.equal(named?.name, 'Website backend');
      for (const name of ['two\nlines', 'x'.repeat(101)])
        assertError(await admin.post(at, { name }), 400, 'invalid_request');
      assert.match(writer.key, /^dl_live_/);
      assert.deepEqual(
        [writer.waitlistId, writer.environment, writer.canRead],
        [list.id, 'production', false],
      );
      assert.equal((await signup(writer.key, 'a@example.com')).status, 201);
      assertError(await read(writer.key), 403, 'forbidden');
      const tester = succeeded(
        await admin.post<Key>(`${at}?environment=development`, { canRead: true, expiresAt: hour }),
        201,
      );
      assert.match(tester.key, /^dl_test_/);
      assert.deepEqual([tester.environment, tester.canRead, tester.expiresAt], ['development', true, hour]);
      assert.equal((await read(tester.key)).status, 200);
      const listed = await eventually(
        async () => succeeded(await admin.get<Page>(`${at}?environment=development`)),
        ({ keys }) => keys[0]?.lastUsedAt !== null,
      );
      const { key: _, ...shown } = tester;
      const lastUsedAt = new Date(START).toISOString();
      assert.deepEqual(listed, { keys: [{ ...shown, lastUsedAt }], nextCursor: null });
      const [record] = await auditOf(service, `key:${tester.id}`);
      assert.equal(record?.action, 'key.created');
      assert.deepEqual(record?.details.after, {
        name: '',
        waitlistId: list.id,
        environment: 'development',
        canRead: true,
        expiresAt: START + 3_600_000,
      });
    });

    it('are shown as used after their first request, not a minute later', async () => {
      const { id, key } = succeeded(await admin.post<Key>(at, { name: 'Used' }), 201);
      const lastUsed = async () =>
        succeeded(await admin.get<Page>(at)).keys.find((each) => each.id === id)?.lastUsedAt;
      assert.equal(await lastUsed(), null);
      assert.equal((await signup(key, 'used@example.com')).status, 201);
      assert.equal(await eventually(lastUsed, (used) => used !== null), new Date(START).toISOString());
    });

    it('are refused with the field by its name', async () => {
      const refuse = async (body: object, message: RegExp) => {
        const answer = await admin.post<{ message: string }>(at, body);
        assertError(answer, 400, 'invalid_request');
        assert.match(answer.body.message, message);
      };
      await refuse({ expiresAt: '2020-01-01T00:00:00Z' }, /^expiresAt: must be in the future$/);
      await refuse({ expiresAt: 'tomorrow' }, /^expiresAt: must be an ISO 8601 time/);
      await refuse({ canRead: 'yes' }, /^canRead: must be a boolean$/);
      await refuse({ grants: [] }, /^grants: unknown field$/);
      assertError(await admin.post('/waitlists/wl_nowhere/keys'), 404, 'not_found');
      assertError(await admin.post(`${at}?environment=moon`), 404, 'not_found');
      assertError(await admin.get('/keys?environment=moon'), 404, 'not_found');
      assertError(await admin.get(`${at}?cursor=x`), 400, 'invalid_request');
    });

    it('are listed page by page', async () => {
      const other = await service.waitlist();
      const path = `/waitlists/${other.id}/keys`;
      const made = [other.keyId];
      for (let i = 0; i < 4; i++) made.push(succeeded(await admin.post<Key>(path), 201).id);
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const next: Page = succeeded(
          await admin.get<Page>(`${path}?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`),
        );
        seen.push(...next.keys.map(({ id }) => id));
        cursor = next.nextCursor;
      }
      assert.deepEqual(seen, [...made].sort());
    });

    it('are rotated, and the old key works until the overlap ends', async () => {
      const old = succeeded(await admin.post<Key>(at, { canRead: true }), 201);
      const next = succeeded(await admin.post<Key>(`${at}/${old.id}/rotate`, { overlapMs: 60_000 }), 201);
      assert.deepEqual([next.canRead, next.expiresAt, next.waitlistId], [true, null, list.id]);
      assert.equal((await read(old.key)).status, 200);
      assert.equal((await read(next.key)).status, 200);
      const leaked = succeeded(await admin.post<Key>(`${at}/${next.id}/rotate`, { overlapMs: 0 }), 201);
      assertError(await read(next.key), 401, 'unauthorized');
      assert.equal((await read(leaked.key)).status, 200);
      const [, record] = await auditOf(service, `key:${old.id}`);
      assert.equal(record?.action, 'key.rotated');
      assert.deepEqual(record?.details.after, { expiresAt: START + 60_000, replacedBy: next.id });
      assertError(await admin.post(`${at}/${next.id}/rotate`), 404, 'not_found'); // It has ended.
      for (const overlapMs of [-1, 1e15, '1h'])
        assertError(await admin.post(`${at}/${leaked.id}/rotate`, { overlapMs }), 400, 'invalid_request');
    });

    it('are revoked at once, and only in their own waitlist and environment', async () => {
      const made = succeeded(await admin.post<Key>(at, { canRead: true }), 201);
      const other = await service.waitlist();
      for (const path of [`/waitlists/${other.id}/keys/${made.id}`, `/keys/${made.id}`, `${at}/none`])
        assertError(await admin.delete(path), 404, 'not_found');
      assertError(await admin.delete(`${at}/${made.id}?environment=development`), 404, 'not_found');
      assert.equal((await read(made.key)).status, 200);
      assert.deepEqual(succeeded(await admin.delete(`${at}/${made.id}`)), { id: made.id, deleted: true });
      assertError(await read(made.key), 401, 'unauthorized');
      assertError(await admin.delete(`${at}/${made.id}`), 404, 'not_found');
      const actions = (await auditOf(service, `key:${made.id}`)).map(({ action }) => action);
      assert.deepEqual(actions, ['key.created', 'key.revoked']);
    });

    it('can cover every waitlist as product keys', async () => {
      const made = succeeded(await admin.post<Key>('/keys'), 201);
      assert.deepEqual([made.waitlistId, made.canRead], [null, true]);
      assert.equal((await read(made.key)).status, 200);
      const keys = async () => succeeded(await admin.get<Page>('/keys')).keys.map(({ id }) => id);
      assert.deepEqual(await keys(), [made.id]);
      assertError(await admin.delete(`${at}/${made.id}`), 404, 'not_found');
      const next = succeeded(await admin.post<Key>(`/keys/${made.id}/rotate`, { overlapMs: 0 }), 201);
      assertError(await read(made.key), 401, 'unauthorized');
      succeeded(await admin.delete(`/keys/${next.id}`));
      assertError(await read(next.key), 401, 'unauthorized');
      assert.deepEqual(await keys(), [made.id, next.id].sort());
    });
  });
});
