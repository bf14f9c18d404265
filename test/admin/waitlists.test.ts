import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { type AdminClient, adminClient, auditOf, succeeded } from '../support/admin.ts';
import {
  assertError,
  forEachEngine,
  listOver,
  type Service,
  START,
  startService,
} from '../support/harness.ts';
import { unique } from '../support/storage.ts';
import { command } from '../support/terminal.ts';

interface Waitlist {
  id: string;
  name: string;
  boost: number;
  referralCap: number | null;
  inviteExpiryMs: number | null;
  confirmEmails: boolean;
  metadataKeys: string[];
  closedAt: string | null;
  counts: Record<string, number>;
}

interface Page {
  waitlists: Waitlist[];
  nextCursor: string | null;
}

forEachEngine((engine) => {
  describe('waitlists over the admin API', () => {
    let service: Service;
    let admin: AdminClient;
    before(async () => {
      service = await startService(engine);
      admin = await adminClient(service, 'admin');
    });
    after(() => service.close());

    const create = async (settings: object = {}) =>
      succeeded(
        await admin.post<Waitlist>('/waitlists', { id: unique('wl_'), name: 'Acme', ...settings }),
        201,
      );
    const none = { pending: 0, waiting: 0, invited: 0, joined: 0, removed: 0, declined: 0 };

    it('are created with defaults, or with settings', async () => {
      const id = unique('wl_');
      const created = succeeded(await admin.post('/waitlists', { id, name: ' Acme ' }), 201);
      const expected = {
        id,
        name: 'Acme',
        boost: 5,
        referralCap: null,
        inviteExpiryMs: null,
        returnToQueue: true,
        confirmEmails: false,
        metadataKeys: [],
        closedAt: null,
        createdAt: new Date(START).toISOString(),
        counts: none,
      };
      assert.deepEqual(created, expected);
      assert.deepEqual(succeeded(await admin.get(`/waitlists/${id}`)), expected);
      const settings = {
        boost: 0,
        referralCap: 3,
        inviteExpiryMs: 1_000,
        returnToQueue: false,
        confirmEmails: true,
        metadataKeys: ['source', 'plan'],
      };
      const other = await create(settings);
      assert.deepEqual({ ...other, ...settings }, other);
      const [record] = await auditOf(service, `waitlist:${other.id}`);
      assert.equal(record?.action, 'waitlist.created');
      assert.deepEqual(record?.details.after, { name: 'Acme', ...settings });
    });

    it('are refused with every wrong field by its name, and nothing is created', async () => {
      const refuse = async (body: object, message: RegExp) => {
        const answer = await admin.post<{ message: string }>('/waitlists', body);
        assertError(answer, 400, 'invalid_request');
        assert.match(answer.body.message, message);
      };
      await refuse({}, /id: is required; name: is required/);
      await refuse(
        { id: 'acme', name: '' },
        /^id: must be wl_ .*; name: must be 1 to 200 characters on one line$/,
      );
      await refuse({ id: 'wl_x', name: 'x', boost: 1001 }, /^boost: must be a whole number from 0 to 1000$/);
      await refuse({ id: 'wl_x', name: 'x', referralCap: -1 }, /^referralCap: must be a whole number$/);
      await refuse({ id: 'wl_x', name: 'x', referralCap: 'x' }, /^referralCap: must be an integer or null$/);
      await refuse({ id: 'wl_x', name: 'x', inviteExpiryMs: 0 }, /^inviteExpiryMs: must be longer than 0/);
      await refuse({ id: 'wl_x', name: 'x', inviteExpiryMs: 1e15 }, /^inviteExpiryMs: must be .* at most/);
      await refuse({ id: 'wl_x', name: 'x', metadataKeys: ['a', 'a'] }, /^metadataKeys: has a key twice$/);
      await refuse({ id: 'wl_x', name: 'x', color: 'red' }, /^color: unknown field$/);
      assertError(await admin.get('/waitlists/wl_x'), 404, 'not_found');
      const { id } = await create();
      assertError(await admin.post('/waitlists', { id, name: 'Again' }), 409, 'conflict');
      assertError(
        await admin.post('/waitlists?environment=moon', { id: 'wl_x', name: 'x' }),
        404,
        'not_found',
      );
    });

    it('are listed page by page, with the counts of the environment', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'a@example.com' }, { email: 'b@example.com' });
      const { key } = await service.key({ waitlistId: list.id, environment: 'development' });
      await listOver(service, list.id, key).signup({ email: 'a@example.com' });
      const seen: Waitlist[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Page = succeeded(
          await admin.get<Page>(`/waitlists?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`),
        );
        assert.ok(page.waitlists.length <= 2);
        seen.push(...page.waitlists);
        cursor = page.nextCursor;
      }
      const ids = seen.map(({ id }) => id);
      assert.deepEqual(ids, [...new Set(ids)].sort());
      assert.deepEqual(seen.find(({ id }) => id === list.id)?.counts, { ...none, waiting: 2 });
      const development = await admin.get<Waitlist>(`/waitlists/${list.id}?environment=development`);
      assert.deepEqual(succeeded(development).counts, { ...none, waiting: 1 });
      assertError(await admin.get('/waitlists?cursor=moon'), 400, 'invalid_request');
      assertError(await admin.get('/waitlists?limit=0'), 400, 'invalid_request');
      assertError(await admin.get('/waitlists?environment=moon'), 404, 'not_found');
      assertError(await admin.get('/waitlists?environment=%00'), 400, 'invalid_request');
    });

    it('change all given settings or none, and say what changed', async () => {
      const { id } = await create();
      const refused = await admin.patch<{ message: string }>(`/waitlists/${id}`, { name: 'New', boost: -1 });
      assertError(refused, 400, 'invalid_request');
      assert.match(refused.body.message, /^boost: /);
      assert.equal(succeeded(await admin.get<Waitlist>(`/waitlists/${id}`)).name, 'Acme');
      const changes = { name: 'New', referralCap: 7, closed: true };
      const changed = succeeded(await admin.patch<Waitlist>(`/waitlists/${id}`, changes));
      assert.deepEqual(
        [changed.name, changed.referralCap, changed.closedAt],
        ['New', 7, new Date(START).toISOString()],
      );
      succeeded(await admin.patch(`/waitlists/${id}`, changes)); // Changes nothing.
      succeeded(await admin.patch(`/waitlists/${id}`, { closed: false, referralCap: null }));
      const records = await auditOf(service, `waitlist:${id}`);
      assert.deepEqual(
        records.slice(1).map(({ action, details: { before: was, after: is } }) => [action, was, is]),
        [
          ['waitlist.updated', { name: 'Acme', referralCap: null }, { name: 'New', referralCap: 7 }],
          ['waitlist.closed', null, null],
          ['waitlist.updated', { referralCap: 7 }, { referralCap: null }],
          ['waitlist.opened', null, null],
        ],
      );
      assertError(await admin.patch(`/waitlists/${id}`, {}), 400, 'invalid_request');
      for (const unknown of ['wl_nowhere', 'none', '%00'])
        assertError(await admin.patch(`/waitlists/${unknown}`, { boost: 1 }), 404, 'not_found');
    });

    it('stay closed since the first time they were closed', async () => {
      const { id } = await create();
      const { closedAt } = succeeded(await admin.patch<Waitlist>(`/waitlists/${id}`, { closed: true }));
      service.clock.advance(1_000);
      const again = succeeded(await admin.patch<Waitlist>(`/waitlists/${id}`, { closed: true }));
      assert.equal(again.closedAt, closedAt);
    });

    it('apply a new boost to the whole queue without a command', async () => {
      const list = await service.waitlist({ boost: 0 });
      const people = ['a', 'b', 'c', 'd'].map((name) => ({ email: `${name}@example.com` }));
      await list.signup(...people, { email: 'e@example.com', referredBy: 'd@example.com' });
      const position = async () => (await list.lookup('d@example.com')).body.position;
      assert.equal(await position(), 4);
      const boost = async (value: number) =>
        succeeded(await admin.patch(`/waitlists/${list.id}`, { boost: value }));
      await boost(2);
      await service.runJobs();
      assert.equal(await position(), 2);
      const { jobs } = succeeded(await admin.get<{ jobs: object[] }>(`/waitlists/${list.id}/jobs`));
      const [{ kind, state, done, total }] = jobs as [Record<string, unknown>];
      assert.deepEqual([jobs.length, kind, state, done, total], [1, 'rerank', 'done', 5, 5]);
      await boost(1);
      await keepUp(service.context); // Whichever comes first.
      assert.equal(await position(), 3);
      await service.runJobs();
    });

    it('are the same on the command line, which names its flags and leaves a record too', async () => {
      const { environment } = service.storage;
      const id = unique('wl_');
      await command(environment, 'waitlist', 'create', id, '--name', 'Acme');
      const refused = await command<{ message: string }>(
        environment,
        ...['waitlist', 'update', id, '--name', '', '--invite-expiry', '0s'],
      );
      assert.match(refused.json.message, /^--name: must be .*; --invite-expiry: must be longer than 0/);
      await command(environment, 'waitlist', 'update', id, '--boost', '9');
      await command(environment, 'waitlist', 'close', id);
      await command(environment, 'waitlist', 'close', id); // Changes nothing.
      const records = await auditOf(service, `waitlist:${id}`);
      assert.deepEqual(
        records.map(({ action, actor }) => [action, actor]),
        ['waitlist.created', 'waitlist.updated', 'waitlist.closed'].map((action) => [action, 'command-line']),
      );
    });
  });
});
