import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { confirmEntry } from '../../src/waitlist/entries/confirm-entry.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { type OpenForm, openForm } from '../support/forms.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { adminToken } from '../support/operators.ts';

interface SameMailbox {
  entries: { email: string; status: string }[];
  more: boolean;
}
interface Reviews {
  reviews: { id: string; entry: { email: string }; credited: boolean; sharedMailbox: string | null }[];
}

forEachEngine((engine) => {
  let service: Service;
  let key: string;
  before(async () => {
    service = await startService(engine);
    key = await adminToken(service, 'support');
  });
  after(() => service.close());

  const referralsOf = async (list: List, email: string) => (await list.lookup(email)).body.referrals;
  const sharing = async (list: List, email: string) => {
    const { id } = (await list.lookup(email)).body;
    const path = `/admin/v1/waitlists/${list.id}/entries/${id}/mailbox`;
    return (await service.request<SameMailbox>('GET', path, { key })).body;
  };
  const hashesIn = async (list: List) => {
    const { id } = await list.queue();
    const rows = await service.context.db.query
      .selectFrom('entry')
      .select('mailbox_hash')
      .where('queue_id', '=', id)
      .orderBy('seq')
      .execute();
    return rows.map(({ mailbox_hash }) => mailbox_hash && Buffer.from(mailbox_hash).toString('hex'));
  };

  describe('addresses of one mailbox', () => {
    it('are different people on the waitlist', async () => {
      const list = await service.waitlist();
      const { body } = await list.signup(
        { email: 'ada@gmail.com' },
        { email: 'a.d.a@gmail.com' },
        { email: 'ada+1@gmail.com' },
      );
      assert.deepEqual([body.created, body.skipped], [3, 0]);
    });

    it('give one credit, whoever refers them, in one request or several', async () => {
      const list = await service.waitlist();
      const referredBy = 'ref@example.com';
      await list.signup({ email: referredBy }, { email: 'other@example.com' });
      await list.signup(
        { email: 'bea+1@example.com', referredBy },
        { email: 'bea+2@example.com', referredBy },
        { email: 'cleo@example.com', referredBy },
      );
      await list.signup(
        { email: 'bea@example.com', referredBy },
        { email: 'cleo+x@example.com', referredBy },
      );
      await list.signup({ email: 'bea+3@example.com', referredBy: 'other@example.com' });
      assert.equal(await referralsOf(list, referredBy), 2);
      assert.equal(await referralsOf(list, 'other@example.com'), 0);
      assert.deepEqual((await recountQueue(service.context, await list.queue(), false)).findings, []);
    });

    it('give none to themselves', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'ada+first@googlemail.com' });
      await list.signup(
        { email: 'ada@gmail.com', referredBy: 'ada+first@googlemail.com' },
        { email: 'a.da@gmail.com', referredBy: 'ada@gmail.com' },
      );
      assert.equal(await referralsOf(list, 'ada+first@googlemail.com'), 0);
      assert.equal(await referralsOf(list, 'ada@gmail.com'), 0);
    });

    it('give one credit when they are confirmed, and another once the first is gone', async () => {
      const { context } = service;
      const list = await service.waitlist();
      const queue = await list.queue();
      const referredBy = 'ref@example.com';
      await list.signup({ email: referredBy });
      await updateWaitlist(context, list.id, { confirmEmails: true });
      const emails = ['dan@example.com', 'dan+1@example.com', 'dan+2@example.com'];
      await list.signup(...emails.map((email) => ({ email, referredBy })));
      const ids = await Promise.all(emails.map(async (email) => (await list.lookup(email)).body.id));
      for (const id of ids.slice(0, 2)) await confirmEntry(context, queue, id);
      assert.equal(await referralsOf(list, referredBy), 1);
      await eraseEntry(context, queue, 'dan@example.com');
      assert.equal(await referralsOf(list, referredBy), 0);
      await confirmEntry(context, queue, ids[2] as string);
      assert.equal(await referralsOf(list, referredBy), 1);
    });

    it('are listed for each other, a bounded number', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'eva@example.com' }, { email: 'eve@example.com' });
      await list.signup(...Array.from({ length: 25 }, (_, i) => ({ email: `eva+${i}@example.com` })));
      const first = await sharing(list, 'eva@example.com');
      assert.deepEqual([first.entries.length, first.more], [20, true]);
      const alias = await sharing(list, 'eva+3@example.com');
      assert.ok(alias.entries.some(({ email }) => email === 'eva@example.com'));
      assert.ok(!alias.entries.some(({ email }) => email === 'eva+3@example.com'));
      assert.deepEqual(await sharing(list, 'eve@example.com'), { entries: [], more: false });
    });
  });

  describe('the hash of a mailbox', () => {
    it('is stored only where the mailbox is not the address itself, and erased with the person', async () => {
      const list = await service.waitlist();
      await list.signup(
        { email: 'ada@example.com' },
        { email: 'ada+1@example.com' },
        { phone: '+14155550100' },
      );
      const [first, second, third] = await hashesIn(list);
      assert.deepEqual([first, third], [null, null]);
      assert.match(second ?? '', /^[0-9a-f]{64}$/);
      await eraseEntry(service.context, await list.queue(), 'ada+1@example.com');
      assert.deepEqual(await hashesIn(list), [null, null, null]);
    });
  });

  describe('a referral through the form that shares a mailbox', () => {
    const reviewsOf = async ({ list }: OpenForm) =>
      (await service.request<Reviews>('GET', `/admin/v1/waitlists/${list.id}/referral-reviews`, { key })).body
        .reviews;

    it('is answered like others, and left to an operator', async () => {
      const form = await openForm(service);
      const { list } = form;
      await list.signup({ email: 'ref@example.com' });
      const ref = (await list.lookup('ref@example.com')).body.referralCode;
      const states = [];
      for (const email of ['ref+1@example.com', 'fay@example.com', 'fay+1@example.com'])
        states.push((await form.join({ email, ref })).body.state);
      assert.deepEqual(states, ['joined', 'joined', 'joined']);
      assert.equal(await referralsOf(list, 'ref@example.com'), 1);
      const reviews = await reviewsOf(form);
      assert.deepEqual(
        reviews.map(({ entry, sharedMailbox, credited }) => [entry.email, sharedMailbox, credited]),
        [
          ['fay+1@example.com', 'credited', false],
          ['ref+1@example.com', 'referrer', false],
        ],
      );
      const path = `/admin/v1/waitlists/${list.id}/referral-reviews/${reviews[0]?.id}`;
      const decided = await service.request<{ credited: boolean }>('POST', path, {
        key,
        body: { decision: 'credit' },
      });
      assert.equal(decided.body.credited, true, decided.text);
      assert.equal(await referralsOf(list, 'ref@example.com'), 2);
    });
  });
});
