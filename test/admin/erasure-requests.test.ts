import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import type { PresentedEntry } from '../../src/wire/entry.ts';
import { type AskInRoles, askInRoles, auditOf, succeeded } from '../support/admin.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { dumpTables } from '../support/inspect.ts';
import { jsonOf, typed } from '../support/terminal.ts';

interface Request {
  id: string;
  entry: PresentedEntry & { missing: string | null };
  reason: string | null;
  askedBy: string | null;
  decision: string | null;
  decidedBy: string | null;
  decidedAt: string | null;
}

interface Page {
  requests: Request[];
  open: number;
  nextCursor: string | null;
}

const REASON = 'Called and spelled the name Unforgettable.';

forEachEngine('locks', (engine) => {
  describe('an erasure that support asks for', () => {
    let service: Service;
    let ask: AskInRoles;
    before(async () => {
      service = await startService(engine);
      ask = await askInRoles(service, 'admin');
    });
    after(() => service.close());

    const of = (list: List, rest = '') => `/waitlists/${list.id}${rest}`;
    const page = async (list: List, query = '', role = 'admin') =>
      succeeded(await ask<Page>('GET', of(list, `/erasure-requests${query}`), { role }));
    const person = async (list: List, email = 'ada@example.com') => {
      await list.signup({ email });
      const path = of(list, `/entries?search=${encodeURIComponent(email)}`);
      const found = await ask<{ entries: PresentedEntry[] }>('GET', path);
      return found.body.entries[0]?.id ?? assert.fail('nobody was found');
    };
    const request = (list: List, id: string, body: object = {}, role = 'support') =>
      ask<Request>('POST', of(list, `/entries/${id}/erasure-request`), { role, body });
    const asked = async (list: List, email?: string) => {
      const entryId = await person(list, email);
      const { id } = succeeded(await request(list, entryId, { reason: REASON }), 201);
      return { entryId, id };
    };
    const decide = (list: List, id: string, decision: 'confirm' | 'refuse', role = 'admin') =>
      ask<Request>('POST', of(list, `/erasure-requests/${id}/${decision}`), { role });

    it('is done once an admin confirms', async () => {
      const list = await service.waitlist();
      const { entryId, id } = await asked(list);
      const listed = await page(list);
      assert.equal(listed.open, 1);
      assert.deepEqual(
        listed.requests.map(({ entry, reason, askedBy, decision, decidedAt }) => ({
          ...{ email: entry.email, reason, by: askedBy?.split(':')[0], decision, decidedAt },
        })),
        [{ email: 'ada@example.com', reason: REASON, by: 'token', decision: null, decidedAt: null }],
      );
      const confirmed = succeeded(await decide(list, id, 'confirm'));
      assert.equal(confirmed.decision, 'confirmed');
      assert.match(confirmed.decidedBy ?? '', /^token:/);
      assert.equal(confirmed.reason, null);
      assert.equal(confirmed.entry.missing, 'erased');
      assert.equal((await page(list)).open, 0);
      assert.deepEqual((await page(list, '?state=open')).requests, []);
      assert.equal((await page(list, '?state=decided')).requests[0]?.id, id);
      const records = await auditOf(service, `entry:${entryId}`);
      assert.deepEqual(
        records.map(({ action, details: { after: told } }) => [action, told]),
        [
          ['erasure.requested', { request: id }],
          ['erasure.confirmed', { request: id }],
          ['entry.erased', null],
        ],
      );
    });

    it('is refused by an admin, and can be asked for again', async () => {
      const list = await service.waitlist();
      const { entryId, id } = await asked(list);
      const refused = succeeded(await decide(list, id, 'refuse'));
      assert.deepEqual([refused.decision, refused.reason, refused.entry.missing], ['refused', null, null]);
      for (const decision of ['confirm', 'refuse'] as const)
        assertError(await decide(list, id, decision), 409, 'conflict', /already refused/);
      assert.equal((await ask('GET', of(list, `/entries/${entryId}`))).body.email, 'ada@example.com');
      service.clock.now += 1;
      succeeded(await request(list, entryId), 201);
      const { requests } = await page(list, `?entry=${entryId}`, 'support');
      assert.deepEqual(
        requests.map(({ decision }) => decision),
        [null, 'refused'],
      );
    });

    it('is asked for by support, decided by admins, and hidden from viewers', async () => {
      const list = await service.waitlist();
      const { entryId, id } = await asked(list);
      for (const decision of ['confirm', 'refuse'] as const)
        assertError(await decide(list, id, decision, 'support'), 403, 'forbidden');
      assertError(await request(list, entryId, {}, 'viewer'), 403, 'forbidden');
      assertError(await ask('GET', of(list, '/erasure-requests'), { role: 'viewer' }), 403, 'forbidden');
      assert.equal((await page(list, '', 'support')).requests.length, 1);
    });

    it('is asked for once, about somebody who is there', async () => {
      const list = await service.waitlist();
      const { entryId } = await asked(list);
      assertError(await request(list, entryId), 409, 'conflict', /asked for already/);
      assertError(await request(list, 'ent_none'), 404, 'not_found');
      const other = await service.waitlist();
      assertError(await request(other, entryId), 404, 'not_found');
      const gone = await person(list, 'gone@example.com');
      await eraseEntry(service.context, await list.queue(), gone);
      assertError(await request(list, gone), 409, 'conflict', /was erased/);
      const long = await person(list, 'long@example.com');
      assertError(await request(list, long, { reason: 'x'.repeat(501) }), 400, 'invalid_request', /^reason/);
      assertError(await request(list, long, { because: 'x' }), 400, 'invalid_request', /because/);
      succeeded(await request(list, long, { reason: '🦊'.repeat(500) }), 201);
    });

    it('of one waitlist is unknown in another', async () => {
      const { id } = await asked(await service.waitlist());
      const other = await service.waitlist();
      for (const unknown of [id, 'ers_none', 'x'])
        assertError(await decide(other, unknown, 'confirm'), 404, 'not_found');
      assert.deepEqual(await page(other), { requests: [], open: 0, nextCursor: null });
    });

    it('is decided once, whoever is faster', async () => {
      for (let round = 0; round < 4; round += 1) {
        const list = await service.waitlist();
        const { entryId, id } = await asked(list);
        const answers = await Promise.all(
          (['confirm', 'refuse', 'confirm', 'refuse'] as const).map((decision) => decide(list, id, decision)),
        );
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409]);
        const { body } = await ask<{ missing: string | null }>('GET', of(list, `/entries/${entryId}`));
        const [decided] = (await page(list)).requests;
        assert.equal(body.missing, decided?.decision === 'confirmed' ? 'erased' : null);
      }
    });

    it('is settled by an erasure that did not wait for it', async () => {
      const list = await service.waitlist();
      const { entryId, id } = await asked(list);
      const path = of(list, `/entries/${entryId}?erase=true`);
      succeeded(await ask('DELETE', path, { body: { confirm: entryId } }));
      const [request] = (await page(list)).requests;
      assert.deepEqual([request?.id, request?.decision, request?.reason], [id, 'confirmed', null]);
      assertError(await decide(list, id, 'confirm'), 409, 'conflict');
    });

    it('is gone with somebody who never joined', async () => {
      const list = await service.waitlist();
      const { entryId } = await asked(list);
      const body = { confirm: entryId, neverJoined: true };
      succeeded(await ask('DELETE', of(list, `/entries/${entryId}?erase=true`), { body }));
      assert.deepEqual(await page(list), { requests: [], open: 0, nextCursor: null });
    });

    it('is listed in pages, newest first', async () => {
      const list = await service.waitlist();
      const ids: string[] = [];
      for (const n of [1, 2, 3]) {
        service.clock.now += 1;
        ids.unshift((await asked(list, `p${n}@example.com`)).id);
      }
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const found: Page = await page(list, `?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
        assert.equal(found.open, 3);
        seen.push(...found.requests.map(({ id }) => id));
        cursor = found.nextCursor;
      }
      assert.deepEqual(seen, ids);
      assertError(await ask('GET', of(list, '/erasure-requests?cursor=x')), 400, 'invalid_request');
    });

    it('leaves no reason behind once the person is erased', async () => {
      const list = await service.waitlist();
      const { id } = await asked(list);
      const stored = async () =>
        service.context.db.query
          .selectFrom('erasure_request')
          .select('reason')
          .where('queue_id', '=', (await list.queue()).id)
          .executeTakeFirstOrThrow();
      const sealed = (await stored()).reason ?? assert.fail('no reason is stored');
      if (engine === 'postgres')
        assert.equal((await dumpTables(service.storage)).includes('Unforgettable'), false);
      succeeded(await decide(list, id, 'confirm'));
      assert.equal((await stored()).reason, null);
      if (engine === 'postgres')
        assert.equal(
          (await dumpTables(service.storage)).includes(Buffer.from(sealed).toString('hex')),
          false,
        );
    });

    it('is listed, confirmed and refused on the command line', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'ada@example.com' }, { email: 'bob@example.com' });
      const { environment } = service.storage;
      const of = ['--waitlist', list.id];
      const run = async (...words: string[]) => (await typed(environment, ...words, ...of)).out;
      const why = ['--reason', REASON];
      const first = await jsonOf<Request>(
        environment,
        'erasure',
        'request',
        'ada@example.com',
        ...why,
        ...of,
      );
      const second = await jsonOf<Request>(environment, 'erasure', 'request', 'bob@example.com', ...of);
      assert.match(await run('erasure', 'list'), /ada@example\.com.*open.*Unforgettable/);
      assert.match(await run('erasure', 'confirm', first.id), /Erased ent_/);
      assert.match(await run('erasure', 'refuse', second.id), /Refused ers_/);
      const listed = await jsonOf<Request[]>(environment, 'erasure', 'list', '--state', 'decided', ...of);
      assert.deepEqual(listed.map(({ decision }) => decision).sort(), ['confirmed', 'refused']);
    });
  });
});
