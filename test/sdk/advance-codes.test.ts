import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Trx } from '../../src/db/database.ts';
import { findNamedCodes } from '../../src/waitlist/codes/named-codes.ts';
import { updateEntry } from '../../src/waitlist/entries/update-entry.ts';
import { removeEntry, restoreEntry } from '../../src/waitlist/invites/removal.ts';
import { mergeEntries } from '../../src/waitlist/merging/merge-entries.ts';
import { rerank } from '../../src/waitlist/referrals/rerank.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { type AskInRoles, askInRoles, succeeded } from '../support/admin.ts';
import { openForm } from '../support/forms.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { unique } from '../support/storage.ts';
import { jsonOf, typed } from '../support/terminal.ts';

interface Code {
  id: string;
  code: string;
  url: string | null;
  does: string;
  places: number | null;
  limit: number;
  used: number;
}

interface Reasons {
  position: number | null;
  joinedAs: number;
  advanced: number;
  code: string | null;
  moved: number;
}

interface SignedUp {
  created: number;
  codes?: { entry: number; used: boolean; places?: number; reason?: string }[];
}

forEachEngine('locks', (engine) => {
  describe('a code that puts people further ahead', () => {
    let service: Service;
    let ask: AskInRoles;
    before(async () => {
      service = await startService(engine, { startAt: Date.now() });
      ask = await askInRoles(service, 'admin');
    });
    after(() => service.close());

    const person = (name: string | number) => `${name}@example.com`;
    const of = (list: List, rest = '') => `/waitlists/${list.id}/codes${rest}`;
    const create = async (list: List, body: object) =>
      succeeded(await ask<Code>('POST', of(list), { body: { does: 'advance', limit: 9, ...body } }), 201);
    const usedOf = async (list: List, { id }: Code) =>
      succeeded(await ask<Code>('GET', of(list, `/${id}`))).used;
    const signup = async (list: List, ...entries: object[]) =>
      (await list.signup(...entries)).body as unknown as SignedUp;
    const idOf = async (list: List, email: string) => (await list.lookup(email)).body.id;
    const positionOf = async (list: List, email: string) => (await list.lookup(email)).body.position;
    const reasonsOf = async (list: List, email: string, role?: 'viewer') => {
      const path = `/waitlists/${list.id}/entries/${await idOf(list, email)}/position`;
      return succeeded(await ask<Reasons>('GET', path, role ? { role } : {}));
    };
    const crowd = (list: List, count: number) =>
      list.signup(...Array.from({ length: count }, (_, n) => ({ email: person(`p${n + 1}`) })));
    const isSound = async (list: List) =>
      assert.deepEqual((await recountQueue(service.context, await list.queue(), false)).findings, []);

    it('counts whoever joins with it as having joined so many places earlier, once', async () => {
      const list = await service.waitlist();
      await crowd(list, 20);
      const code = await create(list, { places: 7, tag: 'podcast' });
      const answer = await signup(
        list,
        { email: person('ada'), code: code.code.toLowerCase(), metadata: { plan: 'pro', tag: 'old' } },
        { email: person('bob') },
        { email: person('p3'), code: code.code },
        { email: person('ada'), code: code.code },
      );
      assert.deepEqual(answer, {
        success: true,
        ...{ created: 2, skipped: 2 },
        codes: [
          { entry: 0, used: true, places: 7 },
          { entry: 2, used: false, reason: 'on_waitlist' },
          { entry: 3, used: true, places: 7 },
        ],
      });
      const { body: ada } = await list.lookup(person('ada'));
      assert.deepEqual([ada.position, ada.metadata], [14, { plan: 'pro', tag: 'podcast' }]);
      assert.deepEqual(
        await Promise.all(['p13', 'p14', 'p3', 'bob'].map((name) => positionOf(list, person(name)))),
        [13, 15, 3, 22],
      );
      assert.equal(await usedOf(list, code), 1);
      const again = await signup(list, { email: person('ada'), code: code.code });
      assert.deepEqual(again.codes, [{ entry: 0, used: true, places: 7 }]);
      assert.equal(await usedOf(list, code), 1);
      await isSound(list);
    });

    it('loses nobody their signup when it cannot be used, and says why', async () => {
      const [list, other] = [await service.waitlist(), await service.waitlist()];
      await crowd(list, 5);
      const expiresAt = new Date(service.clock.now + 1000).toISOString();
      const [once, expired, deleted, admits, foreign] = [
        await create(list, { places: 3, limit: 1 }),
        await create(list, { places: 3, expiresAt }),
        await create(list, { places: 3 }),
        await create(list, { does: 'admit' }),
        await create(other, { places: 3 }),
      ];
      succeeded(await ask('DELETE', of(list, `/${deleted.id}`), { role: 'support' }));
      service.clock.advance(1000);
      const named = [once, once, expired, deleted, admits, foreign, { code: 'no code at all' }];
      const answer = await signup(list, ...named.map(({ code }, n) => ({ email: person(`new${n}`), code })));
      assert.equal(answer.created, named.length);
      const reasons = ['accepted', 'expired', 'revoked', 'admits', 'not_found', 'not_found'];
      assert.deepEqual(answer.codes, [
        { entry: 0, used: true, places: 3 },
        ...reasons.map((reason, n) => ({ entry: n + 1, used: false, reason })),
      ]);
      assert.equal(await positionOf(list, person('new0')), 3);
      assert.equal(await positionOf(list, person('new1')), 7);
      for (const code of [once, expired, admits])
        assert.equal(await usedOf(list, code), code === once ? 1 : 0);
      for (const code of ['', 'x'.repeat(201), 7])
        assertError(await list.signup({ email: person('bad'), code } as never), 400, 'invalid_request');
      assert.equal((await signup(list, { email: person('plain') })).codes, undefined);
      await isSound(list);
    });

    it('stays right with referrals, another boost, a move, removing, putting back and merging', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await crowd(list, 30);
      const code = await create(list, { places: 10, limit: 2 });
      await signup(list, { email: person('ada'), code: code.code });
      assert.equal(await positionOf(list, person('ada')), 21);
      await list.signup({ email: person('friend'), referredBy: person('ada') });
      assert.equal(await positionOf(list, person('ada')), 16);
      await updateWaitlist(service.context, list.id, { boost: 8 });
      await rerank(service.context, queue);
      assert.equal(await positionOf(list, person('ada')), 13);
      const id = await idOf(list, person('ada'));
      await removeEntry(service.context, queue, id);
      assert.equal(await usedOf(list, code), 0);
      await restoreEntry(service.context, queue, id);
      assert.deepEqual([await usedOf(list, code), await positionOf(list, person('ada'))], [1, 13]);
      await updateEntry(service.context, queue, id, { position: 2 });
      const { advanced, moved, code: text } = await reasonsOf(list, person('ada'));
      assert.deepEqual([advanced, text, moved], [10, code.code, -11]);
      assert.equal((await reasonsOf(list, person('ada'), 'viewer')).code, null);
      await signup(list, { email: person('eve'), code: code.code });
      await mergeEntries(
        service.context,
        queue,
        await idOf(list, person('eve')),
        await idOf(list, person('p29')),
      );
      assert.equal((await reasonsOf(list, person('p29'))).advanced, 10);
      assert.equal(await positionOf(list, person('p29')), 20);
      await isSound(list);
    });

    it('is found by doctor where it does not add up, and repaired', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await crowd(list, 9);
      const code = await create(list, { places: 4 });
      await signup(list, { email: person('ada'), code: code.code });
      await service.context.db.transaction((trx) =>
        trx
          .updateTable('entry')
          .set({ advanced: 1 })
          .where('queue_id', '=', queue.id)
          .where('seq', '=', 10)
          .execute(),
      );
      const { findings } = await recountQueue(service.context, queue, false);
      assert.match(findings.join('\n'), /^codes: 1 entries/m);
      assert.equal((await recountQueue(service.context, queue, true)).repaired, true);
      assert.equal((await reasonsOf(list, person('ada'))).advanced, 4);
      assert.equal(await positionOf(list, person('ada')), 6);
    });

    it('never counts more people than its limit, whoever joins at the same time', async () => {
      const list = await service.waitlist();
      const code = await create(list, { places: 5, limit: 7 });
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          signup(
            list,
            { email: person(`a${n}`), code: code.code },
            { email: person(`b${n}`), code: code.code },
          ),
        ),
      );
      assert.equal(answers.flatMap(({ codes = [] }) => codes).filter(({ used }) => used).length, 7);
      assert.equal(await usedOf(list, code), 7);
      await isSound(list);
    });

    it('costs a batch in which nobody names one no statement', async () => {
      const list = await service.waitlist();
      const trx = new Proxy({}, { get: () => assert.fail('a statement was sent') });
      assert.equal(await findNamedCodes(trx as Trx, await list.queue(), [{}, {}]), undefined);
    });

    it('lets nobody in', async () => {
      const list = await service.waitlist();
      const code = await create(list, { places: 50 });
      const waitlist = { id: list.id, name: 'Acme' };
      const { body } = await service.check(code.code);
      assert.deepEqual(body, { valid: true, waitlist, does: 'advance', places: 50 });
      const accepted = await service.accept(code.code, { body: { email: person('ada') } });
      assertError(accepted, 400, 'invalid_request');
      assert.match(accepted.text, /code: lets nobody in/);
      const { body: gate } = await service.request<object>('POST', await list.gate(), {
        body: { email: person('ada'), code: code.code },
      });
      assert.deepEqual(
        { ...gate, message: undefined },
        { allow: false, reason: 'not_invited', message: undefined },
      );
      const page = await service.request('GET', `/join/${code.code}`, { headers: { accept: 'text/html' } });
      assert.match(page.text, /further ahead in line/);
      assert.equal(code.url, null);
      assert.equal((await list.lookup(person('ada'))).status, 404);
    });

    it('is entered with the form, whose answer does not tell who is on the waitlist', async () => {
      const form = await openForm(service);
      const { list } = form;
      await crowd(list, 20);
      const code = await create(list, { places: 7 });
      assert.ok(code.url?.endsWith(`/w/${list.id}?code=${code.code}`), String(code.url));
      const html = { headers: { accept: 'text/html' } };
      const led = await service.request('GET', `/join/${code.code}`, {
        ...html,
        redirect: 'manual',
      } as never);
      assert.ok(led.status === 303 || /name="code"/.test(led.text), led.text);
      const page = await service.request('GET', `/w/${list.id}?code=${code.code}`, html);
      assert.match(page.text, new RegExp(`name="code"[^>]*value="${code.code}"`));
      assert.doesNotMatch((await service.request('GET', `/w/${list.id}`, html)).text, /name="code"/);
      type Answer = { codeResult: object; status: { position: number } };
      const join = async (email: string, given: string) =>
        (await form.join({ email, code: given, include: 'status' })).body as unknown as Answer;
      const added = await join(person('ada'), code.code);
      const text = 'With your code, you count as joining 7 places earlier.';
      assert.deepEqual([added.codeResult, added.status.position], [{ used: true, places: 7, text }, 14]);
      const known = await join(person('p20'), code.code);
      assert.deepEqual([known.codeResult, known.status.position], [{ used: true, places: 7, text }, 16]);
      assert.equal(await usedOf(list, code), 1);
      const wrong = await join(person('bob'), 'NONE-SUCH');
      assert.deepEqual(wrong.codeResult, {
        ...{ used: false, reason: 'not_found' },
        text: 'Your code does not count. It is misspelled, has expired, or is used up.',
      });
      assert.equal(await positionOf(list, person('bob')), 22);
      await isSound(list);
    });

    it('is told as before to who sends the form again, whether or not the address was known', async () => {
      const form = await openForm(service);
      const { list } = form;
      await crowd(list, 20);
      const told = async (email: string, given?: string) => {
        const { body } = await form.join({ email, include: 'status', ...(given && { code: given }) });
        return [body.codeResult?.used, body.codeResult?.reason, body.status?.position];
      };
      const first = await create(list, { places: 7, limit: 1 });
      assert.deepEqual(await told(person('p20'), first.code), [true, undefined, 14]);
      assert.deepEqual(await told(person('p20'), first.code), [true, undefined, 14]);
      assert.deepEqual(await told(person('ada'), first.code), [true, undefined, 14]);
      assert.deepEqual(await told(person('ada'), first.code), [true, undefined, 14]);
      assert.deepEqual(await told(person('ada')), [undefined, undefined, 14]);
      assert.deepEqual(await told(person('p20')), [undefined, undefined, 14]);
      const second = await create(list, { places: 7 });
      for (const email of [person('p19'), person('bob')]) {
        const [, , position] = await told(email);
        assert.deepEqual(await told(email, second.code), [false, 'on_waitlist', position]);
      }
      assert.equal(await usedOf(list, second), 0);
    });

    it('is created with commands, and needs places', async () => {
      const list = await service.waitlist();
      const { environment } = service.storage;
      const there = ['--waitlist', list.id];
      const text = unique('ADV-').slice(0, 20);
      const words = ['code', 'create', text, '--does', 'advance', '--limit', '2'];
      assert.match((await typed(environment, ...words, ...there)).error, /places/);
      const created = await typed(environment, ...words, '--places', '50', ...there);
      assert.match(created.out, /cod_\w+, advance 50, used 0 of 2, never expires/, created.error);
      const [listed] = await jsonOf<Code[]>(environment, 'code', 'list', ...there);
      assert.deepEqual([listed?.does, listed?.places], ['advance', 50]);
      await crowd(list, 3);
      await signup(list, { email: person('ada'), code: text });
      const why = await typed(environment, 'entry', 'position', person('ada'), ...there);
      assert.match(why.out, new RegExp(`^ {2}code ${text}: 50 places earlier$`, 'm'));
      for (const body of [
        { places: 0 },
        { places: 1e9 },
        { places: 1.5 },
        {},
        { does: 'admit', places: 5 },
      ]) {
        const answer = await ask<{ message: string }>('POST', of(list), {
          body: { does: 'advance', limit: 1, ...body },
        });
        assertError(answer, 400, 'invalid_request');
        assert.match(answer.body.message, /^places: /);
      }
    });
  });
});
