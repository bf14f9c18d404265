import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { FewAtOnce } from '../../src/lib/few-at-once.ts';
import { parseId } from '../../src/lib/ids.ts';
import { openOperationParts } from '../../src/operations/core/open-parts.ts';
import { perform } from '../../src/operations/core/perform.ts';
import { searchEntries } from '../../src/operations/entries/search-entries.ts';
import { COMMAND_LINE } from '../../src/operators/roles.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { lookThrough } from '../../src/waitlist/finding/look-through.ts';
import { sealVisit } from '../../src/waitlist/forms/visits.ts';
import { signLink } from '../../src/waitlist/links/links.ts';
import { LINK_BYTES, visitCodeOf } from '../../src/waitlist/referrals/referral-code.ts';
import type { PresentedEntry } from '../../src/wire/entry.ts';
import { type AskInRoles, askInRoles, auditOf } from '../support/admin.ts';
import { crowdEmail, fillQueue } from '../support/crowd.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { createStorage, type Storage } from '../support/storage.ts';
import { command, typed } from '../support/terminal.ts';

interface Page {
  entries: PresentedEntry[];
  looked: number;
  unreadable: number;
  total: number;
  nextCursor: string | null;
}

/** Resolves as soon as somebody does. */
function listensTo(signal: string): Promise<void> {
  return new Promise((resolve) => {
    const seen = (name: string | symbol) => {
      if (name !== signal) return;
      process.off('newListener', seen);
      resolve();
    };
    process.on('newListener', seen);
  });
}

