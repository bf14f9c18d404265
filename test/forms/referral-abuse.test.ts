import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { confirmEntry } from '../../src/waitlist/entries/confirm-entry.ts';
import { forgetExpired } from '../../src/waitlist/forms/forget.ts';
import { SOURCE_SIGNUPS_MAX } from '../../src/waitlist/forms/limits.ts';
import { removeEntry, restoreEntry } from '../../src/waitlist/invites/removal.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { type OpenForm, openForm } from '../support/forms.ts';
import { assertError, forEachEngine, type Service, startService } from '../support/harness.ts';
import { adminToken } from '../support/operators.ts';

interface Review {
  id: string;
  entry: { email: string; status: string; id: string };
  referrer: { email: string; referrals: number } | null;
  credited: boolean;
  decision: string | null;
}

forEachEngine((engine) => {
  describe('referrals from one network', () => {
    let service: Service;
    let key: string;
    before(async () => {
      service = await startService(engine, { environment: { DOORLIST_TRUSTED_PROXIES: '127.0.0.1' } });
      key = await adminToken(service, 'support');
    });
    after(() => service.close());

    const from = (address: string) => ({
      headers: { 'x-forwarded-for': address, 'content-type': 'application/json' },
    });
    const path = (form: OpenForm, suffix = '') =>
      `/admin/v1/waitlists/${form.list.id}/referral-reviews${suffix}`;
    const reviews = async (form: OpenForm, query = '') =>
      (
        await service.request<{ reviews: Review[]; nextCursor: string | null }>('GET', path(form, query), {
          key,
        })
      ).body;
    const decide = (form: OpenForm, id: string, decision: string, as = key) =>
      service.request<Review>('POST', path(form, `/${id}`), { key: as, body: { decision } });
    const referrals = async (form: OpenForm) => (await form.list.lookup('ada@example.com')).body.referrals;

    /** As many as may be credited, and some more. */
    const flood = async (more: number, address = (i: number) => `192.0.2.${i}`) => {
      const form = await openForm(service);
      await form.list.signup({ email: 'ada@example.com' });
      const ref = (await form.list.lookup('ada@example.com')).body.referralCode;
      const states = [];
      for (let i = 0; i < SOURCE_SIGNUPS_MAX + more; i += 1)
        states.push((await form.join({ email: `friend${i}@example.com`, ref }, from(address(i)))).body.state);
      return { form, states, ref };
    };

    it('are credited up to a rate, then kept until the email is confirmed', async () => {
      const { form, states } = await flood(2);
      assert.deepEqual(states.slice(-3), ['joined', 'confirm', 'confirm']);
      assert.equal(await referrals(form), SOURCE_SIGNUPS_MAX);
      const open = await reviews(form);
      assert.deepEqual(
        open.reviews.map(({ entry, referrer, credited, decision }) => [
          entry.email,
          entry.status,
          referrer?.email,
          credited,
          decision,
        ]),
        [6, 5].map((i) => [`friend${i}@example.com`, 'pending', 'ada@example.com', false, null]),
      );
      await confirmEntry(service.context, form.queue, open.reviews[0]?.entry.id ?? '');
      assert.equal(await referrals(form), SOURCE_SIGNUPS_MAX + 1);
      assert.equal((await reviews(form)).reviews[0]?.credited, true);
    });

    it('count separately for each network, referrer and day', async () => {
      const spread = await flood(2, (i) => `198.51.${i}.7`);
      assert.deepEqual(new Set(spread.states), new Set(['joined']));
      const six = await flood(1, (i) => `2001:db8:0:1::${i}`);
      assert.equal(six.states.at(-1), 'confirm');
      const other = await six.form.join(
        { email: 'other@example.com', ref: 'friend0@example.com' },
        from('2001:db8:0:1::9'),
      );
      assert.equal(other.body.state, 'joined');
      service.clock.advance(25 * 60 * 60 * 1000);
      const later = await six.form.join(
        { email: 'later@example.com', ref: six.ref },
        from('2001:db8:0:1::9'),
      );
      assert.equal(later.body.state, 'joined');
    });

    it('are decided by operators', async () => {
      const { form } = await flood(3);
      const [third, second, first] = (await reviews(form)).reviews;
      assert.ok(first && second && third);
      const credited = await decide(form, first.id, 'credit');
      assert.deepEqual(
        [credited.status, credited.body.credited, credited.body.decision],
        [200, true, 'credit'],
        credited.text,
      );
      assert.equal(await referrals(form), SOURCE_SIGNUPS_MAX + 1);
      assertError(await decide(form, first.id, 'reject'), 409, 'conflict');
      await decide(form, second.id, 'reject');
      await confirmEntry(service.context, form.queue, second.entry.id);
      assert.equal(await referrals(form), SOURCE_SIGNUPS_MAX + 1, 'confirming no longer credits');
      await confirmEntry(service.context, form.queue, third.entry.id);
      assert.equal(await referrals(form), SOURCE_SIGNUPS_MAX + 2);
      assert.equal((await decide(form, third.id, 'reject')).body.credited, false);
      assert.equal(await referrals(form), SOURCE_SIGNUPS_MAX + 1, 'a given credit is taken back');
      assert.deepEqual((await reviews(form, '?state=open')).reviews, []);
      assert.equal((await reviews(form, '?state=decided')).reviews.length, 3);
      assert.deepEqual((await recountQueue(service.context, form.queue, false)).findings, []);
    });

    it('come back as operators decided, if the person was removed meanwhile', async () => {
      const { form } = await flood(2);
      const [second, first] = (await reviews(form)).reviews;
      assert.ok(first && second);
      await decide(form, first.id, 'credit');
      await decide(form, second.id, 'reject');
      for (const { entry } of [first, second]) await removeEntry(service.context, form.queue, entry.id);
      assert.equal(await referrals(form), SOURCE_SIGNUPS_MAX);
      for (const { entry } of [first, second]) await restoreEntry(service.context, form.queue, entry.id);
      assert.equal(
        await referrals(form),
        SOURCE_SIGNUPS_MAX + 1,
        'still pending, but credited by an operator',
      );
      assert.deepEqual((await recountQueue(service.context, form.queue, false)).findings, []);
    });

    it('are not reviewed if the referrer was removed, because there is nothing to credit', async () => {
      const form = await openForm(service);
      await form.list.signup({ email: 'ada@example.com' });
      await removeEntry(service.context, form.queue, (await form.list.lookup('ada@example.com')).body.id);
      await form.join({ email: 'ada+1@example.com', ref: 'ada@example.com' }, from('192.0.2.1'));
      assert.equal((await form.list.lookup('ada+1@example.com')).body.status, 'waiting');
      assert.deepEqual((await reviews(form)).reviews, []);
    });

    it('are paged, and refuse what is unknown', async () => {
      const { form } = await flood(2);
      const first = await reviews(form, '?limit=1');
      assert.equal(first.reviews.length, 1);
      const second = await reviews(form, `?limit=1&cursor=${first.nextCursor}`);
      assert.deepEqual([second.reviews[0]?.entry.email, second.nextCursor], ['friend5@example.com', null]);
      const id = first.reviews[0]?.id ?? '';
      assertError(await decide(form, 'rev_x', 'credit'), 404, 'not_found');
      assertError(await decide(form, id, 'maybe'), 400, 'invalid_request', /decision/);
      assertError(await decide(form, id, 'credit', await adminToken(service, 'viewer')), 403, 'forbidden');
      assertError(
        await service.request('GET', path(form, '?cursor=x'), { key }),
        400,
        'invalid_request',
        /cursor/,
      );
      const viewed = await service.request('GET', path(form), { key: await adminToken(service, 'viewer') });
      assert.doesNotMatch(viewed.text, /friend5@example|ada@example/);
    });

    it('leave no address behind, and nothing at all after a day', async () => {
      const { form } = await flood(1, () => '203.0.113.77');
      const rows = await service.context.db.query.selectFrom('referral_source').selectAll().execute();
      assert.ok(rows.length > 0);
      for (const { network_hash } of rows)
        assert.doesNotMatch(Buffer.from(network_hash).toString('latin1'), /203\.0\.113/);
      service.clock.advance(49 * 60 * 60 * 1000);
      await forgetExpired(service.context);
      for (const table of ['referral_source', 'form_spent', 'form_mail', 'form_visit'] as const) {
        const left = await service.context.db.query.selectFrom(table).select('queue_id').execute();
        assert.deepEqual(
          left.filter(({ queue_id }) => queue_id === form.queue.id),
          [],
          table,
        );
      }
    });
  });
});
