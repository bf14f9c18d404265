import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { moveEntries } from '../../src/waitlist/entries/move-entry.ts';
import { changeQueue } from '../../src/waitlist/queue/change-queue.ts';
import { rankInSql, rankOf } from '../../src/waitlist/referrals/rank.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { forEachEngine, type Service, startService } from '../support/harness.ts';

forEachEngine((engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  describe('a pending entry', () => {
    for (const to of ['waiting', 'invited', 'joined'] as const) {
      it(`credits its referrer when it moves to ${to}, up to the cap`, async () => {
        const { context } = service;
        const list = await service.waitlist();
        const queue = await list.queue();
        await list.signup({ email: 'first@example.com' }, { email: 'referrer@example.com' });
        await updateWaitlist(context, list.id, { confirmEmails: true, referralCap: 1 });
        await list.signup(
          { email: 'a@example.com', referredBy: 'referrer@example.com' },
          { email: 'b@example.com', referredBy: 'referrer@example.com' },
        );
        const pending = [3, 4].map((seq) => ({ seq, status: 'pending', rank: seq }) as const);
        await changeQueue(context, queue, (change) => moveEntries(change, pending, to));
        const { referrals, position } = (await list.lookup('referrer@example.com')).body;
        assert.deepEqual([referrals, position], [1, 1]);
        const credited = (await list.walk()).map(({ referredBy }) => referredBy);
        assert.deepEqual(credited, [null, null, 'referrer@example.com', null]);
        assert.deepEqual((await recountQueue(context, queue, false)).findings, []);
      });
    }
  });

  describe('a rank', () => {
    it('is the same computed in JavaScript and in SQL', async () => {
      const { context } = service;
      const list = await service.waitlist();
      const queue = await list.queue();
      await list.signup(
        { email: 'a@example.com' },
        { email: 'b@example.com', referredBy: 'a@example.com' },
        { email: 'c@example.com', referredBy: 'a@example.com' },
        { email: 'd@example.com', referredBy: 'c@example.com' },
      );
      for (const boost of [0, 1, 5, 1_000]) {
        const rows = await context.db.query
          .selectFrom('entry')
          .select([
            'seq',
            'closed',
            'opened',
            'referrals',
            'advanced',
            'moved',
            rankInSql(boost).as('computed'),
          ])
          .where('queue_id', '=', queue.id)
          .orderBy('seq')
          .execute();
        assert.deepEqual(
          rows.map(({ computed }) => computed),
          rows.map((row) => rankOf(row, boost)),
        );
        assert.deepEqual(
          rows.map(({ referrals }) => referrals),
          [2, 0, 1, 0],
        );
      }
    });
  });
});