forEachEngine('concurrency', (engine) => {
  describe('a search through everybody', () => {
    let storage: Storage;
    let service: Service;
    let ask: AskInRoles;
    let crowd: List;
    before(async () => {
      storage = await createStorage(engine, { migrated: true });
      service = await startService(engine, { storage });
      ask = await askInRoles(service, 'support');
      crowd = await service.waitlist();
      await fillQueue(service.context, await crowd.queue(), CROWD, (n) => ({
        email: crowdEmail(n),
        metadata: { name: n % 10 === 0 ? `Tenth ${n}` : 'Someone' },
      }));
    });
    after(async () => {
      await service.close();
      await storage.remove();
    });

    /** More than four steps. */
    const CROWD = 2_100;
    const search = (of: List, q: string, { role = 'support', ...query }: Record<string, string> = {}) =>
      ask<Page>('GET', `/waitlists/${of.id}/entries/search?${new URLSearchParams({ q, ...query })}`, {
        role,
      });
    const page = async (of: List, q: string, query: Record<string, string> = {}) => {
      const { status, body, text } = await search(of, q, query);
      assert.equal(status, 200, text);
      return body;
    };
    /** All pages, and what happens between them. */
    const walk = async (of: List, q: string, between: (page: Page) => Promise<unknown> = async () => {}) => {
      const pages = [await page(of, q)];
      for (;;) {
        const last = pages.at(-1) as Page;
        if (last.nextCursor === null) return pages;
        await between(last);
        pages.push(await page(of, q, { cursor: last.nextCursor }));
      }
    };
    const emails = (pages: readonly Page[]) =>
      pages.flatMap(({ entries }) => entries.map(({ email }) => email));
    const found = async (of: List, q: string) => emails(await walk(of, q));

    it('finds people by parts of an address, of metadata and of a phone number, in join order', async () => {
      const of = await service.waitlist();
      await of.signup(
        { email: 'zoe@engines.example', metadata: { name: 'Zoë Ångström', company: { city: 'Århus' } } },
        { email: 'ada@engines.example', phone: '+4915112340567', metadata: { name: 'Ada Lovelace' } },
        {
          email: 'grace@navy.example',
          metadata: { name: 'Grace Hopper' },
          referredBy: 'ada@engines.example',
        },
      );
      assert.deepEqual(await found(of, 'engines.example'), ['zoe@engines.example', 'ada@engines.example']);
      for (const q of ['ANGSTROM', 'aarhus', 'arhus', ' zoe '])
        assert.deepEqual(await found(of, q), q === 'aarhus' ? [] : ['zoe@engines.example'], q);
      for (const q of ['lovelace', 'lovelace ada', '0567', '0151 1234-0567'])
        assert.deepEqual(await found(of, q), ['ada@engines.example'], q);
      const [only] = await walk(of, 'hopper');
      assert.deepEqual(
        [only?.looked, only?.total, only?.unreadable, only?.nextCursor, only?.entries.length],
        [3, 3, 0, null, 1],
      );
      assert.equal(only?.entries[0]?.position, 3);
      assert.equal(only?.entries[0]?.referredBy, 'ada@engines.example');
      const development = await page(of, 'hopper', { environment: 'development' });
      assert.deepEqual([development.entries, development.total], [[], 0]);
    });

    it('begins with the exact match, which is not found again', async () => {
      const of = await service.waitlist();
      await of.signup(
        { email: 'ada@example.community' },
        { email: 'Ada@Example.com', phone: '+4915112340567' },
      );
      assert.deepEqual(await found(of, 'ada@example.com'), ['Ada@Example.com', 'ada@example.community']);
      assert.deepEqual(await found(of, '+49 151 1234 0567'), ['Ada@Example.com']);
      const { referralCode } = (await of.lookup('ada@example.com')).body;
      assert.deepEqual(await found(of, referralCode ?? ''), ['Ada@Example.com']);
    });

    it('looks at nobody else for an id or a link, as it was pasted', async () => {
      const of = await service.waitlist();
      await of.signup(
        { email: 'ada@example.com' },
        { email: 'b@example.com', metadata: { site: 'https://b.example/x' } },
      );
      const queue = await of.queue();
      const { code } = await of.invite('ada@example.com');
      const { id, referralCode } = (await of.lookup('ada@example.com')).body;
      const at = service.clock.now;
      const token = (purpose: 'confirm' | 'leave' | 'status') => signLink(queue, purpose, { id, at });
      const shared = randomBytes(LINK_BYTES);
      const visit = sealVisit(queue, { seq: 1, place: 1, known: false, advanced: 0, link: shared });
      const site = 'https://doorlist.example';
      for (const q of [
        id,
        `${site}/confirm/${token('confirm')}`,
        `<${site}/s/${token('status')}>.`,
        `doorlist.example/unsubscribe/${token('leave')}`,
        `${site}/s/${visit}`,
        `${site}/join/${code}`,
        `(acme.example/?code=${code}),`,
        `${site}/w/${of.id}?ref=${referralCode}`,
        `${site}/w/${of.id}?ref=${visitCodeOf(queue, 1, shared)}`,
      ]) {
        const { entries, looked, total, nextCursor } = await page(of, q);
        assert.deepEqual(
          entries.map(({ email }) => email),
          ['ada@example.com'],
          q,
        );
        assert.deepEqual([looked, total, nextCursor], [0, 2, null], q);
      }
      assert.deepEqual(
        await found(of, 'https://b.example'),
        ['b@example.com'],
        'a link that is nobody’s is a text',
      );
      const records = await auditOf(service, `waitlist:${of.id}/production`);
      assert.deepEqual(
        records.map(({ action }) => action),
        ['entries.read', 'entries.searched'],
      );
    });

    it('goes on where a page stopped: nobody is missed or found twice while others join, leave and are erased', async () => {
      const all = Array.from({ length: CROWD / 10 }, (_, n) => crowdEmail(10 * n));
      let late = 0;
      const pages = await walk(crowd, 'tenth', async () => {
        late += 1;
        await crowd.signup({ email: `late${late}@example.com`, metadata: { name: 'Tenth, but late' } });
        if (late === 1) await eraseEntry(service.context, await crowd.queue(), crowdEmail(2_000));
      });
      assert.deepEqual(
        emails(pages),
        all.filter((email) => email !== crowdEmail(2_000)),
      );
      assert.equal(pages[0]?.entries.length, 50);
      assert.deepEqual(
        pages.map(({ total }) => total),
        pages.map(() => CROWD),
      );
      const looked = pages.map((each) => each.looked);
      assert.deepEqual(
        looked,
        looked.toSorted((a, b) => a - b),
      );
      assert.equal(looked.at(-1), CROWD);
      assert.deepEqual((await found(crowd, 'tenth late')).length, late, 'whoever is there by now');
      assert.deepEqual(await found(crowd, 'no such person'), []);
    });

    it('refuses the cursor of another text, of somebody else or of nobody', async () => {
      const { nextCursor } = await page(crowd, 'e');
      assert.ok(nextCursor);
      const other = await service.waitlist();
      for (const answer of [
        await search(crowd, 'f', { cursor: nextCursor }),
        await search(crowd, 'e', { cursor: nextCursor, role: 'admin' }),
        await search(other, 'e', { cursor: nextCursor }),
        await search(crowd, 'e', { cursor: nextCursor.slice(0, -2) }),
      ])
        assertError(answer, 400, 'invalid_request', /^cursor:/);
      for (const q of ['', '  ', 'x'.repeat(201)])
        assertError(await search(crowd, q), 400, 'invalid_request', /^q:/);
      assertError(await ask('GET', `/waitlists/${crowd.id}/entries/search`), 400, 'invalid_request', /^q:/);
      assertError(await search({ ...crowd, id: 'wl_nothing' }, 'e'), 404, 'not_found');
    });

    it('is refused to viewers, and recorded once for all pages, without the text', async () => {
      const of = await service.waitlist();
      await fillQueue(service.context, await of.queue(), 120);
      assertError(await search(of, 'crowd', { role: 'viewer' }), 403, 'forbidden');
      assert.equal((await walk(of, 'crowd')).length, 3);
      await walk(of, 'crowd1');
      const records = await auditOf(service, `waitlist:${of.id}/production`);
      assert.deepEqual(
        records.map(({ action, details }) => [action, details.actorName, details.after]),
        [
          ['entries.read', 'support', null],
          ['entries.searched', 'support', null],
          ['entries.searched', 'support', null],
        ],
      );
      assert.doesNotMatch(JSON.stringify(records), /crowd/);
      assert.doesNotMatch(service.log.join('\n'), /crowd|tenth/i);
    });

    it('skips who cannot be decrypted, and counts them', async () => {
      const of = await service.waitlist();
      await of.signup({ email: 'a@example.com' }, { email: 'b@example.com' }, { email: 'c@example.com' });
      const { id } = (await of.lookup('b@example.com')).body;
      await service.context.db.query
        .updateTable('entry')
        .set({ person: Buffer.from('damaged') })
        .where('queue_id', '=', (await of.queue()).id)
        .where('id', '=', parseId('ent', id) as Buffer)
        .execute();
      for (const q of ['example.com', 'b@example.com']) {
        const { entries, looked, unreadable, total } = await page(of, q);
        assert.deepEqual(
          entries.map(({ email }) => email),
          q === 'example.com' ? ['a@example.com', 'c@example.com'] : [],
        );
        assert.deepEqual([looked, unreadable, total], [3, 1, 3]);
      }
    });

    it('looks at a few at a time, and answers others in between', async () => {
      const events: string[] = [];
      const { looked } = await lookThrough(
        service.context,
        await crowd.queue(),
        { text: 'nobody at all', caller: 'test' },
        {
          inTurn: async (step) => {
            const done = await step();
            events.push('step');
            assert.equal((await crowd.lookup(crowdEmail(1))).status, 200);
            events.push('other');
            return done;
          },
          goesOn: () => true,
          willLook: async () => void events.push('recorded'),
        },
      );
      assert.ok(looked >= CROWD);
      const steps = Math.ceil((looked + 1) / 500);
      assert.deepEqual(events, [
        'recorded',
        ...Array.from({ length: steps }, () => ['step', 'other']).flat(),
      ]);
    });

    it('ends a page early when its caller asks for another, and goes on with its cursor', async () => {
      const parts = await openOperationParts(service.context, service.config);
      const actor = { ...COMMAND_LINE, id: 'one' as string | null };
      const look = async (q: string, who = actor, cursor?: string, beside = async () => {}) => {
        const searchTurn: FewAtOnce = async (_caller, step) => {
          const done = await step();
          await beside();
          return done;
        };
        const query = { environment: undefined, q, ...(cursor === undefined ? {} : { cursor }) };
        const input = { params: { waitlistId: crowd.id }, query, body: undefined };
        return (await perform(searchEntries, { ...parts, searchTurn }, who, input)).value as Page;
      };
      const others: Page[] = [];
      const first = await look('first', actor, undefined, async () => void others.push(await look('second')));
      assert.deepEqual([first.looked, others.length], [500, 1]);
      assert.ok(first.nextCursor);
      assert.deepEqual([others[0]?.nextCursor, others[0]?.looked], [null, others[0]?.total]);
      const rest = await look('first', actor, first.nextCursor, async () => {
        others.push(await look('beside', { ...actor, id: 'another' }));
      });
      assert.deepEqual([rest.looked, rest.nextCursor], [rest.total, null], 'nobody else ends it');
    });

    it('stops when nobody waits for it any more', async () => {
      let steps = 0;
      const { looked, next } = await lookThrough(
        service.context,
        await crowd.queue(),
        { text: 'nobody', caller: 'test' },
        {
          inTurn: (step) => {
            steps += 1;
            return step();
          },
          goesOn: () => steps < 2,
          willLook: async () => {},
        },
      );
      assert.deepEqual([steps, looked], [2, 1_000]);
      assert.ok(next);
    });

    it('is a command, which says what it found when it is interrupted', async () => {
      const at = ['--waitlist', crowd.id];
      const whole = await command<Page & { complete: boolean }>(
        storage.environment,
        'entry',
        'search',
        'tenth 30',
        ...at,
      );
      assert.equal(whole.code, 0, whole.error);
      assert.ok(whole.json.entries.some(({ email }) => email === crowdEmail(300)));
      assert.deepEqual([whole.json.complete, whole.json.looked], [true, whole.json.total]);
      const none = await typed(storage.environment, 'entry', 'search', 'no such person', ...at);
      assert.deepEqual([none.code, none.out], [0, 'Nobody was found.']);
      assert.equal((await typed(storage.environment, 'entry', 'search', 'x'.repeat(201), ...at)).code, 1);

      const listeners = process.listenerCount('SIGINT');
      const listening = listensTo('SIGINT'); // Looking for it later could be after the command is over.
      const interrupted = command<Page & { complete: boolean }>(
        storage.environment,
        'entry',
        'search',
        'tenth',
        ...at,
      );
      await listening;
      process.emit('SIGINT');
      const { code, json } = await interrupted;
      assert.deepEqual([code, json.complete, json.entries.length], [130, false, 50]);
      assert.equal(process.listenerCount('SIGINT'), listeners);
    });
  });
});
