import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseId } from '../../src/lib/ids.ts';
import { createRule, readRules } from '../../src/waitlist/decisions/rules.ts';
import { signLink } from '../../src/waitlist/links/links.ts';
import { hashOf, suppress } from '../../src/waitlist/links/suppression.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import type { PresentedEntry } from '../../src/wire/entry.ts';
import { type AskInRoles, askInRoles, auditOf } from '../support/admin.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { listen } from '../support/recorded-events.ts';
import { jsonOf } from '../support/terminal.ts';

forEachEngine((engine) => {
  let service: Service;
  let ask: AskInRoles;
  before(async () => {
    service = await startService(engine);
    ask = await askInRoles(service, 'support');
  });
  after(() => service.close());

  const idOf = async (of: List, who: string) => (await of.lookup(who)).body.id;
  const repair = async (of: List, who: string, body: object) =>
    ask<PresentedEntry>('PATCH', `/waitlists/${of.id}/entries/${await idOf(of, who)}`, { body });
  const repaired = async (of: List, who: string, body: object) => {
    const answer = await repair(of, who, body);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const assertSound = async (of: List) =>
    assert.deepEqual((await recountQueue(service.context, await of.queue(), false)).findings, []);

  describe('another email', () => {
    it('takes place, referrals and invites along', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'first@example.com' }, { email: 'adda@example.com' });
      await list.signup({ email: 'bob@example.com', referredBy: 'adda@example.com' });
      const { code } = await list.invite('adda@example.com');
      const before = (await list.lookup('adda@example.com')).body;
      const after: PresentedEntry & { missing?: unknown } = await repaired(list, 'adda@example.com', {
        email: 'Ada@Example.com',
      });
      const { missing, ...same } = after;
      assert.deepEqual(same, { ...before, email: 'Ada@Example.com' });
      assertError(await list.lookup('adda@example.com'), 404, 'not_found');
      assert.deepEqual((await list.lookup('bob@example.com')).body.referredBy, 'Ada@Example.com');
      const { body: check } = await service.check(code);
      assert.equal(check.valid && check.email, 'Ada@Example.com');
      assertError(await service.accept(code, { body: { email: 'adda@example.com' } }), 409, 'email_mismatch');
      assert.equal((await service.accept(code, { body: { email: 'ada@example.com' } })).status, 200);
      assert.equal((await list.lookup('ada@example.com')).body.status, 'joined');
      assert.deepEqual((await list.signup({ email: 'adda@example.com' })).body.created, 1);
      await assertSound(list);
    });

    it('keeps unsubscribes and complaints, and leaves a bounce behind', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'adda@example.com' });
      const queue = await list.queue();
      const { db } = service.context;
      for (const reason of ['bounced', 'complained', 'unsubscribed'] as const)
        await suppress(db.query, queue, hashOf(queue, 'adda@example.com'), reason, 1);
      await repaired(list, 'adda@example.com', { email: 'ada@example.com' });
      const rows = await db.query
        .selectFrom('mail_suppression')
        .select(['reason', 'email_hash'])
        .where('queue_id', '=', queue.id)
        .orderBy('reason')
        .execute();
      const hash = hashOf(queue, 'ada@example.com');
      assert.deepEqual(
        rows.map((row) => [row.reason, hash.equals(row.email_hash)]),
        [
          ['complained', true],
          ['unsubscribed', true],
        ],
      );
    });

    it('is refused if somebody has it, saying who, also if they were removed', async () => {
      const list = await service.waitlist();
      await list.signup(
        { email: 'ada@example.com', phone: '+14155550101' },
        { email: 'bob@example.com', phone: '+14155550102' },
      );
      const bob = await idOf(list, 'bob@example.com');
      const taken = await repair(list, 'ada@example.com', {
        email: 'BOB@example.com',
        phone: '+14155550103',
      });
      assertError(taken, 409, 'conflict');
      assert.match(taken.text, new RegExp(`email: already belongs to ${bob}, which is waiting`));
      assert.equal((await list.lookup('ada@example.com')).body.phone, '+14155550101');
      const phone = await repair(list, 'ada@example.com', { phone: '+1 415 555 0102' });
      assert.match(phone.text, new RegExp(`phone: already belongs to ${bob}`));
      await ask('DELETE', `/waitlists/${list.id}/entries/${bob}`);
      const removed = await repair(list, 'ada@example.com', { email: 'bob@example.com' });
      assert.match(removed.text, /which is removed/);
    });

    it('names a field that is wrong, and changes nothing', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'ada@example.com' }, { phone: '+14155550101' });
      for (const [body, message] of [
        [{ email: 'nobody' }, /email: not an email address/],
        [{ email: `${'a'.repeat(300)}@example.com` }, /email: must have at most 254 characters/],
        [{ phone: '555', email: 'x@example.com' }, /phone: not a phone number/],
        [{ referredBy: 'no body' }, /referredBy: not an email, a phone number or a referral code/],
        [{ referredBy: 'nobody@example.com' }, /referredBy: nobody on the waitlist has this/],
        [{ position: 1, email: 'x@example.com' }, /position: cannot be set together with email/],
        [{ position: 1, referredBy: null }, /position: cannot be set together with referredBy/],
        [{ status: 'pending' }, /status: pending is only for a new email/],
      ] as const) {
        const answer = await repair(list, 'ada@example.com', body);
        assertError(answer, 400, 'invalid_request');
        assert.match(answer.text, message);
      }
      const alone = await repair(list, '+14155550101', { phone: null });
      assert.match(alone.text, /phone: cannot be removed, because there is no email/);
      const both = await repaired(list, '+14155550101', { email: 'bob@example.com', phone: null });
      assert.deepEqual([both.email, both.phone], ['bob@example.com', null]);
    });

    it('makes links that were mailed before useless, but for the position', async () => {
      const list = await service.waitlist();
      await updateWaitlist(service.context, list.id, { confirmEmails: true });
      await list.signup({ email: 'adda@example.com' });
      const queue = await list.queue();
      const id = await idOf(list, 'adda@example.com');
      const link = (purpose: 'confirm' | 'leave' | 'status', at = service.clock.now) =>
        signLink(queue, purpose, { id, at });
      const [confirm, leave, status] = [link('confirm'), link('leave'), link('status')];
      service.clock.advance(1);
      await repaired(list, 'adda@example.com', { email: 'ada@example.com' });
      const at = async (method: string, path: string) => (await service.request(method, path)).text;
      await at('POST', `/confirm/${confirm}`);
      await at('POST', `/leave/${leave}`);
      await at('POST', `/unsubscribe/${leave}`);
      assert.equal((await list.lookup('ada@example.com')).body.status, 'pending');
      assert.doesNotMatch(await at('GET', `/s/${status}`), /leave\//);
      await at('POST', `/confirm/${link('confirm')}`);
      assert.equal((await list.lookup('ada@example.com')).body.status, 'waiting');
      assert.match(await at('GET', `/s/${link('status')}`), /leave\//);
      await at('POST', `/leave/${link('leave')}`);
      assertError(await list.lookup('ada@example.com'), 404, 'not_found');
    });

    it('leaves no hash of the former one, neither before nor after an erasure', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'adda@example.com' });
      await list.invite('adda@example.com');
      const queue = await list.queue();
      const former = hashOf(queue, 'adda@example.com');
      const { db } = service.context;
      await suppress(db.query, queue, former, 'bounced', 1);
      await repaired(list, 'adda@example.com', { email: 'ada@example.com' });
      const count = async () => {
        const found = await Promise.all([
          db.query.selectFrom('entry').select('seq').where('email_hash', '=', former).execute(),
          db.query.selectFrom('invite').select('id').where('email_hash', '=', former).execute(),
          db.query.selectFrom('event_subject').select('event_id').where('subject', '=', former).execute(),
          db.query.selectFrom('mail_suppression').select('reason').where('email_hash', '=', former).execute(),
        ]);
        return found.flat().length;
      };
      assert.equal(await count(), 0);
    });
  });

  describe('a new confirmation', () => {
    it('takes somebody out of line until they confirm, and their referrer the credit', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'ref@example.com' });
      await list.signup({ email: 'adda@example.com', referredBy: 'ref@example.com' });
      const referrals = async () => (await list.lookup('ref@example.com')).body.referrals;
      const asked = await repaired(list, 'adda@example.com', { email: 'ada@example.com', status: 'pending' });
      assert.deepEqual([asked.status, asked.position, await referrals()], ['pending', null, 0]);
      await assertSound(list);
      const confirmed = await repaired(list, 'ada@example.com', { status: 'waiting' });
      assert.deepEqual([confirmed.status, await referrals()], ['waiting', 1]);
      const again = await repaired(list, 'ada@example.com', { email: 'ada2@example.com', status: 'pending' });
      assert.equal(again.status, 'pending');
      await assertSound(list);
      await list.invite('ada2@example.com');
      const invited = await repair(list, 'ada2@example.com', { email: 'a@example.com', status: 'pending' });
      assertError(invited, 409, 'conflict');
      assert.match(invited.text, /only a waiting entry can be confirmed anew; this one is invited/);
      assert.equal((await list.lookup('ada2@example.com')).body.email, 'ada2@example.com');
    });
  });

  describe('another referrer', () => {
    it('moves the credit, and both of them', async () => {
      const list = await service.waitlist({ boost: 2 });
      await list.signup({ email: 'a@example.com' }, { email: 'b@example.com' }, { email: 'c@example.com' });
      await list.signup({ email: 'd@example.com', referredBy: 'c@example.com' });
      const order = async () =>
        (await list.walk({ sort: 'position' })).map(({ email }) => email?.[0]).join('');
      assert.equal(await order(), 'cabd');
      const { referralCode } = (await list.lookup('b@example.com')).body;
      const moved = await repaired(list, 'd@example.com', { referredBy: referralCode });
      assert.deepEqual([moved.referredBy, await order()], ['b@example.com', 'bacd']);
      await repaired(list, 'd@example.com', { referredBy: null });
      assert.equal(await order(), 'abcd');
      await repaired(list, 'd@example.com', { referredBy: 'c@example.com' });
      assert.equal(await order(), 'cabd');
      await assertSound(list);
    });

    it('counts within the cap, those who joined first first', async () => {
      const list = await service.waitlist();
      await updateWaitlist(service.context, list.id, { referralCap: 1 });
      await list.signup({ email: 'ref@example.com' }, { email: 'early@example.com' });
      await list.signup({ email: 'late@example.com', referredBy: 'ref@example.com' });
      const credited = async () =>
        (await list.walk()).filter(({ referredBy }) => referredBy !== null).map(({ email }) => email);
      assert.deepEqual(await credited(), ['late@example.com']);
      await repaired(list, 'early@example.com', { referredBy: 'ref@example.com' });
      assert.deepEqual(await credited(), ['early@example.com']);
      await repaired(list, 'early@example.com', { referredBy: null });
      assert.deepEqual(await credited(), ['late@example.com']);
      assert.equal((await list.lookup('ref@example.com')).body.referrals, 1);
      await assertSound(list);
    });

    it('gives no credit for the mailbox of the referrer, or for one that counted before', async () => {
      const list = await service.waitlist();
      await list.signup(
        { email: 'ref@gmail.com' },
        { email: 'r.ef@gmail.com' },
        { email: 'bob@example.com' },
      );
      await list.signup({ email: 'bob+2@example.com', referredBy: 'ref@gmail.com' });
      const referrals = async () => (await list.lookup('ref@gmail.com')).body.referrals;
      await repaired(list, 'r.ef@gmail.com', { referredBy: 'ref@gmail.com' });
      await repaired(list, 'bob@example.com', { referredBy: 'ref@gmail.com' });
      assert.equal(await referrals(), 1);
      assert.equal((await list.lookup('bob+2@example.com')).body.referredBy, null);
      await repaired(list, 'r.ef@gmail.com', { email: 'rosa@example.com' });
      assert.equal(await referrals(), 2, 'she was somebody else all along');
      await assertSound(list);
    });

    it('cannot be the person, nor somebody whom the person led to', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'a@example.com' });
      await list.signup({ email: 'b@example.com', referredBy: 'a@example.com' });
      await list.signup({ email: 'c@example.com', referredBy: 'b@example.com' });
      const self = await repair(list, 'a@example.com', { referredBy: 'a@example.com' });
      assertError(self, 409, 'conflict');
      assert.match(self.text, /referredBy: nobody can refer themselves/);
      const circle = await repair(list, 'a@example.com', { referredBy: 'c@example.com' });
      assertError(circle, 409, 'conflict');
      assert.match(
        circle.text,
        new RegExp(`${await idOf(list, 'c@example.com')} was referred by this person`),
      );
    });
  });

  describe('two entries of one person', () => {
    const merge = async (of: List, from: string, into: string) => {
      const [id, other] = [await idOf(of, from), await idOf(of, into)];
      const path = `/waitlists/${of.id}/entries/${id}/merge`;
      const preview = await ask<PresentedEntry>('GET', `${path}?into=${other}`);
      assert.equal((await of.lookup(from)).body.id, id, 'a preview changes nothing');
      const merged = await ask<PresentedEntry>('POST', path, { body: { into: other } });
      assert.equal(merged.status, 200, merged.text);
      assert.deepEqual({ ...merged.body, position: null }, preview.body);
      assert.equal(merged.body.id, other);
      await assertSound(of);
      return merged.body;
    };

    it('become one at the earlier place, with what both had', async () => {
      const list = await service.waitlist({ boost: 0 });
      await list.signup(
        { email: 'zoe@example.com' },
        { phone: '+14155550101', metadata: { name: 'Ada', plan: 'free' } },
        { email: 'bob@example.com', referredBy: '+14155550101' },
        { email: 'ada@example.com', metadata: { plan: 'pro' } },
        { email: 'cid@example.com', referredBy: 'ada@example.com' },
      );
      const later = (await list.lookup('ada@example.com')).body;
      const { code } = await list.invite('ada@example.com');
      const merged = await merge(list, '+14155550101', 'ada@example.com');
      assert.deepEqual(
        [merged.email, merged.phone, merged.status, merged.referrals, merged.metadata],
        ['ada@example.com', '+14155550101', 'invited', 2, { name: 'Ada', plan: 'pro' }],
      );
      const entries = await list.walk();
      assert.deepEqual(
        entries.map(({ email, referredBy }) => [email?.[0], referredBy]),
        [
          ['z', null],
          ['a', null],
          ['b', 'ada@example.com'],
          ['c', 'ada@example.com'],
        ],
      );
      await list.signup({ email: 'dan@example.com', referredBy: later.referralCode?.toUpperCase() });
      assert.equal((await list.lookup('dan@example.com')).body.referredBy, 'ada@example.com');
      assert.equal((await service.accept(code)).status, 200);
      const signedUp = await ask<{ totals: { signups: number } }>('GET', `/waitlists/${list.id}/statistics`);
      assert.equal(signedUp.body.totals.signups, 5);
    });

    it('count each referral once, within the cap and without their own', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'ada@example.com' }, { email: 'ada@example.org' });
      await list.signup({ email: 'ada+2@example.org', referredBy: 'ada@example.com' });
      for (const [at, by] of ['com', 'org', 'com', 'org'].entries())
        await list.signup({ email: `p${at}@example.com`, referredBy: `ada@example.${by}` });
      await updateWaitlist(service.context, list.id, { referralCap: 3 });
      const merged = await merge(list, 'ada@example.org', 'ada@example.com');
      assert.equal(merged.referrals, 3);
      const credited = (await list.walk()).filter(({ referredBy }) => referredBy !== null);
      assert.deepEqual(
        credited.map(({ email }) => email),
        ['ada+2@example.org', 'p0@example.com', 'p1@example.com'],
      );
    });

    it('take along a rule about those whom either of them refers', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'ada@example.com' }, { email: 'ada@example.org' });
      const [queue, second] = [await list.queue(), await idOf(list, 'ada@example.org')];
      const when = { domain: 'example.net', referrer: { id: second, seq: 2 } };
      await createRule(service.context, queue, { when, outcome: 'decline' });
      const { id, referralCode } = await merge(list, 'ada@example.org', 'ada@example.com');
      const [rule] = await readRules(service.context.db.query, queue);
      assert.deepEqual(rule?.when, { ...when, referrer: { id, seq: 1 } });
      await list.signup({ email: 'bob@example.net', referredBy: referralCode ?? '' });
      assert.equal((await list.lookup('bob@example.net')).body.status, 'declined');
    });

    it('keep what either of them did not want, and every invite', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'ada@example.com' }, { email: 'ada@example.org' });
      const queue = await list.queue();
      const { db } = service.context;
      await suppress(db.query, queue, hashOf(queue, 'ada@example.com'), 'unsubscribed', 1);
      await suppress(db.query, queue, hashOf(queue, 'ada@example.com'), 'bounced', 1);
      const { code } = await list.invite('ada@example.com');
      const merged = await merge(list, 'ada@example.com', 'ada@example.org');
      assert.deepEqual([merged.email, merged.status], ['ada@example.org', 'invited']);
      const { body } = await service.check(code);
      assert.equal(body.valid && body.email, 'ada@example.org');
      const rows = await db.query
        .selectFrom('mail_suppression')
        .select('reason')
        .where('queue_id', '=', queue.id)
        .execute();
      assert.deepEqual(rows, [{ reason: 'unsubscribed' }]);
    });

    it('lose a referrer who is one of them, or whom they led to', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'ada@example.com' });
      await list.signup({ email: 'bob@example.com', referredBy: 'ada@example.com' });
      await list.signup({ email: 'ada@example.org', referredBy: 'bob@example.com' });
      const merged = await merge(list, 'ada@example.org', 'ada@example.com');
      assert.deepEqual([merged.referredBy, merged.referrals], [null, 1]);
      assert.equal((await list.lookup('bob@example.com')).body.referrals, 0);
    });

    it('are told apart, and are not removed', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'ada@example.com' }, { email: 'bob@example.com' });
      const [ada, bob] = [await idOf(list, 'ada@example.com'), await idOf(list, 'bob@example.com')];
      const path = `/waitlists/${list.id}/entries/${ada}/merge`;
      for (const [into, status, message] of [
        [ada, 400, /into: is the entry itself/],
        ['ent_06gxx2p9r1yn1vp1ryss481fhw', 404, /into: there is no entry/],
        ['x', 404, /into: there is no entry x/],
      ] as const) {
        const answer = await ask('POST', path, { body: { into } });
        assert.equal(answer.status, status, answer.text);
        assert.match(answer.text, message);
      }
      await ask('DELETE', `/waitlists/${list.id}/entries/${bob}`);
      const removed = await ask('POST', path, { body: { into: bob } });
      assertError(removed, 409, 'conflict');
      assert.match(removed.text, /into: this entry is removed; put it back or erase it first/);
    });

    it('are recorded, and sent as one that changed and one that is gone', async () => {
      const list = await service.waitlist();
      const events = await listen(service.context, await list.queue());
      await list.signup({ email: 'ada@example.com' }, { email: 'ada@example.org' });
      const from = await idOf(list, 'ada@example.com');
      await events();
      const { id } = await merge(list, 'ada@example.com', 'ada@example.org');
      const [record] = await auditOf(service, `entry:${id}`);
      assert.deepEqual([record?.action, record?.details.after], ['entry.merged', { from }]);
      assert.deepEqual(
        (await events()).map(({ event, data }) => [event, data.entry?.id]),
        [
          ['entry.updated', id],
          ['entry.removed', from],
        ],
      );
    });

    it('is a command', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'ada@example.com' }, { phone: '+14155550101' });
      const words = ['entry', 'merge', '+14155550101', 'ada@example.com', '--waitlist', list.id];
      const merged = await jsonOf<PresentedEntry>(service.storage.environment, ...words);
      assert.deepEqual([merged.email, merged.phone], ['ada@example.com', '+14155550101']);
    });
  });

  it('is recorded without addresses, sent as an event, and in the history', async () => {
    const list = await service.waitlist();
    const events = await listen(service.context, await list.queue());
    await list.signup({ email: 'ref@example.com' }, { email: 'adda@example.com' });
    await events();
    const body = { email: 'ada@example.com', phone: '+14155550101', referredBy: 'ref@example.com' };
    const { id } = await repaired(list, 'adda@example.com', body);
    const ref = await idOf(list, 'ref@example.com');
    const [record] = await auditOf(service, `entry:${id}`);
    assert.equal(record?.action, 'entry.updated');
    assert.deepEqual(
      [record?.details.before, record?.details.after],
      [{ referredBy: null }, { fields: ['email', 'phone', 'referredBy'], referredBy: ref }],
    );
    const sent = await events();
    assert.deepEqual(
      sent.map(({ event, data }) => [event, data.entry?.email]),
      [
        ['referral.credited', 'ref@example.com'],
        ['entry.updated', 'ada@example.com'],
      ],
    );
    const history = await ask<{ events: { kind: string; fields: string[]; by: string | null }[] }>(
      'GET',
      `/waitlists/${list.id}/entries/${id}/history`,
    );
    const change = history.body.events.find(({ kind }) => kind === 'entry.updated');
    assert.deepEqual(change?.fields, ['email', 'phone', 'referredBy']);
    assert.ok(parseId('ent', id));
  });

  it('is a command', async () => {
    const list = await service.waitlist();
    await list.signup({ email: 'ref@example.com' }, { email: 'adda@example.com', phone: '+14155550101' });
    const run = (...words: string[]) =>
      jsonOf<PresentedEntry>(service.storage.environment, 'entry', 'update', ...words, '--waitlist', list.id);
    const flags = ['--email', 'ada@example.com', '--phone', 'none', '--referred-by', 'ref@example.com'];
    const changed = await run('adda@example.com', ...flags);
    assert.deepEqual(
      [changed.email, changed.phone, changed.referredBy],
      ['ada@example.com', null, 'ref@example.com'],
    );
    assert.equal((await run('ada@example.com', '--referred-by', 'none')).referredBy, null);
  });
});
