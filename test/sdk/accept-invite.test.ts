import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { assertError, forEachEngine, type Service, startService } from '../support/harness.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

forEachEngine((engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  const raw = (segment: string) => service.request('POST', `/sdk/v1/waitlist/invites/${segment}/accept`);

  describe('POST /invites/{code}/accept', () => {
    it('redeems a code once, and returns what was redeemed', async () => {
      const list = await service.waitlist({ name: 'Acme' });
      const { code } = await list.invite('Ada@Example.com');
      const { status, body, headers } = await service.accept(code);
      assert.equal(status, 200);
      assert.deepEqual(body, {
        success: true,
        email: 'Ada@Example.com',
        waitlist: { id: list.id, name: 'Acme' },
        acceptedAt: new Date(service.clock.now).toISOString(),
      });
      assert.equal(headers.get('cache-control'), 'no-store');
      assertError(await service.accept(code), 409, 'accepted');
      assertError(await service.accept(code), 409, 'accepted');
    });

    it('moves the invited entry to joined', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'a@example.com' }, { email: 'b@example.com' });
      const { code } = await list.invite('A@Example.com');
      service.clock.advance(1_000);
      await service.accept(code);
      const { status, position, joinedAt } = (await list.lookup('a@example.com')).body;
      assert.deepEqual(
        [status, position, joinedAt],
        ['joined', null, new Date(service.clock.now).toISOString()],
      );
      assert.equal((await list.lookup('b@example.com')).body.position, 1);
    });

    it('moves an entry that signed up only after it was invited', async () => {
      const list = await service.waitlist();
      const { code } = await list.invite('a@example.com');
      await list.signup({ email: 'a@example.com' });
      await service.accept(code);
      assert.equal((await list.lookup('a@example.com')).body.status, 'joined');
    });

    it('redeems a code for someone who is not on the list, and adds nobody', async () => {
      const list = await service.waitlist();
      const { code } = await list.invite('guest@example.com');
      assert.equal((await service.accept(code)).status, 200);
      assert.equal((await list.page()).body.total, 0);
    });

    it('lets each of several invites of one email be accepted once', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'a@example.com' });
      const [one, two] = [await list.invite('a@example.com'), await list.invite('a@example.com')];
      assert.equal((await service.accept(one.code)).status, 200);
      const { joinedAt } = (await list.lookup('a@example.com')).body;
      service.clock.advance(1_000);
      assert.equal((await service.accept(two.code)).status, 200);
      assert.equal((await list.lookup('a@example.com')).body.joinedAt, joinedAt);
    });

    describe('the body', () => {
      it('may be absent, empty, or an object without an email; with or without a content type', async () => {
        const list = await service.waitlist();
        const ways = [
          {},
          { headers: JSON_TYPE },
          { headers: JSON_TYPE, rawBody: '' },
          { headers: { 'content-type': 'text/plain' } },
          { body: {} },
          { rawBody: new TextEncoder().encode('{}') },
          { rawBody: new TextEncoder().encode('{"email":"a@example.com"}') },
          { headers: { 'content-type': 'application/json; charset=utf-8' }, rawBody: '{}' },
        ];
        for (const options of ways) {
          const { code } = await list.invite('a@example.com');
          const { status, text } = await service.accept(code, options);
          assert.equal(status, 200, `${JSON.stringify(options)}: ${text}`);
        }
      });

      it('may name the invited email, in any equivalent spelling', async () => {
        const list = await service.waitlist();
        for (const email of ['Ada@Example.com', 'ada@example.com', ' ADA@EXAMPLE.COM ']) {
          const { code } = await list.invite('Ada@Example.com');
          assert.equal((await service.accept(code, { body: { email } })).status, 200, email);
        }
      });

      it('is rejected with 409 when it names another email, and the code stays valid', async () => {
        const list = await service.waitlist();
        const { code } = await list.invite('a@example.com');
        const other = await service.accept(code, { body: { email: 'b@example.com' } });
        assertError(other, 409, 'email_mismatch');
        assert.doesNotMatch(other.text, /a@example\.com/);
        assert.equal((await service.check(code)).body.valid, true);
        assert.equal((await service.accept(code, { body: { email: 'a@example.com' } })).status, 200);
      });

      it('is rejected with 400 when it is something else, and the code stays valid', async () => {
        const list = await service.waitlist();
        const { code } = await list.invite('a@example.com');
        const refused: [unknown, string | RegExp][] = [
          [[], 'body: must be an object'],
          ['a@example.com', 'body: must be an object'],
          [7, 'body: must be an object'],
          [null, 'body: must be an object'],
          [{ email: 7 }, 'email: must be a string'],
          [{ email: null }, 'email: must be a string'],
          [{ email: 'broken' }, 'email: not an email address'],
          [{ email: '' }, 'email: not an email address'],
          [{ mail: 'a@example.com' }, 'mail: unknown field'],
        ];
        for (const [body, message] of refused) {
          assertError(await service.accept(code, { body }), 400, 'invalid_request', message);
        }
        assertError(
          await service.accept(code, { headers: JSON_TYPE, rawBody: '{"email":' }),
          400,
          'invalid_request',
          'body: is not valid JSON',
        );
        assert.equal((await service.check(code)).body.valid, true);
      });

      it('counts as empty when it is only whitespace, whatever its type', async () => {
        const list = await service.waitlist();
        for (const [i, headers] of [JSON_TYPE, { 'content-type': 'text/plain' }].entries()) {
          const { code } = await list.invite(`white${i}@example.com`);
          assert.equal((await service.accept(code, { headers, rawBody: ' \r\n\t ' })).status, 200);
        }
      });

      it('is rejected with 415 in another format and with 413 when it is too large', async () => {
        const list = await service.waitlist();
        const { code } = await list.invite('a@example.com');
        for (const type of [
          'text/plain',
          'application/x-www-form-urlencoded',
          'application/xml',
          'nonsense',
        ]) {
          const answer = await service.accept(code, { headers: { 'content-type': type }, rawBody: '{}' });
          assertError(answer, 415, 'unsupported_media_type');
        }
        const large = { email: 'a@example.com', pad: 'x'.repeat(100_000) };
        assertError(await service.accept(code, { body: large }), 413, 'payload_too_large');
        assert.equal((await service.check(code)).body.valid, true);
      });
    });

    describe('refusals', () => {
      it('answers 404 for a code that does not exist', async () => {
        for (const code of [
          'x',
          'x'.repeat(32),
          'x'.repeat(100),
          'x'.repeat(101),
          'x'.repeat(200),
          'ü',
          '🎉'.repeat(200),
        ]) {
          assertError(await service.accept(code), 404, 'not_found', 'there is no invite with this code');
        }
        assertError(await raw('%00'), 404, 'not_found');
        const { tag } = await (await service.waitlist()).queue();
        assertError(await service.accept(tag + '0'.repeat(26)), 404, 'not_found');
      });

      it('answers 400 for a malformed code', async () => {
        assertError(
          await service.accept('x'.repeat(201)),
          400,
          'invalid_request',
          'code: is longer than 200 characters',
        );
        assertError(await raw(''), 400, 'invalid_request', 'code: is empty');
        assertError(await raw('%'), 400, 'invalid_request', /percent/);
      });

      it('answers 410 for an expired code, from the exact moment on', async () => {
        const list = await service.waitlist();
        const expiresAt = service.clock.now + 10_000;
        const [early, late] = [
          await list.invite('a@example.com', { expiresAt }),
          await list.invite('b@example.com', { expiresAt }),
        ];
        service.clock.advance(9_999);
        assert.equal((await service.accept(early.code)).status, 200);
        service.clock.advance(1);
        assertError(await service.accept(late.code), 410, 'expired');
        assertError(await service.accept(early.code), 409, 'accepted');
      });

      it('answers 410 for a revoked code, even if it has expired, too', async () => {
        const list = await service.waitlist();
        await list.signup({ email: 'a@example.com' });
        const { code, id } = await list.invite('a@example.com', { expiresAt: service.clock.now + 1_000 });
        await service.revoke(id);
        assertError(await service.accept(code), 410, 'revoked');
        service.clock.advance(2_000);
        assertError(await service.accept(code), 410, 'revoked');
        assert.equal((await list.lookup('a@example.com')).body.status, 'waiting');
      });

      it('reports that a code is gone before it checks the email', async () => {
        const list = await service.waitlist();
        const { code } = await list.invite('a@example.com');
        await service.accept(code);
        assertError(await service.accept(code, { body: { email: 'b@example.com' } }), 409, 'accepted');
      });

      it('does not let an accepted invite be revoked, or any invite twice', async () => {
        const list = await service.waitlist();
        const accepted = await list.invite('a@example.com');
        await service.accept(accepted.code);
        await assert.rejects(service.revoke(accepted.id), { code: 'accepted' });
        const revoked = await list.invite('b@example.com');
        await service.revoke(revoked.id);
        await assert.rejects(service.revoke(revoked.code), { code: 'revoked' });
      });
    });

    describe('Idempotency-Key', () => {
      const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });

      it('repeats the first response for a retry with the same key', async () => {
        const list = await service.waitlist();
        const { code } = await list.invite('a@example.com');
        const first = await service.accept(code, withKey('try-1'));
        service.clock.advance(60_000);
        const again = await service.accept(code, withKey('try-1'));
        assert.equal(again.status, 200);
        assert.deepEqual(again.body, first.body);
      });

      it('repeats the first response after the waitlist was renamed', async () => {
        const list = await service.waitlist({ name: 'Acme' });
        const { code } = await list.invite('a@example.com');
        const first = await service.accept(code, withKey('try-1'));
        await updateWaitlist(service.context, list.id, { name: 'Acme Inc.' });
        assert.deepEqual((await service.accept(code, withKey('try-1'))).body, first.body);
        assert.equal(first.body.waitlist.name, 'Acme');
      });

      it('does not help a retry with another key or none', async () => {
        const list = await service.waitlist();
        const { code } = await list.invite('a@example.com');
        await service.accept(code, withKey('try-1'));
        assertError(await service.accept(code, withKey('try-2')), 409, 'accepted');
        assertError(await service.accept(code), 409, 'accepted');
        const without = await list.invite('b@example.com');
        await service.accept(without.code);
        assertError(await service.accept(without.code, withKey('try-1')), 409, 'accepted');
      });

      it('works only for its code', async () => {
        const list = await service.waitlist();
        const [one, two] = [await list.invite('a@example.com'), await list.invite('b@example.com')];
        assert.equal((await service.accept(one.code, withKey('k'))).body.email, 'a@example.com');
        assert.equal((await service.accept(two.code, withKey('k'))).body.email, 'b@example.com');
      });

      it('does not turn a refusal into a success', async () => {
        const list = await service.waitlist();
        const { code } = await list.invite('a@example.com');
        const mismatch = { ...withKey('k'), body: { email: 'b@example.com' } };
        assertError(await service.accept(code, mismatch), 409, 'email_mismatch');
        assert.equal((await service.accept(code, withKey('k'))).status, 200);
        assertError(await service.accept(code, mismatch), 409, 'accepted');
      });

      it('still answers a retry after the expiry', async () => {
        const list = await service.waitlist();
        const { code } = await list.invite('a@example.com', { expiresAt: service.clock.now + 1_000 });
        await service.accept(code, withKey('k'));
        service.clock.advance(5_000);
        assert.equal((await service.accept(code, withKey('k'))).status, 200);
      });

      it('has 1 to 255 printable ASCII characters', async () => {
        const list = await service.waitlist();
        const { code } = await list.invite('a@example.com');
        for (const key of ['', 'x'.repeat(256), 'tab\there', 'ü']) {
          assertError(await service.accept(code, withKey(key)), 400, 'invalid_request', /^Idempotency-Key: /);
        }
        assert.equal((await service.accept(code, withKey('x'.repeat(255)))).status, 200);
      });

      it('gives many retries at once one and the same answer', async () => {
        const list = await service.waitlist();
        const { code } = await list.invite('a@example.com');
        const answers = await Promise.all(
          Array.from({ length: 20 }, () => service.accept(code, withKey('same'))),
        );
        for (const { status, body } of answers) {
          assert.equal(status, 200);
          assert.deepEqual(body, answers[0]?.body);
        }
      });
    });
  });
});
