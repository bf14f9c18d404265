import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { formatId, parseId } from '../../src/lib/ids.ts';
import { recordAudit } from '../../src/operators/audit.ts';
import { openOperators } from '../../src/operators/context.ts';
import { COMMAND_LINE } from '../../src/operators/roles.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { readAllEntries } from '../../src/waitlist/transfer/export/read-all-entries.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { type PresentedEntry, presentEntry } from '../../src/wire/entry.ts';
import { type AskInRoles, askInRoles } from '../support/admin.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';

interface Page {
  entries: PresentedEntry[];
  total: number | null;
  nextCursor: string | null;
}

const email = (n: number) => `p${n}@example.com`;

forEachEngine((engine) => {
  describe('entries in the admin API', () => {
    let service: Service;
    let ask: AskInRoles;
    before(async () => {
      service = await startService(engine);
      ask = await askInRoles(service, 'admin');
    });
    after(() => service.close());

    const list = (of: List, query = '', role = 'admin') =>
      ask<Page>('GET', `/waitlists/${of.id}/entries${query}`, { role });
    const namesOf = ({ body }: { body: Page }) => body.entries.map((entry) => entry.email ?? entry.phone);
    const entryPath = (of: List, id: string) => `/waitlists/${of.id}/entries/${id}`;
    const idOf = async (of: List, who: string) => (await of.lookup(who)).body.id;
    const patch = (of: List, id: string, body: unknown, role = 'admin') =>
      ask<PresentedEntry>('PATCH', entryPath(of, id), { body, role });
    const order = async (of: List) => (await of.walk({ sort: 'position' })).map((entry) => entry.email);
    const crowd = async (count: number, boost = 5) => {
      const of = await service.waitlist({ boost });
      for (let from = 0; from < count; from += 100)
        await of.signup(
          ...Array.from({ length: Math.min(100, count - from) }, (_, at) => ({
            email: email(from + at + 1),
            metadata: { plan: (from + at) % 3 === 0 ? 'pro' : 'free', n: from + at + 1 },
          })),
        );
      return of;
    };
    const actionsOn = async (object: string) =>
      (
        await ask<{ records: { action: string }[] }>('GET', `/audit?object=${encodeURIComponent(object)}`)
      ).body.records.map(({ action }) => action);
    const assertSound = async (of: List) =>
      assert.deepEqual((await recountQueue(service.context, await of.queue(), false)).findings, []);

    describe('the list', () => {
      let of: List;
      before(async () => {
        of = await crowd(150);
        for (let at = 0; at < 12; at += 1)
          await of.signup({ email: `r${at}@example.com`, referredBy: email(10 * at + 40) });
      });

      it('pages through everyone, and through the waiting in order', async () => {
        const seen: unknown[] = [];
        let query = '?limit=70';
        for (;;) {
          const page = await list(of, query);
          assert.equal(page.body.total, 162);
          seen.push(...namesOf(page));
          if (page.body.nextCursor === null) break;
          query = `?limit=70&cursor=${page.body.nextCursor}`;
        }
        assert.deepEqual(
          seen,
          (await of.walk()).map((entry) => entry.email),
        );
        assert.deepEqual(namesOf(await list(of, '?sort=position&limit=5')), (await order(of)).slice(0, 5));
      });

      it('starts at the nth in line, for every n', async () => {
        const all = await order(of);
        for (let at = 0; at < all.length; at += 1) {
          const { body } = await list(of, `?sort=position&limit=2&at=${at}`);
          assert.deepEqual(
            body.entries.map((entry) => [entry.email, entry.position]),
            all.slice(at, at + 2).map((name, index) => [name, at + index + 1]),
          );
          assert.equal(body.nextCursor === null, at + 2 >= all.length);
        }
        const beyond = (await list(of, '?sort=position&at=162')).body;
        assert.deepEqual(beyond, { entries: [], total: 162, nextCursor: null });
        const { body } = await list(of, '?sort=position&limit=3&at=100');
        const rest = await list(of, `?sort=position&limit=3&cursor=${body.nextCursor}`);
        assert.deepEqual(namesOf(rest), all.slice(103, 106));
      });

      it('starts at the nth that joined', async () => {
        const all = (await of.walk()).map((entry) => entry.email);
        for (const at of [0, 1, 99, 161])
          assert.deepEqual(namesOf(await list(of_(), `?limit=4&at=${at}`)), all.slice(at, at + 4));
        assert.deepEqual(namesOf(await list(of, '?at=162')), []);
      });
      const of_ = () => of;

      it('selects segments, with their size', async () => {
        const pro = await list(of, '?where=plan=pro&limit=200');
        assert.equal(pro.body.total, 50);
        assert.ok(pro.body.entries.every(({ metadata }) => metadata?.plan === 'pro'));
        const [first] = (await list(of, '?where=plan=pro&where=n=4')).body.entries;
        assert.equal(first?.email, email(4));
        const referrers = await list(of, '?minReferrals=1&limit=5');
        assert.equal(referrers.body.total, 12);
        const next = await list(of, `?minReferrals=1&limit=50&cursor=${referrers.body.nextCursor}`);
        assert.deepEqual(
          [...namesOf(referrers), ...namesOf(next)],
          Array.from({ length: 12 }, (_, at) => email(10 * at + 40)),
        );
        assert.equal((await list(of, '?joinedAfter=2030-01-01T00:00:00Z')).body.total, 0);
        assert.equal((await list(of, '?joinedBefore=2030-01-01T00:00:00Z&status=waiting')).body.total, 162);
        assertError(
          await list(of, `?minReferrals=2&cursor=${referrers.body.nextCursor}`),
          400,
          'invalid_request',
          /^cursor:/,
        );
      });

      it('finds one by email, phone, referral code or id, and nobody by anything else', async () => {
        await of.signup({ phone: '+4915112345612' });
        const known = (await of.lookup(email(7))).body;
        for (const search of [known.email, ' P7@EXAMPLE.com ', known.id, known.referralCode]) {
          const { body } = await list(of, `?search=${encodeURIComponent(search ?? '')}`);
          assert.deepEqual([body.total, body.entries[0]?.id], [1, known.id], String(search));
        }
        const phone = await list(of, `?search=${encodeURIComponent('+49 151 12345612')}`);
        assert.deepEqual(namesOf(phone), ['+4915112345612']);
        for (const search of ['p7', 'nobody@example.com', 'ent_none', 'zzzzzzzz', '+4915100000000', ''])
          assert.deepEqual((await list(of, `?search=${encodeURIComponent(search)}`)).body.entries, []);
        assertError(await list(of, '?search=x&status=waiting'), 400, 'invalid_request', /^search:/);
      });

      it('says which parameter is wrong', async () => {
        for (const [query, message] of [
          ['?limit=0', /limit/],
          ['?limit=201', /limit/],
          ['?sort=name', /sort/],
          ['?status=gone', /status/],
          ['?at=-1', /at/],
          ['?at=1&cursor=x', /^at: cannot be combined with cursor/],
          ['?at=1&status=waiting', /^at: with sort=joined/],
          ['?at=1&where=plan=pro', /^at: cannot be combined/],
          ['?where=plan', /^where: must be key=value/],
          ['?where=plan=pro&sort=position', /^sort: a segment/],
          ['?sort=position&status=joined', /^status: only waiting/],
          ['?minReferrals=x', /minReferrals/],
          ['?joinedAfter=yesterday', /^joinedAfter: must be an ISO 8601 time/],
          ['?cursor=x', /^cursor:/],
          ['?email=x', /email: unknown field/],
        ] as const)
          assertError(await list(of, query), 400, 'invalid_request', message);
        assertError(await ask('GET', '/waitlists/wl_none/entries'), 404, 'not_found', /wl_none/);
        assertError(await list(of, '?environment=nowhere'), 404, 'not_found', /nowhere/);
        assert.equal((await list(of, '?environment=development')).body.total, 0);
      });

      it('shows viewers nothing that identifies a person', async () => {
        const { text, body } = await list(of, '?minReferrals=0&limit=200', 'viewer');
        assert.doesNotMatch(text, /p\d+@|plan|example/);
        assert.equal(body.entries[0]?.email, 'p…@e….com');
        const id = await idOf(of, email(40));
        const one = await ask('GET', entryPath(of, id), { role: 'viewer' });
        assert.doesNotMatch(one.text, /p40|example/);
        const referred = await ask<Page>('GET', `${entryPath(of, id)}/referrals`, { role: 'viewer' });
        assert.equal(referred.body.entries[0]?.referredBy, 'p…@e….com');
        const searched = await list(of, `?search=${id}`, 'viewer');
        assert.equal(searched.body.entries[0]?.email, 'p…@e….com');
      });

      it('records a bulk read once per reader, waitlist and hour', async () => {
        const other = await crowd(3);
        const object = `waitlist:${other.id}/production`;
        await list(other, '', 'viewer');
        assert.deepEqual(await actionsOn(object), []);
        for (let at = 0; at < 3; at += 1) await list(other, '?limit=1');
        assert.deepEqual(await actionsOn(object), ['entries.read']);
        await list(other, '', 'support');
        assert.equal((await actionsOn(object)).length, 2);
        service.clock.advance(3_600_000);
        await list(other);
        assert.equal((await actionsOn(object)).length, 3);
      });
    });

    describe('moving', () => {
      it('puts an entry at any position, and the others keep their order', async () => {
        const of = await crowd(40);
        await of.signup({ email: 'x@example.com', referredBy: email(30) });
        let all = await order(of);
        for (const [from, to] of [
          [10, 1],
          [1, 41],
          [41, 1],
          [5, 20],
          [20, 5],
          [41, 39],
          [2, 3],
          [33, 34],
          [34, 33],
        ] as const) {
          const name = all[from - 1] ?? '';
          const { body, status, text } = await patch(of, await idOf(of, name), { position: to });
          assert.equal(status, 200, text);
          all = all.toSpliced(from - 1, 1).toSpliced(to - 1, 0, name);
          assert.equal(body.position, to, `${from} to ${to}`);
          assert.deepEqual(await order(of), all, `${from} to ${to}`);
        }
        await assertSound(of);
      });

      it('stops at the end, and survives referrals, a new boost, invites and newcomers', async () => {
        const of = await crowd(20, 5);
        const id = await idOf(of, email(2));
        assert.equal((await patch(of, id, { position: 1_000_000 })).body.position, 20);
        assert.equal((await patch(of, id, { position: 11 })).body.position, 11);
        await of.signup({ email: 'x@example.com', referredBy: email(2) });
        assert.equal((await of.lookup(email(2))).body.position, 6);
        await updateWaitlist(service.context, of.id, { boost: 0 });
        const { keepUp } = await import('../../src/waitlist/upkeep/upkeep.ts');
        await keepUp(service.context);
        assert.equal((await of.lookup(email(2))).body.position, 11);
        const { code } = await of.invite(email(2));
        await service.revoke(code);
        assert.equal((await of.lookup(email(2))).body.position, 11);
        await assertSound(of);
      });

      it('between equal ranks, takes the nearest place', async () => {
        const of = await crowd(12, 3);
        for (let at = 4; at <= 12; at += 1)
          await of.signup({ email: `x${at}@example.com`, referredBy: email(at) });
        for (const who of [1, 5, 9, 12]) {
          const id = await idOf(of, email(who));
          const { waiting } = { waiting: 21 };
          for (let to = 1; to <= waiting; to += 5) {
            const { position } = (await patch(of, id, { position: to })).body;
            assert.ok(Math.abs((position ?? 0) - to) <= 1, `${who} to ${to}: ${position}`);
            if (to === 1 || to === waiting) assert.equal(position, to);
          }
        }
        await assertSound(of);
      });

      it('is only for those who wait, and not done by viewers', async () => {
        const of = await crowd(2);
        const id = await idOf(of, email(1));
        assertError(await patch(of, id, { position: 2 }, 'viewer'), 403, 'forbidden', /admin role/);
        assert.equal((await patch(of, id, { position: 2 }, 'support')).body.position, 2);
        await of.invite(email(1));
        assertError(await patch(of, id, { position: 2 }), 409, 'conflict', /this one is invited/);
        for (const position of [0, -1, 1.5, '1', null])
          assertError(await patch(of, id, { position }), 400, 'invalid_request', /position/);
      });
    });

    describe('metadata', () => {
      it('is replaced, with what segments find', async () => {
        const of = await crowd(3);
        const id = await idOf(of, email(2));
        const { body } = await patch(of, id, { metadata: { plan: 'team', seats: 5 } });
        assert.deepEqual(body.metadata, { plan: 'team', seats: 5 });
        assert.deepEqual(namesOf(await list(of, '?where=plan=team')), [email(2)]);
        assert.deepEqual(namesOf(await list(of, '?where=plan=free')), [email(3)]);
        assert.equal((await patch(of, id, { metadata: null })).body.metadata, null);
        assert.equal((await list(of, '?where=plan=team')).body.total, 0);
        assert.deepEqual(await actionsOn(`entry:${id}`), ['entry.updated', 'entry.updated']);
        const rows = await service.context.db.query
          .selectFrom('metadata_pair')
          .selectAll()
          .where('queue_id', '=', (await of.queue()).id)
          .execute();
        assert.equal(rows.length, 4);
      });

      it('keeps the limits of signups', async () => {
        const of = await crowd(1);
        const id = await idOf(of, email(1));
        let deep: unknown = 1;
        for (let at = 0; at < 9; at += 1) deep = { deep };
        for (const [metadata, message] of [
          [[], /metadata/],
          ['x', /metadata/],
          [{ '': 1 }, /^metadata: has an empty key/],
          [deep, /^metadata: is nested deeper/],
          [{ long: 'x'.repeat(17_000) }, /^metadata: is larger than 16384 bytes/],
          [Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`k${at}`, 1])), /more than 64 keys/],
        ] as const)
          assertError(await patch(of, id, { metadata }), 400, 'invalid_request', message);
        const large = { text: 'ü'.repeat(8_000) };
        assert.deepEqual((await patch(of, id, { metadata: large })).body.metadata, large);
        assertError(await patch(of, id, { metadata: {} }, 'viewer'), 403, 'forbidden', /admin role/);
        assertError(await patch(of, id, {}), 400, 'invalid_request', /body/);
        assertError(await patch(of, id, { mail: 'x' }), 400, 'invalid_request', /mail: unknown field/);
        assertError(await patch(of, 'ent_none', { position: 1 }), 404, 'not_found', /ent_none/);
      });
    });

    it('confirms a pending entry on behalf of its owner, and credits the referrer', async () => {
      const of = await crowd(1);
      await updateWaitlist(service.context, of.id, { confirmEmails: true });
      await of.signup({ email: 'ada@example.com', referredBy: email(1) });
      const id = await idOf(of, 'ada@example.com');
      assertError(await patch(of, id, { position: 1 }), 409, 'conflict', /this one is pending/);
      assertError(
        await patch(of, id, { status: 'waiting', position: 1 }),
        400,
        'invalid_request',
        /^position:/,
      );
      assertError(await patch(of, id, { status: 'joined' }), 400, 'invalid_request', /status/);
      const { body } = await patch(of, id, { status: 'waiting' }, 'support');
      assert.equal(body.status, 'waiting');
      assert.equal((await of.lookup(email(1))).body.referrals, 1);
      assert.equal((await patch(of, id, { status: 'waiting' }, 'support')).status, 200);
      await of.invite('ada@example.com');
      assertError(await patch(of, id, { status: 'waiting' }), 409, 'conflict', /this one is invited/);
      const { events } = (
        await ask<{ events: { kind: string; by: string | null }[] }>('GET', `${entryPath(of, id)}/history`)
      ).body;
      const confirmed = events.find(({ kind }) => kind === 'signup.confirmed');
      assert.match(confirmed?.by ?? '', /^token:tok_/);
      await assertSound(of);
    });

    it('shows the history of an entry, oldest first', async () => {
      const of = await crowd(1);
      service.clock.advance(1_000);
      await of.signup({ email: 'ada@example.com', referredBy: email(1) });
      const id = await idOf(of, email(1));
      assert.equal((await patch(of, id, { position: 2 })).status, 200);
      service.clock.advance(1_000);
      const first = await of.invite(email(1));
      service.clock.advance(1_000);
      await service.revoke(first.code);
      service.clock.advance(1_000);
      const second = await of.invite(email(1));
      service.clock.advance(1_000);
      await service.accept(second.code);
      const { body } = await ask<{ events: Record<string, string>[] }>(
        'GET',
        `${entryPath(of, id)}/history`,
        {
          role: 'support',
        },
      );
      assert.deepEqual(
        body.events.map(({ kind, entryId, inviteId }) => [kind, entryId ?? inviteId ?? null]),
        [
          ['signup.created', null],
          ['referral.credited', await idOf(of, 'ada@example.com')],
          ['entry.moved', null],
          ['invite.sent', first.id],
          ['invite.revoked', first.id],
          ['invite.sent', second.id],
          ['invite.accepted', second.id],
        ],
      );
      const moved = body.events.find(({ kind }) => kind === 'entry.moved');
      assert.deepEqual([moved?.from, moved?.to, moved?.by], [1, 2, 'admin']);
      assertError(await ask('GET', `${entryPath(of, id)}/history`, { role: 'viewer' }), 403, 'forbidden');
      assertError(await ask('GET', `${entryPath(of, 'ent_x')}/history`), 404, 'not_found');
    });

    it('tells where a move led, also if that was only near the wanted position', async () => {
      const of = await crowd(6);
      await of.signup({ email: 'ada@example.com', referredBy: email(6) });
      // The first two have the same rank, and nobody who joined after both can come between them.
      assert.deepEqual((await order(of)).slice(0, 2), [email(6), email(1)]);
      const id = await idOf(of, 'ada@example.com');
      const { position } = (await patch(of, id, { position: 2 })).body;
      assert.notEqual(position, 2);
      const { body } = await ask<{ events: Record<string, unknown>[] }>(
        'GET',
        `${entryPath(of, id)}/history`,
      );
      const moved = body.events.find(({ kind }) => kind === 'entry.moved');
      assert.deepEqual([moved?.from, moved?.to], [7, position]);
    });

    it('tells of a move, however often the person was exported since', async () => {
      const of = await crowd(2);
      const id = await idOf(of, email(2));
      await patch(of, id, { position: 1 });
      const operators = await openOperators(service.context);
      const exported = { action: 'entry.exported', object: { kind: 'entry', id } } as const;
      await service.context.db.transaction(async (trx) => {
        for (let at = 0; at < 200; at += 1)
          await recordAudit(operators, trx, COMMAND_LINE, exported, service.clock.now);
      });
      const { body } = await ask<{ events: { kind: string }[] }>('GET', `${entryPath(of, id)}/history`);
      assert.ok(body.events.some(({ kind }) => kind === 'entry.moved'));
    });

    it('lists who an entry referred, page by page', async () => {
      const of = await crowd(1);
      for (let at = 0; at < 3; at += 1)
        await of.signup({ email: `r${at}@example.com`, referredBy: email(1) });
      const path = `${entryPath(of, await idOf(of, email(1)))}/referrals`;
      const first = (await ask<Page>('GET', `${path}?limit=2`)).body;
      const second = (await ask<Page>('GET', `${path}?limit=2&cursor=${first.nextCursor}`)).body;
      assert.deepEqual(
        [...first.entries, ...second.entries].map((entry) => entry.email),
        ['r0@example.com', 'r1@example.com', 'r2@example.com'],
      );
      assert.equal(second.nextCursor, null);
      assertError(await ask('GET', `${path}?cursor=x`), 400, 'invalid_request', /^cursor:/);
    });

    it('exports nobody who was erased or whose data is damaged, and says which of them it is', async () => {
      const of = await crowd(2);
      const [erased, damaged] = [await idOf(of, email(1)), await idOf(of, email(2))];
      await ask('DELETE', `${entryPath(of, erased)}?erase=true`, { body: { confirm: erased } });
      await service.context.db.query
        .updateTable('entry')
        .set({ person: Buffer.from('damaged') })
        .where('id', '=', parseId('ent', damaged) as Buffer)
        .execute();
      const exported = (id: string) => ask('GET', `${entryPath(of, id)}/export`);
      assertError(await exported(erased), 404, 'not_found', /^this entry was erased/);
      assertError(await exported(damaged), 409, 'damaged', /^this entry is damaged/);
    });

    it('tells someone who was removed, and is damaged, from someone who was erased', async () => {
      const of = await crowd(3);
      const [erased, damaged, removed] = [
        await idOf(of, email(1)),
        await idOf(of, email(2)),
        await idOf(of, email(3)),
      ];
      await ask('DELETE', `${entryPath(of, erased)}?erase=true`, { body: { confirm: erased } });
      for (const id of [damaged, removed]) await ask('DELETE', entryPath(of, id));
      await service.context.db.query
        .updateTable('entry')
        .set({ person: Buffer.from('damaged') })
        .where('id', '=', parseId('ent', damaged) as Buffer)
        .execute();
      const told = async (id: string) => {
        const { body } = await ask<{ status: string; email: string | null; missing: string | null }>(
          'GET',
          entryPath(of, id),
        );
        return [body.status, body.email, body.missing];
      };
      assert.deepEqual(await told(erased), ['removed', null, 'erased']);
      assert.deepEqual(await told(damaged), ['removed', null, 'damaged']);
      assert.deepEqual(await told(removed), ['removed', email(3), null]);
    });

    it('exports one person, and says so in the audit trail', async () => {
      const of = await crowd(1);
      const { id: inviteId } = await of.invite(email(1));
      const id = await idOf(of, email(1));
      const { body } = await ask<{ entry: PresentedEntry; invites: { id: string }[] }>(
        'GET',
        `${entryPath(of, id)}/export`,
      );
      assert.equal(body.entry.email, email(1));
      assert.deepEqual(
        body.invites.map((invite) => invite.id),
        [inviteId],
      );
      assert.deepEqual(await actionsOn(`entry:${id}`), ['entry.exported']);
      const { id: queueId } = await of.queue();
      await service.context.db.query
        .updateTable('event')
        .set({ body: Buffer.from('damaged') })
        .where('queue_id', '=', queueId)
        .execute();
      const again = await ask<{ entry: PresentedEntry; events: { kind: string; body: unknown }[] }>(
        'GET',
        `${entryPath(of, id)}/export`,
      );
      assert.equal(again.body.entry.email, email(1), again.text);
      assert.ok(again.body.events.length > 0 && again.body.events.every((event) => event.body === null));
      assertError(await ask('GET', `${entryPath(of, id)}/export`, { role: 'support' }), 403, 'forbidden');
    });

    describe('removing', () => {
      const remove = (of: List, id: string, query = '', body?: unknown) =>
        ask('DELETE', entryPath(of, id) + query, { body });

      it('keeps the data, revokes invites, takes the credit back and keeps the person out', async () => {
        const of = await crowd(2);
        await of.signup({ email: 'ada@example.com', referredBy: email(1) });
        const { code } = await of.invite('ada@example.com');
        const id = await idOf(of, 'ada@example.com');
        assert.deepEqual((await remove(of, id)).body, { id, deleted: true, erased: false });
        const { status, position } = (await of.lookup('ada@example.com')).body;
        assert.deepEqual(
          [status, position, (await of.lookup(email(1))).body.referrals],
          ['removed', null, 0],
        );
        const check = (await service.check(code)).body;
        assert.equal(check.valid ? null : check.reason, 'revoked');
        assert.equal((await of.signup({ email: 'ada@example.com' })).body.skipped, 1);
        await of.signup({ email: 'bob@example.com', referredBy: 'ada@example.com' });
        assert.equal((await of.lookup('bob@example.com')).body.referredBy, null);
        assert.equal((await of.lookup('ada@example.com')).body.referrals, 0);
        assertError(await remove(of, id), 404, 'not_found');
        assertError(await patch(of, id, { metadata: {} }), 404, 'not_found');
        assert.deepEqual(await actionsOn(`entry:${id}`), ['entry.removed']);
        await assertSound(of);
      });

      it('can be taken back for 30 days, to the place of the signup', async () => {
        const of = await crowd(2);
        await of.signup({ email: 'ada@example.com', referredBy: email(1) }, { email: 'bob@example.com' });
        const restore = (id: string) =>
          ask<PresentedEntry>('POST', `${entryPath(of, id)}/restore`, { body: undefined });
        const positions = async () => (await of.walk({ sort: 'position' })).map((entry) => entry.email);
        const before = await positions();
        const id = await idOf(of, 'ada@example.com');
        const { code } = await of.invite('ada@example.com');
        assertError(await restore(id), 409, 'conflict', /not removed/);
        await remove(of, id);
        assert.deepEqual(await positions(), [email(1), email(2), 'bob@example.com']);
        const back = await Promise.all([restore(id), restore(id)]);
        assert.deepEqual(back.map(({ status }) => status).sort(), [200, 409], 'once');
        assert.deepEqual(await positions(), before);
        const { status, referredBy } = (await of.lookup('ada@example.com')).body;
        assert.deepEqual([status, referredBy], ['waiting', email(1)]);
        assert.equal((await of.lookup(email(1))).body.referrals, 1);
        assertError(await service.accept(code), 410, 'revoked');
        assert.deepEqual(await actionsOn(`entry:${id}`), ['entry.restored', 'entry.removed']);
        await assertSound(of);

        await remove(of, id);
        service.clock.advance(31 * 86_400_000);
        assertError(await restore(id), 409, 'conflict', /more than 30 days ago/);
        const gone = await idOf(of, 'bob@example.com');
        await remove(of, gone);
        await remove(of, gone, '?erase=true', { confirm: gone });
        assertError(await restore(gone), 409, 'conflict', /was erased/);
        assertError(await restore('ent_x'), 404, 'not_found');
        await assertSound(of);

        await updateWaitlist(service.context, of.id, { confirmEmails: true });
        await of.signup({ email: 'late@example.com', referredBy: email(1) });
        const late = await idOf(of, 'late@example.com');
        await remove(of, late);
        assert.equal((await restore(late)).body.status, 'pending', 'still not confirmed');
        const { code: joining } = await of.invite(email(2));
        await service.accept(joining);
        const joined = await idOf(of, email(2));
        await remove(of, joined);
        assert.equal((await restore(joined)).body.status, 'joined');
        await assertSound(of);
      });

      it('taken back leaves an invited person as their revoked invite did', async () => {
        const of = await crowd(2);
        const back = async (who: string) => {
          const id = await idOf(of, who);
          await of.invite(who);
          await remove(of, id);
          return (await ask<PresentedEntry>('POST', `${entryPath(of, id)}/restore`, { body: undefined }))
            .body;
        };
        const waiting = await back(email(1));
        assert.deepEqual([waiting.status, waiting.position, waiting.invitedAt], ['waiting', 1, null]);
        await updateWaitlist(service.context, of.id, { returnToQueue: false });
        const invited = await back(email(2));
        assert.deepEqual([invited.status, invited.position], ['invited', null]);
        await assertSound(of);
      });

      it('taken back counts only the referrals that are left', async () => {
        const of = await crowd(2);
        await of.signup({ email: 'ada@example.com', referredBy: email(2) });
        await of.signup({ email: 'bob@example.com', referredBy: email(2) });
        const [referrer, ada] = [await idOf(of, email(2)), await idOf(of, 'ada@example.com')];
        const restore = (id: string) =>
          ask<PresentedEntry>('POST', `${entryPath(of, id)}/restore`, { body: undefined });
        await remove(of, referrer);
        await remove(of, ada);
        const { referrals, position } = (await restore(referrer)).body;
        assert.deepEqual([referrals, position], [1, 1]);
        await assertSound(of);
        await restore(ada);
        assert.equal((await of.lookup(email(2))).body.referrals, 2);
        await assertSound(of);
      });

      it('ends an overdue invite as expired, and its entry comes back to the queue', async () => {
        const of = await crowd(1);
        const id = await idOf(of, email(1));
        const { code } = await of.invite(email(1), { expiresAt: service.clock.now + 1_000 });
        service.clock.advance(1_000);
        await remove(of, id);
        const check = (await service.check(code)).body;
        assert.equal(check.valid ? null : check.reason, 'expired');
        const back = await ask<PresentedEntry>('POST', `${entryPath(of, id)}/restore`, { body: undefined });
        assert.deepEqual([back.body.status, back.body.invitedAt], ['waiting', null]);
        await assertSound(of);
      });

      it('without erase keeps the person from being invited, and from being shown as a referrer', async () => {
        const of = await service.waitlist();
        await of.signup(
          { email: 'ada@example.com' },
          { email: 'bob@example.com', referredBy: 'ada@example.com' },
        );
        const id = await idOf(of, 'ada@example.com');
        const { code } = await of.invite('ada@example.com');
        assert.equal((await of.lookup('bob@example.com')).body.referredBy, 'ada@example.com');
        assert.equal((await remove(of, id)).status, 200);
        assert.equal((await of.lookup('bob@example.com')).body.referredBy, null);
        const exported: { email: string | null; referredBy: string | null }[] = [];
        for await (const { entries } of readAllEntries(service.context, await of.queue(), undefined))
          exported.push(...entries.map(presentEntry));
        assert.deepEqual(
          exported.map(({ email: who, referredBy }) => [who, referredBy]),
          [
            ['ada@example.com', null],
            ['bob@example.com', null],
          ],
        );
        assertError(await service.accept(code), 410, 'revoked');
        const invite = (body: object) => ask('POST', `/waitlists/${of.id}/invites`, { body });
        const refusal = /^email: this person was removed from the waitlist; erase the entry/;
        assertError(await invite({ email: 'ada@example.com' }), 409, 'conflict', refusal);
        assertError(await invite({ email: 'Ada@Example.com', dryRun: true }), 409, 'conflict', refusal);
        assert.equal((await remove(of, id, '?erase=true', { confirm: id })).status, 200);
        assert.equal((await invite({ email: 'ada@example.com' })).status, 201);
        await assertSound(of);
      });

      it('does not let an invite from before that rule bring a removed person in', async () => {
        const of = await service.waitlist();
        await of.signup({ email: 'ada@example.com' });
        assert.equal((await remove(of, await idOf(of, 'ada@example.com'))).status, 200);
        const { code } = await of.invite('eve@example.com');
        const { id: queueId, vault } = await of.queue();
        await service.context.db.query
          .updateTable('invite')
          .set({ email_hash: vault.hash('email', 'ada@example.com') })
          .where('queue_id', '=', queueId)
          .execute();
        assertError(await service.accept(code), 410, 'revoked');
      });

      it('removes bots as if they had never joined', async () => {
        const of = await crowd(8);
        const bot = await idOf(of, email(2));
        const gone = { confirm: bot, neverJoined: true };
        assertError(
          await remove(of, bot, '', gone),
          400,
          'invalid_request',
          /^neverJoined: requires erase=true/,
        );
        assert.equal((await of.lookup(email(2))).status, 200);
        const { body } = await remove(of, bot, '?erase=true', gone);
        assert.deepEqual(body, { id: bot, deleted: true, erased: true });
        assertError(await ask('GET', entryPath(of, bot)), 404, 'not_found');
        assertError(await remove(of, bot, '?erase=true', gone), 404, 'not_found');
        assert.deepEqual(await actionsOn(`entry:${bot}`), ['entry.erased']);
        const earlier = await idOf(of, email(3));
        await remove(of, earlier);
        await remove(of, earlier, '?erase=true', { confirm: earlier });
        await remove(of, earlier, '?erase=true', { confirm: earlier, neverJoined: true });
        assert.equal((await of.page({})).body.total, 6);
        const nth = async (at: number) =>
          (
            await ask<{ entries: PresentedEntry[] }>(
              'GET',
              `/waitlists/${of.id}/entries?sort=joined&limit=1&at=${at}`,
            )
          ).body.entries[0]?.email;
        assert.deepEqual(
          [await nth(0), await nth(1), await nth(5), await nth(6)],
          [email(1), email(4), email(8), undefined],
        );
        await of.signup({ email: 'friend@example.com', referredBy: email(8) });
        assert.equal((await of.lookup(email(8))).body.position, 1);
        await assertSound(of);
      });

      it('with erase leaves nothing, and the person can sign up again', async () => {
        const of = await crowd(2);
        const id = await idOf(of, email(1));
        assertError(await remove(of, id, '?erase=true'), 400, 'invalid_request', /^confirm:/);
        assertError(
          await remove(of, id, '?erase=true', { confirm: 'x' }),
          400,
          'invalid_request',
          /^confirm:/,
        );
        assertError(await remove(of, id, '?erase=yes'), 400, 'invalid_request', /erase/);
        assert.equal((await of.lookup(email(1))).status, 200);
        await remove(of, id);
        const erased = await remove(of, id, '?erase=true', { confirm: id });
        assert.deepEqual(erased.body, { id, deleted: true, erased: true });
        assert.equal((await of.lookup(email(1))).status, 404);
        const left = (await ask<PresentedEntry>('GET', entryPath(of, id))).body;
        assert.deepEqual([left.email, left.metadata, left.status], [null, null, 'removed']);
        assert.equal((await of.signup({ email: email(1) })).body.created, 1);
        assert.deepEqual(await actionsOn(`entry:${id}`), ['entry.erased', 'entry.removed']);
        assertError(await ask('GET', `${entryPath(of, id)}/export`), 404, 'not_found', /was erased/);
        assertError(await remove(of, id, '?erase=true', { confirm: id }), 404, 'not_found');
        const other = await service.waitlist();
        assertError(await remove(other, await idOf(of, email(2))), 404, 'not_found');
        await assertSound(of);
      });
    });

    it('has ids of its own kind only', async () => {
      const of = await crowd(1);
      const { id } = await of.invite(email(1));
      assertError(await ask('GET', entryPath(of, id)), 404, 'not_found');
      assertError(await ask('GET', entryPath(of, formatId('ent', Buffer.alloc(16)))), 404, 'not_found');
    });
  });
});
