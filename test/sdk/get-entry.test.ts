import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { describeAuthentication } from '../support/auth-cases.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';

const UNKNOWN = 'there is no entry with this email or phone on the waitlist';

forEachEngine((engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  /** The segment as it is, without encoding it. */
  const raw = (list: List, segment: string) =>
    service.request<{ email: string }>('GET', `/sdk/v1/waitlist/${list.id}/entries/${segment}`, {
      key: list.key,
    });

  describe('GET /{waitlistId}/entries/{email}', () => {
    describeAuthentication(() => service, {
      method: 'GET',
      path: (waitlistId) => `/sdk/v1/waitlist/${waitlistId}/entries/ada%40example.com`,
      reads: true,
      served: { status: 404, message: UNKNOWN },
    });

    it('shows the entry as the list does', async () => {
      const list = await service.waitlist();
      await list.signup(
        { email: 'a@example.com', metadata: { n: 1 } },
        { email: 'b@example.com', referredBy: 'a@example.com' },
      );
      for (const entry of (await list.page()).body.entries) {
        const answer = await list.lookup(entry.email ?? '');
        assert.equal(answer.status, 200);
        assert.deepEqual(answer.body, entry);
        assert.equal(answer.headers.get('cache-control'), 'no-store');
      }
    });

    it('finds an email in any equivalent spelling', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'Ada@Example.com' });
      for (const same of ['ada@example.com', 'ADA@EXAMPLE.COM', ' Ada@Example.com ']) {
        assert.equal((await list.lookup(same)).body.email, 'Ada@Example.com');
      }
    });

    it('decodes the segment once, and a plus stays a plus', async () => {
      const list = await service.waitlist();
      await list.signup(
        { email: 'a+b@example.com' },
        { email: 'a%2Bb@example.com' },
        { email: 'x/y?z#w@example.com' },
      );
      assert.equal((await raw(list, 'a+b@example.com')).body.email, 'a+b@example.com');
      assert.equal((await raw(list, 'a%2Bb%40example.com')).body.email, 'a+b@example.com');
      assert.equal((await raw(list, 'a%252Bb@example.com')).body.email, 'a%2Bb@example.com');
      assert.equal((await raw(list, 'x%2Fy%3Fz%23w@example.com')).body.email, 'x/y?z#w@example.com');
    });

    it('finds a phone in international format, with or without separators', async () => {
      const list = await service.waitlist();
      await list.signup({ phone: '+14155550100' }, { email: 'both@example.com', phone: '+14155550101' });
      for (const segment of [
        '+14155550100',
        '%2B14155550100',
        '+1-415-555-0100',
        '%2B1%20(415)%20555%200100',
      ]) {
        assert.equal((await raw(list, segment)).status, 200, segment);
      }
      assert.equal((await list.lookup('+14155550101')).body.email, 'both@example.com');
      assertError(await raw(list, '14155550100'), 404, 'not_found', UNKNOWN);
    });

    it('finds an email of 254 characters', async () => {
      const list = await service.waitlist();
      const email = `${'ä'.repeat(240)}@ab.example.co`;
      assert.equal([...email].length, 254);
      await list.signup({ email });
      assert.equal((await list.lookup(email)).body.email, email);
    });

    it('answers 404 for an unknown person and for an invalid identifier', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'a@example.com' });
      const { referralCode, id } = (await list.lookup('a@example.com')).body;
      const nobody = [
        'b@example.com',
        '+14155550199',
        'plain',
        '%00',
        'a@example.com%00',
        '.',
        '%20',
        'x'.repeat(4_000),
      ];
      for (const segment of [...nobody, referralCode ?? '', id, '']) {
        assertError(await raw(list, segment), 404, 'not_found', UNKNOWN);
      }
    });

    it('answers 400 for broken percent-encoding', async () => {
      const list = await service.waitlist();
      for (const segment of ['%', '%zz', 'a%40b%', '%ff', '%c3%28', '%ed%a0%80']) {
        assertError(await raw(list, segment), 400, 'invalid_request', /percent/);
      }
    });

    it('does not find an entry of another waitlist or environment', async () => {
      const [list, other] = [await service.waitlist(), await service.waitlist()];
      await list.signup({ email: 'a@example.com' });
      assertError(await other.lookup('a@example.com'), 404, 'not_found', UNKNOWN);
      const development = await service.key({ waitlistId: list.id, environment: 'development', read: true });
      const answer = await service.request('GET', `/sdk/v1/waitlist/${list.id}/entries/a@example.com`, {
        key: development.key,
      });
      assertError(answer, 404, 'not_found', UNKNOWN);
    });

    it('follows the entry from waiting to invited to joined, and back when the invite is revoked', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'a@example.com' }, { email: 'b@example.com' });
      const state = async () => {
        const { status, position, invitedAt, joinedAt } = (await list.lookup('a@example.com')).body;
        return { status, position, invitedAt, joinedAt };
      };
      const now = () => new Date(service.clock.now).toISOString();
      const waiting = { status: 'waiting', position: 1, invitedAt: null, joinedAt: null };
      assert.deepEqual(await state(), waiting);
      service.clock.advance(1_000);
      const first = await list.invite('a@example.com');
      assert.deepEqual(await state(), {
        status: 'invited',
        position: null,
        invitedAt: now(),
        joinedAt: null,
      });
      assert.equal((await list.lookup('b@example.com')).body.position, 1);
      await service.revoke(first.id);
      assert.deepEqual(await state(), waiting);
      service.clock.advance(1_000);
      const second = await list.invite('A@example.com');
      const invitedAt = now();
      service.clock.advance(1_000);
      await service.accept(second.code);
      assert.deepEqual(await state(), { status: 'joined', position: null, invitedAt, joinedAt: now() });
    });

    it('keeps counting referrals of someone who has joined', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'a@example.com' }, { email: 'b@example.com' });
      await service.accept((await list.invite('a@example.com')).code);
      await list.signup({ email: 'c@example.com', referredBy: 'a@example.com' });
      const { referrals, position } = (await list.lookup('a@example.com')).body;
      assert.deepEqual([referrals, position], [1, null]);
      assert.equal((await list.lookup('c@example.com')).body.position, 2);
    });
  });
});
