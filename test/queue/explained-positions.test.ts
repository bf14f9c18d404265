import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createCode } from '../../src/waitlist/codes/change-codes.ts';
import type { PositionReasons } from '../../src/waitlist/entries/explain-position.ts';
import { updateEntry } from '../../src/waitlist/entries/update-entry.ts';
import { signLink } from '../../src/waitlist/links/links.ts';
import { documentedClient } from '../support/documented-client.ts';
import { openForm } from '../support/forms.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { createStorage, type Storage, unique } from '../support/storage.ts';
import { command, typed } from '../support/terminal.ts';

forEachEngine((engine) => {
  describe('why somebody has their position', () => {
    let storage: Storage;
    let service: Service;
    before(async () => {
      storage = await createStorage(engine, { migrated: true });
      service = await startService(engine, { storage, startAt: Date.now() });
    });
    after(async () => {
      await service.close();
      await storage.remove();
    });

    const idOf = async (list: List, email: string) => (await list.lookup(email)).body.id;
    const explained = async (list: List, email: string): Promise<PositionReasons> => {
      const viewer = await documentedClient(service, 'viewer');
      const path = `/waitlists/${list.id}/entries/${await idOf(list, email)}/position`;
      return (await viewer.call<PositionReasons>('getEntryPosition', 'GET', path)).body;
    };
    /** Twelve people: the last one refers three friends, an operator moves somebody, and one leaves. */
    const crowd = async () => {
      const list = await service.waitlist();
      await list.signup(...Array.from({ length: 12 }, (_, n) => ({ email: `p${n + 1}@example.com` })));
      const friend = (n: number) => ({ email: `friend${n}@example.com`, referredBy: 'p12@example.com' });
      await list.signup(friend(1), friend(2));
      const queue = await list.queue();
      await updateEntry(service.context, queue, await idOf(list, 'p9@example.com'), { position: 2 });
      await list.invite('p3@example.com');
      return list;
    };

    it('is told in numbers that the whole order follows from', async () => {
      const list = await crowd();
      const { entries } = (await list.page({ sort: 'position', limit: 200 })).body;
      const reasons = await Promise.all(entries.map(({ email }) => explained(list, email ?? '')));
      assert.deepEqual(
        reasons.map(({ position }) => position),
        entries.map((_, n) => n + 1),
      );
      assert.ok(reasons.every(({ waiting }) => waiting === entries.length));
      const rank = ({ joinedAs, referrals, boost, advanced, moved }: PositionReasons) =>
        joinedAs - referrals * boost - advanced + moved;
      assert.deepEqual(
        reasons.toSorted((a, b) => rank(a) - rank(b) || b.joinedAs - a.joinedAs),
        reasons,
      );
      const { moved, ...counted } = await explained(list, 'p12@example.com');
      assert.deepEqual(counted, {
        ...{ position: 3, waiting: 13, joinedAs: 12, referrals: 2, boost: 5 },
        ...{ advanced: 0, code: null },
      });
      assert.equal(moved, 0);
      assert.ok((await explained(list, 'p9@example.com')).moved < 0);
      assert.equal((await explained(list, 'p3@example.com')).position, null);
    });

    it('is told of nobody else', async () => {
      const list = await crowd();
      const other = await service.waitlist();
      const { key } = await documentedClient(service, 'viewer');
      for (const id of [await idOf(list, 'p1@example.com'), 'ent_none'])
        assertError(
          await service.request('GET', `/admin/v1/waitlists/${other.id}/entries/${id}/position`, { key }),
          404,
          'not_found',
        );
    });

    it('is told on the command line', async () => {
      const list = await crowd();
      const words = ['entry', 'position', 'p12@example.com', '--waitlist', list.id];
      const { json } = await command<PositionReasons>(storage.environment, ...words);
      assert.deepEqual(json, await explained(list, 'p12@example.com'));
      assert.match(
        (await typed(storage.environment, ...words)).out,
        /^3 of 13 waiting:\n {2}joined as number 12\n {2}2 referrals × 5: counts as joined 10 places earlier$/m,
      );
    });

    it('is told to the person, in words, and not to somebody who typed their address', async () => {
      const form = await openForm(service);
      await form.list.signup({ email: 'first@example.com' }, { email: 'ada@example.com' });
      await form.list.signup({ email: 'friend@example.com', referredBy: 'ada@example.com' });
      const told = async (path: string) => {
        const { body } = await service.request<{ positionReasons: string | null }>('GET', path, {
          headers: { accept: 'application/json' },
        });
        return body.positionReasons;
      };
      const id = await idOf(form.list, 'ada@example.com');
      const own = `/s/${signLink(form.queue, 'status', { id, at: service.clock.now })}`;
      assert.equal(
        await told(own),
        'You were number 2 to join. Your referrals count as joining 5 places earlier.',
      );
      assert.equal(
        await told(`${own}?lang=ja`),
        '2番目に登録しました。紹介により、5番早く登録したものとして数えられます。',
      );
      const { code } = await createCode(service.context, form.queue, {
        ...{ code: unique('why-').slice(0, 20), does: 'advance', places: 50, limit: 1 },
      });
      await form.list.signup({ email: 'kim@example.com', code });
      const kim = await idOf(form.list, 'kim@example.com');
      assert.equal(
        await told(`/s/${signLink(form.queue, 'status', { id: kim, at: service.clock.now })}`),
        `You were number 4 to join. With the code ${code}, you count as joining 50 places earlier.`,
      );
      await updateEntry(service.context, form.queue, id, { position: 3 });
      assert.match((await told(own)) ?? '', /The team moved you in line\.$/);
      for (const email of ['ada@example.com', 'nobody@example.com']) {
        const { statusUrl = '' } = (await form.join({ email })).body;
        assert.equal(await told(new URL(statusUrl).pathname), null, email);
      }
    });
  });
});
