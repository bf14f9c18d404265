import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { STATUSES, type Status } from '../../src/db/tables.ts';
import { formatId } from '../../src/lib/ids.ts';
import { decideEntry } from '../../src/waitlist/decisions/decide.ts';
import { confirmEntry } from '../../src/waitlist/entries/confirm-entry.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { canMove, moveEntries } from '../../src/waitlist/entries/move-entry.ts';
import { changeQueue } from '../../src/waitlist/queue/change-queue.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { listen, type RecordedEvent } from '../support/recorded-events.ts';

const WHO = 'ada@example.com';

forEachEngine((engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  /** A waitlist with one entry, brought to a status, and what is recorded from then on. */
  const at = async (status: Status, { returnToQueue = true } = {}) => {
    const { context } = service;
    const list = await service.waitlist();
    const queue = await list.queue();
    await updateWaitlist(context, list.id, { confirmEmails: status === 'pending', returnToQueue });
    await list.signup({ email: WHO });
    const { id } = (await list.lookup(WHO)).body;
    let code = '';
    if (status === 'invited' || status === 'joined') code = (await list.invite(WHO)).code;
    if (status === 'joined') await service.accept(code);
    if (status === 'removed') await eraseEntry(context, queue, WHO);
    if (status === 'declined') await decideEntry(context, queue, id, 'decline');
    const told = await listen(context, queue);
    return { list, queue, id, code, told, context };
  };

  const assertStatus = async (list: List, status: Status) => {
    const [entry] = (await list.page()).body.entries;
    assert.equal(entry?.status, status);
    assert.equal(entry?.position, status === 'waiting' ? 1 : null);
    const totals = await Promise.all(
      STATUSES.map(async (each) => [each, (await list.page({ status: each })).body.total] as const),
    );
    assert.deepEqual(
      Object.fromEntries(totals),
      Object.fromEntries(STATUSES.map((each) => [each, each === status ? 1 : 0])),
    );
    assert.equal((await list.page()).body.total, 1);
    const queue = await list.queue();
    assert.deepEqual((await recountQueue(service.context, queue, false)).findings, []);
  };
  const kinds = (told: RecordedEvent[]) => told.map(({ event }) => event);

  describe('every allowed transition records its event', () => {
    it('pending → waiting when the email is confirmed', async () => {
      const { list, queue, id, told, context } = await at('pending');
      assert.deepEqual(await confirmEntry(context, queue, id), { confirmed: true });
      await assertStatus(list, 'waiting');
      const [event, ...rest] = await told();
      assert.deepEqual([event?.event, event?.data.entry?.status, rest], ['signup.confirmed', 'waiting', []]);
      assert.deepEqual(await confirmEntry(context, queue, id), { confirmed: false });
      assert.deepEqual(await told(), []);
    });

    for (const from of ['pending', 'waiting'] as const) {
      it(`${from} → invited when an operator invites them`, async () => {
        const { list, told } = await at(from);
        await list.invite(WHO);
        await assertStatus(list, 'invited');
        const [event, ...rest] = await told();
        assert.deepEqual([event?.event, event?.data.entry?.status, rest], ['invite.sent', 'invited', []]);
      });
    }

    it('invited → joined when the invite is accepted', async () => {
      const { list, code, told } = await at('invited');
      assert.equal((await service.accept(code)).status, 200);
      await assertStatus(list, 'joined');
      const [event, ...rest] = await told();
      assert.deepEqual([event?.event, event?.data.entry?.status, rest], ['invite.accepted', 'joined', []]);
    });

    it('waiting or pending → joined when they were invited before they signed up', async () => {
      for (const confirmEmails of [false, true]) {
        const list = await service.waitlist();
        await updateWaitlist(service.context, list.id, { confirmEmails });
        const told = await listen(service.context, await list.queue());
        const { code } = await list.invite(WHO);
        await list.signup({ email: WHO });
        await assertStatus(list, confirmEmails ? 'pending' : 'waiting');
        assert.equal((await service.accept(code)).status, 200);
        await assertStatus(list, 'joined');
        assert.deepEqual(kinds(await told()).sort(), ['invite.accepted', 'invite.sent', 'signup.created']);
      }
    });

    it('invited → waiting when the invite is revoked or expires', async () => {
      const revoked = await at('invited');
      await service.revoke(revoked.code);
      await assertStatus(revoked.list, 'waiting');
      const [event] = await revoked.told();
      assert.deepEqual([event?.event, event?.data.entry?.status], ['invite.revoked', 'waiting']);

      const expiring = await at('waiting');
      await expiring.list.invite(WHO, { expiresAt: service.clock.now + 1_000 });
      await expiring.told();
      service.clock.advance(1_000);
      assert.equal(await service.expire(expiring.list), 1);
      await assertStatus(expiring.list, 'waiting');
      const [expired] = await expiring.told();
      assert.deepEqual([expired?.event, expired?.data.entry?.status], ['invite.expired', 'waiting']);
    });

    it('invited → invited when the waitlist keeps people invited', async () => {
      const { list, code, told } = await at('invited', { returnToQueue: false });
      await service.revoke(code);
      await assertStatus(list, 'invited');
      assert.deepEqual(kinds(await told()), ['invite.revoked']);
    });

    for (const from of ['pending', 'waiting', 'invited', 'joined'] as const) {
      it(`${from} → removed`, async () => {
        const { list, queue, id, told, context } = await at(from);
        const { id: removed, ...rest } = await eraseEntry(context, queue, WHO);
        assert.deepEqual({ id: removed && formatId('ent', removed), ...rest }, { id });
        await assertStatus(list, 'removed');
        const events = await told();
        assert.deepEqual(kinds(events), ['entry.removed']);
        assert.deepEqual(events[0]?.data, { entry: { id } });
      });
    }
  });

  describe('no other transition', () => {
    it('is made by confirming', async () => {
      for (const from of ['waiting', 'invited', 'joined'] as const) {
        const { list, queue, id, told, context } = await at(from);
        assert.deepEqual(await confirmEntry(context, queue, id), { confirmed: false });
        await assertStatus(list, from);
        assert.deepEqual(await told(), []);
      }
      const { list, queue, id, told, context } = await at('removed');
      await assert.rejects(confirmEntry(context, queue, id), { code: 'not_found' });
      await assert.rejects(eraseEntry(context, queue, id), { code: 'not_found' });
      await assertStatus(list, 'removed');
      assert.deepEqual(await told(), []);
    });

    it('is made by inviting someone who has joined or was removed', async () => {
      const joined = await at('joined');
      const { code } = await joined.list.invite(WHO);
      await assertStatus(joined.list, 'joined');
      await service.revoke(code);
      await assertStatus(joined.list, 'joined');
      await service.accept((await joined.list.invite(WHO)).code);
      await assertStatus(joined.list, 'joined');

      const removed = await at('removed');
      const again = await removed.list.invite(WHO);
      assert.equal((await service.accept(again.code)).status, 200);
      await assertStatus(removed.list, 'removed');
      const events = await removed.told();
      assert.deepEqual(kinds(events).sort(), ['invite.accepted', 'invite.sent']);
      for (const { data } of events) assert.equal(data.entry, null);
    });

    it('is made by ending the invite of someone who has joined meanwhile', async () => {
      const { list, told } = await at('waiting');
      const [one, two] = [await list.invite(WHO), await list.invite(WHO)];
      await service.accept(one.code);
      await told();
      await service.revoke(two.code);
      await assertStatus(list, 'joined');
      assert.deepEqual(kinds(await told()), ['invite.revoked']);
      await assert.rejects(service.revoke(one.code), { code: 'accepted' });
      await assert.rejects(service.revoke(two.code), { code: 'revoked' });
      assert.deepEqual(await told(), []);
    });

    it('is possible: it fails together with its transaction', async () => {
      const legal: Record<Status, Status[]> = {
        pending: ['waiting', 'invited', 'joined', 'removed', 'declined'],
        waiting: ['invited', 'joined', 'removed', 'declined'],
        invited: ['waiting', 'joined', 'removed', 'declined'],
        joined: ['removed'],
        removed: [],
        declined: ['pending', 'waiting', 'invited', 'removed'],
      };
      for (const from of STATUSES) {
        for (const to of STATUSES)
          assert.equal(canMove(from, to), legal[from].includes(to), `${from} → ${to}`);
        const { list, queue, told, context } = await at(from);
        for (const to of ['waiting', 'invited', 'joined'] as const) {
          if (legal[from].includes(to) || from === 'declined') continue;
          const forced = changeQueue(context, queue, async (change) =>
            moveEntries(change, [{ seq: 1, status: from, rank: 1 }], to),
          );
          await assert.rejects(forced, /cannot go from/);
        }
        await assertStatus(list, from);
        assert.deepEqual(await told(), []);
      }
    });
  });

  describe('referrals and statuses', () => {
    const referralsOf = async (list: List, email: string) => (await list.lookup(email)).body.referrals;

    it('credit the referrer of a pending entry once it is confirmed, invited or joined', async () => {
      for (const how of ['confirmed', 'invited', 'accepted'] as const) {
        const list = await service.waitlist();
        const queue = await list.queue();
        await list.signup({ email: 'first@example.com' }, { email: 'referrer@example.com' });
        await updateWaitlist(service.context, list.id, { confirmEmails: true });
        const early = how === 'accepted' ? await list.invite(WHO) : undefined;
        const told = await listen(service.context, queue);
        await list.signup({ email: WHO, referredBy: 'referrer@example.com' });
        assert.equal(await referralsOf(list, 'referrer@example.com'), 0);
        assert.equal((await list.lookup(WHO)).body.referredBy, null);
        assert.deepEqual(kinds(await told()), ['signup.created']);
        const { id } = (await list.lookup(WHO)).body;
        if (how === 'confirmed') await confirmEntry(service.context, queue, id);
        if (how === 'invited') await list.invite(WHO);
        if (early) await service.accept(early.code);
        const { body } = await list.lookup('referrer@example.com');
        assert.deepEqual([body.referrals, body.position], [1, 1], how);
        assert.equal((await list.lookup(WHO)).body.referredBy, 'referrer@example.com');
        const credit = (await told()).find(({ event }) => event === 'referral.credited');
        assert.deepEqual([credit?.data.entry?.email, credit?.data.referred], ['referrer@example.com', id]);
        assert.deepEqual((await recountQueue(service.context, queue, false)).findings, []);
      }
    });

    it('credit nobody beyond the cap, not even later', async () => {
      const list = await service.waitlist();
      const queue = await list.queue();
      await updateWaitlist(service.context, list.id, { referralCap: 2 });
      const told = await listen(service.context, queue);
      await list.signup({ email: WHO });
      await list.signup(...[1, 2, 3, 4].map((n) => ({ email: `p${n}@example.com`, referredBy: WHO })));
      assert.equal(await referralsOf(list, WHO), 2);
      assert.equal(kinds(await told()).filter((kind) => kind === 'referral.credited').length, 2);
      assert.deepEqual(
        (await list.walk()).map(({ referredBy }) => referredBy),
        [null, WHO, WHO, null, null],
      );
      await eraseEntry(service.context, queue, 'p1@example.com');
      assert.equal(await referralsOf(list, WHO), 1);
      await list.signup({ email: 'p5@example.com', referredBy: WHO });
      assert.equal(await referralsOf(list, WHO), 2);
      await updateWaitlist(service.context, list.id, { referralCap: 0 });
      await list.signup({ email: 'p6@example.com', referredBy: WHO });
      assert.equal(await referralsOf(list, WHO), 2);
      assert.deepEqual((await recountQueue(service.context, queue, false)).findings, []);
    });

    it('credit nobody for referring themselves, by any identifier, or in a circle', async () => {
      const list = await service.waitlist();
      await list.signup({ email: WHO, phone: '+14155550100', referredBy: WHO });
      await list.signup({ email: 'b@example.com', phone: '+14155550101', referredBy: '+1 415 555 0101' });
      await list.signup(
        { email: 'c@example.com', referredBy: 'd@example.com' },
        { email: 'd@example.com', referredBy: 'c@example.com' },
      );
      const [ada] = await list.walk();
      await list.signup({ email: WHO, referredBy: ada?.referralCode });
      assert.deepEqual(
        (await list.walk()).map(({ email, referrals, referredBy }) => [email, referrals, referredBy]),
        [
          [WHO, 0, null],
          ['b@example.com', 0, null],
          ['c@example.com', 1, null],
          ['d@example.com', 0, 'c@example.com'],
        ],
      );
    });
  });
});
