import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { removeEntry, restoreEntry } from '../../src/waitlist/invites/removal.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import type { PresentedEntry } from '../../src/wire/entry.ts';
import { type AskInRoles, askInRoles, auditOf, succeeded } from '../support/admin.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { storedBytes } from '../support/inspect.ts';
import { listen } from '../support/recorded-events.ts';
import { unique } from '../support/storage.ts';
import { jsonOf, typed } from '../support/terminal.ts';

interface Code {
  id: string;
  code: string;
  url: string;
  limit: number;
  used: number;
  expiresAt: string | null;
  tag: string | null;
}

interface Uses {
  uses: { entry: PresentedEntry; returnedAt: string | null }[];
  nextCursor: string | null;
}

const DAY_MS = 86_400_000;

forEachEngine('locks', (engine) => {
  describe('a code for many people', () => {
    let service: Service;
    let ask: AskInRoles;
    before(async () => {
      service = await startService(engine);
      ask = await askInRoles(service, 'admin');
    });
    after(() => service.close());

    const of = (list: List, rest = '') => `/waitlists/${list.id}/codes${rest}`;
    const create = async (list: List, body: object) =>
      succeeded(await ask<Code>('POST', of(list), { body, role: 'support' }), 201);
    const read = async (list: List, { id }: Code) => succeeded(await ask<Code>('GET', of(list, `/${id}`)));
    const uses = async (list: List, { id }: Code, query = '') =>
      succeeded(await ask<Uses>('GET', of(list, `/${id}/uses${query}`)));
    const accept = (code: string, email: string, key?: string) =>
      service.accept(code, { body: { email }, ...(key ? { headers: { 'idempotency-key': key } } : {}) });
    const person = (name: string) => `${name}@example.com`;
    const idOf = async (list: List, email: string) => (await list.lookup(email)).body.id;
    const isSound = async (list: List) =>
      assert.deepEqual((await recountQueue(service.context, await list.queue(), false)).findings, []);

    it('lets in people who are new and people who wait, each once, and says who came', async () => {
      const list = await service.waitlist();
      await list.signup(
        { email: person('wait'), metadata: { plan: 'pro', tag: 'old' } },
        { email: person('behind') },
      );
      const recorded = await listen(service.context, await list.queue());
      const text = unique('Friends').slice(0, 20);
      const code = await create(list, { code: text, limit: 3, tag: 'podcast' });
      assert.deepEqual([code.code, code.limit, code.used, code.tag], [text, 3, 0, 'podcast']);
      assert.ok(code.url.endsWith(`/join/${text}`));
      const check = await service.check(text.toUpperCase());
      assert.deepEqual(check.body, { valid: true, waitlist: { id: list.id, name: 'Acme' } });

      const { status, body } = await accept(text.toLowerCase(), ' New@Example.com ');
      assert.deepEqual(
        [status, body.success, body.email, body.waitlist.id],
        [200, true, 'New@Example.com', list.id],
      );
      assert.equal((await accept(text, person('wait'))).status, 200);
      const [added, waited, behind] = await Promise.all(
        [person('new'), person('wait'), person('behind')].map(
          async (email) => (await list.lookup(email)).body,
        ),
      );
      assert.deepEqual([added?.status, added?.metadata], ['joined', { tag: 'podcast' }]);
      assert.deepEqual([waited?.status, waited?.metadata], ['joined', { plan: 'pro', tag: 'podcast' }]);
      assert.deepEqual([behind?.status, behind?.position], ['waiting', 1]);
      const events = await recorded();
      assert.deepEqual(events.map(({ event }) => event).sort(), [
        'invite.accepted',
        'invite.accepted',
        'signup.created',
      ]);
      assertError(await accept(text, person('new')), 409, 'accepted');
      assert.equal((await read(list, code)).used, 2);
      assert.deepEqual(
        (await uses(list, code)).uses.map(({ entry }) => entry.email),
        ['New@Example.com', person('wait')],
      );
      const first = await uses(list, code, '?limit=1');
      assert.deepEqual(
        (await uses(list, code, `?limit=1&cursor=${first.nextCursor}`)).uses.map(({ entry }) => entry.email),
        [person('wait')],
      );
      await isSound(list);
    });

    it('needs an email, and tells nothing about who used it', async () => {
      const list = await service.waitlist();
      const { code } = await create(list, { limit: 1 });
      assert.match(code, /^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/);
      assertError(await service.accept(code), 400, 'invalid_request');
      assertError(await accept(code, 'nobody'), 400, 'invalid_request');
      assert.equal((await accept(code, person('ada'))).status, 200);
      assert.deepEqual((await service.check(code)).body, { valid: false, reason: 'accepted' });
      assertError(await accept(code, person('bob')), 409, 'accepted');
      assert.equal((await list.lookup(person('bob'))).status, 404);
      for (const other of ['abc', `${code}-`, 'x'.repeat(31)])
        assert.deepEqual((await service.check(other)).body, { valid: false, reason: 'not_found' });
    });

    it('never lets in one more than its limit, whoever asks at the same time', async () => {
      const list = await service.waitlist();
      const gate = await list.gate();
      const code = await create(list, { limit: 7 });
      const answers = await Promise.all(
        Array.from({ length: 50 }, async (_, n) => {
          const email = person(`p${n % 40}`);
          if (n % 5 > 0) return (await accept(code.code, email)).status === 200;
          const { body } = await service.request<{ allow: boolean }>('POST', gate, {
            body: { email, code: code.code },
          });
          return body.allow;
        }),
      );
      assert.equal(answers.filter(Boolean).length, 7);
      assert.equal((await read(list, code)).used, 7);
      assert.equal((await list.page({ status: 'joined', limit: 1 })).body.total, 7);
      await isSound(list);
    });

    it('answers a repeated request as the first time, and takes no second place', async () => {
      const list = await service.waitlist();
      const [code, other] = [await create(list, { limit: 1 }), await create(list, { limit: 5 })];
      const email = person('ada');
      const answers = await Promise.all([1, 2, 3].map(() => accept(code.code, email, 'k1')));
      for (const { status, body } of answers) assert.deepEqual([status, body], [200, answers[0]?.body]);
      service.clock.advance(60_000);
      assert.deepEqual((await accept(code.code, 'ADA@example.com', 'k1')).body, answers[0]?.body);
      assertError(await accept(code.code, email, 'k2'), 409, 'accepted');
      assertError(await accept(code.code, person('bob'), 'k1'), 409, 'accepted');
      assertError(await accept(other.code, email, 'k1'), 409, 'accepted');
      assert.equal((await read(list, code)).used, 1);
      assert.equal((await read(list, other)).used, 0);
    });

    it('works at the gate of its own waitlist', async () => {
      const [list, foreign] = [await service.waitlist(), await service.waitlist()];
      const { code } = await create(list, { limit: 1 });
      const at = async (gate: string, email: string) =>
        (
          await service.request<{ allow: boolean; reason?: string; entryId?: string }>('POST', gate, {
            body: { email, code },
          })
        ).body;
      const [gate, other] = [await list.gate(), await foreign.gate()];
      assert.equal((await at(other, person('ada'))).reason, 'not_invited');
      const { allow, entryId } = await at(gate, person('ada'));
      assert.deepEqual([allow, entryId], [true, await idOf(list, person('ada'))]);
      assert.equal((await at(gate, person('ada'))).reason, 'already_used');
      assert.equal((await at(gate, person('bob'))).reason, 'already_used');
    });

    it('expires, is deleted, and lets people in while the waitlist is closed to signups', async () => {
      const list = await service.waitlist();
      await updateWaitlist(service.context, list.id, { closed: true });
      const expiresAt = new Date(service.clock.now + 1000).toISOString();
      const code = await create(list, { limit: 5, expiresAt });
      assert.equal((await accept(code.code, person('ada'))).status, 200);
      service.clock.advance(1000);
      assert.deepEqual((await service.check(code.code)).body, { valid: false, reason: 'expired', expiresAt });
      assertError(await accept(code.code, person('bob')), 410, 'expired');
      const change = (body: object) => ask<Code>('PATCH', of(list, `/${code.id}`), { body });
      assert.equal(succeeded(await change({ expiresAt: null })).expiresAt, null);
      assert.equal((await accept(code.code, person('bob'))).status, 200);
      assertError(await change({ limit: 1 }), 400, 'invalid_request');
      assert.equal(succeeded(await change({ limit: 2, tag: 'spring' })).tag, 'spring');
      assert.equal((await service.check(code.code)).body.valid, false);
      succeeded(await change({ limit: 3 }));
      succeeded(await ask('DELETE', of(list, `/${code.id}`), { role: 'support' }));
      assert.deepEqual((await service.check(code.code)).body, { valid: false, reason: 'revoked' });
      assertError(await accept(code.code, person('cyd')), 410, 'revoked');
      assertError(await ask('GET', of(list, `/${code.id}`)), 404, 'not_found');
      assertError(await ask('POST', of(list), { body: { code: code.code, limit: 1 } }), 409, 'conflict');
      const actions = (await auditOf(service, `code:${code.id}`)).map(({ action }) => action);
      const updated = Array(3).fill('code.updated');
      assert.deepEqual(actions, ['code.created', ...updated, 'code.deleted']);
    });

    it('is of one waitlist only, and refuses what cannot be a code', async () => {
      const [list, other] = [await service.waitlist(), await service.waitlist()];
      const { code } = await create(list, { limit: 1 });
      for (const body of [{ code: code.toLowerCase(), limit: 1 }])
        assertError(await ask('POST', of(other), { body }), 409, 'conflict');
      const answers = await Promise.all(
        [list, other].map((one) => ask('POST', of(one), { body: { code: `BOTH-${code}`, limit: 1 } })),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
      const wrong: Record<string, object[]> = {
        code: [{ code: 'abc' }, { code: 'x'.repeat(31) }, { code: 'ÄÖÜß' }, { code: 'a b c d' }],
        limit: [{ limit: 0 }, { limit: 1_000_000_000 }],
        tag: [{ tag: '' }, { tag: 'x'.repeat(101) }, { tag: 'a\nb' }],
        expiresAt: [{ expiresAt: '2020-01-01T00:00:00Z' }, { expiresAt: 'soon' }],
      };
      for (const [field, bodies] of Object.entries(wrong))
        for (const body of bodies) {
          const answer = await ask<{ message: string }>('POST', of(list), { body: { limit: 1, ...body } });
          assertError(answer, 400, 'invalid_request');
          assert.ok(answer.body.message.startsWith(`${field}: `), answer.body.message);
        }
    });

    it('lets in nobody who was declined, and does not tell at the gate', async () => {
      const list = await service.waitlist();
      const { code } = await create(list, { limit: 9 });
      await list.signup({ email: person('ada') });
      const id = await idOf(list, person('ada'));
      await ask('POST', `/waitlists/${list.id}/entries/${id}/decline`, { body: {} });
      assertError(await accept(code, person('ada')), 410, 'revoked');
      const { body } = await service.request<{ reason: string }>('POST', await list.gate(), {
        body: { email: person('ada'), code },
      });
      assert.equal(body.reason, 'not_invited');
      assert.equal((await list.lookup(person('ada'))).body.status, 'declined');
    });

    it('gets a place back when somebody is removed within a day, and not later', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      const code = await create(list, { limit: 2 });
      await accept(code.code, person('ada'));
      await accept(code.code, person('bob'));
      const ada = await idOf(list, person('ada'));
      await removeEntry(service.context, queue, ada);
      assert.equal((await read(list, code)).used, 1);
      assertError(await accept(code.code, person('ada')), 410, 'revoked');
      assert.equal((await accept(code.code, person('cyd'))).status, 200);
      await assert.rejects(restoreEntry(service.context, queue, ada), { code: 'conflict' });
      succeeded(await ask('PATCH', of(list, `/${code.id}`), { body: { limit: 3 } }));
      await restoreEntry(service.context, queue, ada);
      assert.equal((await read(list, code)).used, 3);
      await eraseEntry(service.context, queue, person('bob'));
      assert.equal((await read(list, code)).used, 2);
      await eraseEntry(service.context, queue, person('cyd'), { neverJoined: true });
      assert.equal((await read(list, code)).used, 1);
      assert.equal((await uses(list, code)).uses.length, 2);
      service.clock.advance(DAY_MS);
      await removeEntry(service.context, queue, ada);
      assert.equal((await read(list, code)).used, 1);
      await restoreEntry(service.context, queue, ada);
      assert.equal((await read(list, code)).used, 1);
      await isSound(list);
    });

    it('is not readable in the database, and viewers do not see it', async () => {
      const list = await service.waitlist();
      const since = new Date();
      const text = unique('Secret-').slice(0, 24);
      const code = await create(list, { code: text, limit: 2, tag: 'UnforgettableTag' });
      await accept(text, person('ada'));
      for (const { name, bytes } of await storedBytes(service.storage, since))
        for (const secret of [text, text.toLowerCase(), 'UnforgettableTag'])
          assert.ok(!bytes.includes(secret), `${name}: ${secret}`);
      const path = of(list, `/${code.id}`);
      const seen = succeeded(await ask<Code>('GET', path, { role: 'viewer' }));
      assert.deepEqual([seen.code, seen.url, seen.tag, seen.used], [null, null, null, 1]);
      const people = succeeded(await ask<Uses>('GET', `${path}/uses`, { role: 'viewer' }));
      assert.equal(people.uses[0]?.entry.email, 'a…@e….com');
    });

    it('has a page where people enter their email', async () => {
      const list = await service.waitlist();
      const { code } = await create(list, { limit: 1 });
      const post = (email: string) =>
        service.request<never>('POST', `/join/${code}`, {
          rawBody: new URLSearchParams({ email }).toString(),
          headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
        });
      const page = await service.request('GET', `/join/${code}`, { headers: { accept: 'text/html' } });
      assert.match(page.text, /<input type="email" name="email"/);
      const wrong = await post('<b>nobody');
      assert.equal(wrong.status, 422);
      assert.match(wrong.text, /aria-invalid="true"/);
      assert.match(wrong.text, /value="&lt;b&gt;nobody"/);
      const done = await post(person('ada'));
      assert.equal(done.status, 200);
      assert.match(done.text, /ada@example\.com/);
      const over = await post(person('bob'));
      assert.equal(over.status, 409);
      assert.match(over.text, /used up/);
    });

    it('is created, listed, changed and deleted with commands', async () => {
      const list = await service.waitlist();
      const { environment } = service.storage;
      const there = ['--waitlist', list.id];
      const text = unique('CLI-').slice(0, 20);
      const created = await typed(
        environment,
        'code',
        'create',
        text,
        '--limit',
        '2',
        '--tag',
        'fair',
        ...there,
      );
      assert.match(
        created.out,
        new RegExp(`/join/${text}\n\ncod_\\w+, used 0 of 2, never expires`),
        created.error,
      );
      await accept(text, person('ada'));
      const [listed] = await jsonOf<Code[]>(environment, 'code', 'list', ...there);
      assert.deepEqual([listed?.code, listed?.used], [text, 1]);
      const shown = await jsonOf<Code>(
        environment,
        'code',
        'update',
        text,
        '--limit',
        '5',
        '--tag',
        'none',
        ...there,
      );
      assert.deepEqual([shown.limit, shown.tag], [5, null]);
      const came = await typed(environment, 'code', 'uses', text, ...there);
      assert.match(came.out, /ada@example\.com +joined/);
      assert.equal((await typed(environment, 'code', 'delete', shown.id, ...there)).code, 0);
      assert.equal((await typed(environment, 'code', 'show', text, ...there)).code, 1);
    });
  });
});
