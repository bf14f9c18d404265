import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { updateEntry } from '../../src/waitlist/entries/update-entry.ts';
import { describeAuthentication } from '../support/auth-cases.ts';
import {
  assertError,
  eventually,
  forEachEngine,
  type List,
  type Service,
  START,
  startService,
} from '../support/harness.ts';
import { unique } from '../support/storage.ts';

const people = (count: number, from = 1) =>
  Array.from({ length: count }, (_, i) => ({ email: `p${from + i}@example.com` }));

const namesOf = (entries: { email: string | null }[]) => entries.map(({ email }) => email?.split('@')[0]);

forEachEngine((engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  const filled = async (count: number): Promise<List> => {
    const list = await service.waitlist();
    for (let from = 1; from <= count; from += 100) {
      await list.signup(...people(Math.min(100, count - from + 1), from));
    }
    return list;
  };

  describe('GET /{waitlistId}/entries', () => {
    describeAuthentication(() => service, {
      method: 'GET',
      path: (waitlistId) => `/sdk/v1/waitlist/${waitlistId}/entries`,
      reads: true,
      served: { status: 200 },
    });

    it('returns an empty page for an empty waitlist', async () => {
      const list = await service.waitlist();
      for (const query of [{}, { sort: 'position' }, { status: 'joined' }]) {
        assert.deepEqual((await list.page(query)).body, { entries: [], total: 0, nextCursor: null });
      }
    });

    it('shows the same positions as lookups, also of people who were moved far back or far ahead', async () => {
      const list = await filled(300);
      const { context } = service;
      const queue = await list.queue();
      for (const [name, position] of Object.entries({ p1: 300, p2: 150, p299: 1, p250: 100, p120: 290 })) {
        const { body } = await list.lookup(`${name}@example.com`);
        await updateEntry(context, queue, body.id, { position });
      }
      for (const query of [{ limit: 2 }, { limit: 100 }, { limit: 200 }, { limit: 7, status: 'waiting' }]) {
        const { entries } = (await list.page(query)).body;
        for (const { email, position } of entries)
          assert.equal(
            position,
            (await list.lookup(email ?? '')).body.position,
            `${email} of ${query.limit}`,
          );
      }
    });

    it('serves other callers amid the pages that one caller asked for first', async () => {
      const CROWD = 40;
      const [crowded, other] = [await filled(200), await filled(200)];
      const get = (list: List, path: string, name: string) =>
        service.request('GET', `/sdk/v1/waitlist/${list.id}/entries${path}`, {
          key: list.key,
          headers: { 'x-request-id': name },
        });
      const NAMES = { crowd: 'crowd', page: 'page', lookup: 'lookup' };
      const askAll = (page: string, names: typeof NAMES) =>
        Promise.all([
          ...Array.from({ length: CROWD }, () => get(crowded, page, names.crowd)),
          get(other, page, names.page),
          get(other, '/p7@example.com', names.lookup),
        ]);
      // Opens the connections, so that the next ones arrive together.
      await askAll('?limit=1', { crowd: 'first', page: 'first', lookup: 'first' });
      for (const { status } of await askAll('?limit=200', NAMES)) assert.equal(status, 200);
      const answered = await eventually(
        async () => service.log.map((line) => JSON.parse(line).requestId).filter((id) => id in NAMES),
        ({ length }) => length >= CROWD + 2,
      );
      assert.equal(answered.length, CROWD + 2);
      assert.ok(answered.indexOf('page') < CROWD / 2, `after ${answered.indexOf('page')} pages`);
      assert.ok(answered.indexOf('lookup') < CROWD / 2, `after ${answered.indexOf('lookup')} pages`);
    });

    it('shows every field of an entry, absent ones as null', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'Ada@Example.com', metadata: { plan: 'pro' } });
      await list.signup({ phone: '+14155550100', referredBy: 'ada@example.com' });
      const { status, body, headers } = await list.page();
      assert.equal(status, 200);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.deepEqual(Object.keys(body), ['entries', 'total', 'nextCursor']);
      const createdAt = new Date(service.clock.now).toISOString();
      assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const [ada, phone] = body.entries;
      assert.match(ada?.id ?? '', /^ent_[0-9a-hjkmnp-tv-z]{26}$/);
      assert.deepEqual(ada, {
        id: ada?.id,
        email: 'Ada@Example.com',
        phone: null,
        metadata: { plan: 'pro' },
        status: 'waiting',
        position: 1,
        referrals: 1,
        referralCode: ada?.referralCode,
        referredBy: null,
        createdAt,
        invitedAt: null,
        joinedAt: null,
      });
      assert.deepEqual(phone, {
        id: phone?.id,
        email: null,
        phone: '+14155550100',
        metadata: null,
        status: 'waiting',
        position: 2,
        referrals: 0,
        referralCode: phone?.referralCode,
        referredBy: 'Ada@Example.com',
        createdAt,
        invitedAt: null,
        joinedAt: null,
      });
    });

    describe('limit', () => {
      it('defaults to 50', async () => {
        const list = await filled(51);
        const { body } = await list.page();
        assert.equal(body.entries.length, 50);
        assert.equal(body.total, 51);
        assert.equal(typeof body.nextCursor, 'string');
      });

      it('can be 1 to 200, but not 0 or 201', async () => {
        const list = await filled(201);
        assert.equal((await list.page({ limit: 1 })).body.entries.length, 1);
        assert.equal((await list.page({ limit: 200 })).body.entries.length, 200);
        assertError(await list.page({ limit: 0 }), 400, 'invalid_request', /^limit: /);
        assertError(await list.page({ limit: 201 }), 400, 'invalid_request', /^limit: /);
      });

      it('must be a whole number', async () => {
        const list = await service.waitlist();
        for (const limit of ['', 'ten', '-1', '1.5', '1e2', '0x10', ' 5', '9'.repeat(400)]) {
          assertError(await list.page({ limit }), 400, 'invalid_request', /^limit: /);
        }
        const twice = await service.request('GET', `/sdk/v1/waitlist/${list.id}/entries?limit=1&limit=2`, {
          key: list.key,
        });
        assertError(twice, 400, 'invalid_request', /^limit: /);
      });

      it('ends with a null cursor when the last page is exactly full', async () => {
        const list = await filled(4);
        const first = (await list.page({ limit: 2 })).body;
        const second = (await list.page({ limit: 2, cursor: first.nextCursor ?? '' })).body;
        assert.deepEqual(namesOf(second.entries), ['p3', 'p4']);
        assert.equal(second.nextCursor, null);
      });
    });

    it('rejects unknown parameters, statuses and sorts by name', async () => {
      const list = await service.waitlist();
      assertError(await list.page({ page: 2 }), 400, 'invalid_request', 'page: unknown field');
      assertError(
        await list.page({ status: 'gone' }),
        400,
        'invalid_request',
        'status: must be one of pending, waiting, invited, joined, removed, declined',
      );
      assertError(
        await list.page({ sort: 'email' }),
        400,
        'invalid_request',
        'sort: must be one of joined, position',
      );
      assertError(
        await list.page({ sort: 'position', status: 'joined' }),
        400,
        'invalid_request',
        /^status: /,
      );
    });

    describe('sort=joined', () => {
      it('walks through every entry in the order of joining', async () => {
        const list = await filled(25);
        for (const limit of [1, 7, 24, 25, 26]) {
          const names = namesOf(await list.walk({ limit }));
          assert.deepEqual(names, namesOf(people(25)));
        }
      });

      it('returns every entry that existed at its start exactly once, whatever moves meanwhile', async () => {
        const list = await filled(20);
        const seen: (string | undefined)[] = [];
        let { entries, nextCursor } = (await list.page({ limit: 4 })).body;
        for (let step = 1; ; step += 1) {
          seen.push(...namesOf(entries));
          if (nextCursor === null) break;
          await list.signup({ email: `late${step}@example.com`, referredBy: `p${21 - step}@example.com` });
          const { code } = await list.invite(`p${step}@example.com`);
          if (step % 2 === 0) await service.accept(code);
          else await service.revoke(code);
          ({ entries, nextCursor } = (await list.page({ limit: 4, cursor: nextCursor })).body);
        }
        assert.deepEqual(
          seen.filter((name) => name?.startsWith('p')),
          namesOf(people(20)),
        );
        assert.equal(new Set(seen).size, seen.length);
      });
    });

    describe('sort=position', () => {
      it('lists waiting entries from the front, numbered without gaps or ties over all pages', async () => {
        const list = await filled(30);
        for (const n of [30, 12, 12, 3]) {
          await list.signup({
            email: `${unique(`by${n}-`)}@example.com`,
            referredBy: `p${n}@example.com`,
          });
        }
        await list.invite('p1@example.com');
        await service.accept((await list.invite('p2@example.com')).code);
        for (const limit of [1, 5, 200]) {
          const walked = await list.walk({ sort: 'position', limit });
          assert.deepEqual(
            walked.map(({ position }) => position),
            Array.from({ length: 32 }, (_, i) => i + 1),
          );
          assert.deepEqual(namesOf(walked).slice(0, 3), ['p3', 'p12', 'p4']);
        }
        assert.equal((await list.page({ sort: 'position' })).body.total, 32);
      });

      it('agrees with the lookup of each entry', async () => {
        const list = await filled(12);
        await list.signup({ email: 'n1@example.com', referredBy: 'p7@example.com' });
        for (const { email, position } of await list.walk({ sort: 'position' })) {
          assert.equal((await list.lookup(email ?? '')).body.position, position);
        }
      });

      it('puts the later joiner first when ranks are equal', async () => {
        const list = await filled(6);
        await list.signup({ email: 'n1@example.com', referredBy: 'p6@example.com' });
        assert.deepEqual(namesOf(await list.walk({ sort: 'position' })).slice(0, 3), ['p6', 'p1', 'p2']);
      });

      it('accepts status=waiting', async () => {
        const list = await filled(2);
        assert.deepEqual(namesOf(await list.walk({ sort: 'position', status: 'waiting' })), ['p1', 'p2']);
      });
    });

    describe('status', () => {
      it('filters entries, and total counts the matches', async () => {
        const list = await filled(10);
        service.clock.advance(1_000);
        for (const n of [2, 4, 6]) await list.invite(`p${n}@example.com`);
        const invitedAt = new Date(service.clock.now).toISOString();
        service.clock.advance(1_000);
        await service.accept((await list.invite('p8@example.com')).code);
        const joinedAt = new Date(service.clock.now).toISOString();
        const names = async (status: string) => namesOf(await list.walk({ status, limit: 2 }));
        const total = async (status: string) => (await list.page({ status })).body.total;
        assert.deepEqual(await names('invited'), ['p2', 'p4', 'p6']);
        assert.deepEqual(await names('joined'), ['p8']);
        assert.deepEqual(await names('waiting'), ['p1', 'p3', 'p5', 'p7', 'p9', 'p10']);
        assert.deepEqual(await names('pending'), []);
        assert.deepEqual(await names('removed'), []);
        const totals = await Promise.all(['waiting', 'invited', 'joined', 'pending', 'removed'].map(total));
        assert.deepEqual(totals, [6, 3, 1, 0, 0]);
        assert.equal((await list.page()).body.total, 10);
        const [invited] = (await list.page({ status: 'invited' })).body.entries;
        assert.deepEqual([invited?.position, invited?.invitedAt, invited?.joinedAt], [null, invitedAt, null]);
        const [joined] = (await list.page({ status: 'joined' })).body.entries;
        assert.deepEqual([joined?.position, joined?.joinedAt], [null, joinedAt]);
      });
    });

    describe('cursor', () => {
      it('is rejected when it comes from another query, waitlist or environment', async () => {
        const list = await filled(5);
        const foreign = await filled(5);
        const cursorOf = async (from: List, query: Record<string, string>) =>
          (await from.page({ ...query, limit: 1 })).body.nextCursor ?? '';
        const byJoin = await cursorOf(list, {});
        const refuse = async (query: Record<string, string>) =>
          assertError(await list.page(query), 400, 'invalid_request', /^cursor: /);
        await refuse({ cursor: byJoin, sort: 'position' });
        await refuse({ cursor: byJoin, status: 'waiting' });
        await refuse({ cursor: await cursorOf(list, { sort: 'position' }) });
        await refuse({ cursor: await cursorOf(list, { status: 'waiting' }), status: 'invited' });
        await refuse({ cursor: await cursorOf(foreign, {}) });
        const development = await service.key({
          waitlistId: list.id,
          environment: 'development',
          read: true,
        });
        const elsewhere = await service.request(
          'GET',
          `/sdk/v1/waitlist/${list.id}/entries?cursor=${byJoin}`,
          {
            key: development.key,
          },
        );
        assertError(elsewhere, 400, 'invalid_request', /^cursor: /);
      });

      it('is rejected when it is damaged, empty or forged', async () => {
        const list = await filled(3);
        const cursor = (await list.page({ limit: 1 })).body.nextCursor ?? '';
        const damaged = [
          '',
          'x',
          'null',
          '0',
          cursor.slice(0, -2),
          cursor.slice(1),
          `${cursor}!`,
          `${cursor}A`,
          ` ${cursor}`,
        ];
        for (let at = 0; at < cursor.length; at += 7) {
          damaged.push(cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1));
        }
        damaged.push('A'.repeat(8_000));
        for (const text of damaged) {
          assertError(await list.page({ cursor: text }), 400, 'invalid_request', /^cursor: /);
        }
      });

      it('works with another limit', async () => {
        const list = await filled(6);
        const cursor = (await list.page({ limit: 1 })).body.nextCursor ?? '';
        assert.deepEqual(namesOf((await list.page({ limit: 3, cursor })).body.entries), ['p2', 'p3', 'p4']);
      });

      it('reveals nobody to its holder', async () => {
        const list = await filled(3);
        const cursor = (await list.page({ limit: 1 })).body.nextCursor ?? '';
        assert.ok(!Buffer.from(cursor, 'base64url').toString('latin1').includes('seq'));
      });
    });

    it('returns times as they were when things happened', async () => {
      const early = await startService(engine, { startAt: START - 12_345 });
      try {
        const list = await early.waitlist();
        await list.signup({ email: 'a@example.com' });
        assert.equal(
          (await list.lookup('a@example.com')).body.createdAt,
          new Date(START - 12_345).toISOString(),
        );
      } finally {
        await early.close();
      }
    });
  });
});
