import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertError, forEachEngine, type Service, startService } from '../support/harness.ts';

const PREFIX = '/sdk/v1/waitlist/invites/';
const NOT_FOUND = { valid: false, reason: 'not_found' };

forEachEngine((engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  const raw = (segment: string) => service.request('GET', PREFIX + segment);
  const stateOf = async (code: string) => {
    const { status, body } = await service.check(code);
    assert.equal(status, 200);
    return body;
  };

  describe('GET /invites/{code}', () => {
    it('shows who a valid code invites, and to what', async () => {
      const list = await service.waitlist({ name: 'Acme “Früh” 🎉' });
      const { code } = await list.invite(' Ada@Example.com ');
      const { status, body, headers } = await service.check(code);
      assert.equal(status, 200);
      assert.deepEqual(body, {
        valid: true,
        email: 'Ada@Example.com',
        waitlist: { id: list.id, name: 'Acme “Früh” 🎉' },
      });
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.ok(headers.get('x-request-id'));
    });

    it('shows the expiry whenever one is set, and is valid until that instant', async () => {
      const list = await service.waitlist();
      const at = service.clock.now + 60_000;
      const expiresAt = new Date(at).toISOString();
      const { code } = await list.invite('a@example.com', { expiresAt: at });
      const live = {
        valid: true,
        email: 'a@example.com',
        waitlist: { id: list.id, name: 'Acme' },
        expiresAt,
      };
      assert.deepEqual(await stateOf(code), live);
      service.clock.advance(59_999);
      assert.deepEqual(await stateOf(code), live);
      service.clock.advance(1);
      assert.deepEqual(await stateOf(code), { valid: false, reason: 'expired', expiresAt });
    });

    it('reports accepted or revoked, without the email', async () => {
      const list = await service.waitlist();
      const accepted = await list.invite('a@example.com');
      await service.accept(accepted.code);
      assert.deepEqual(await stateOf(accepted.code), { valid: false, reason: 'accepted' });
      const at = service.clock.now + 60_000;
      const revoked = await list.invite('b@example.com', { expiresAt: at });
      await service.revoke(revoked.code);
      const expiresAt = new Date(at).toISOString();
      assert.deepEqual(await stateOf(revoked.code), { valid: false, reason: 'revoked', expiresAt });
    });

    it('reports accepted before revoked, and revoked before expired', async () => {
      const list = await service.waitlist();
      const expiresAt = service.clock.now + 1_000;
      const accepted = await list.invite('a@example.com', { expiresAt });
      const revoked = await list.invite('b@example.com', { expiresAt });
      const expired = await list.invite('c@example.com', { expiresAt });
      await service.accept(accepted.code);
      await assert.rejects(service.revoke(accepted.code), { code: 'accepted' });
      await service.revoke(revoked.code);
      service.clock.advance(5_000);
      const shown = await Promise.all([accepted, revoked, expired].map(({ code }) => stateOf(code)));
      const iso = new Date(expiresAt).toISOString();
      assert.deepEqual(
        shown,
        ['accepted', 'revoked', 'expired'].map((reason) => ({ valid: false, reason, expiresAt: iso })),
      );
      await assert.rejects(service.revoke(expired.code), { code: 'expired' });
      assert.deepEqual(await stateOf(expired.code), { valid: false, reason: 'expired', expiresAt: iso });
    });

    it('treats well-formed codes of 1, 100, 101 and 200 characters as unknown', async () => {
      for (const length of [1, 31, 32, 33, 100, 101, 200]) {
        assert.deepEqual(await stateOf('x'.repeat(length)), NOT_FOUND);
      }
    });

    it('rejects a code of more than 200 characters', async () => {
      for (const length of [201, 1_000, 8_000]) {
        assertError(
          await raw('x'.repeat(length)),
          400,
          'invalid_request',
          'code: is longer than 200 characters',
        );
      }
    });

    it('counts characters after decoding', async () => {
      assert.deepEqual(await stateOf('ü'.repeat(200)), NOT_FOUND);
      assert.deepEqual(await stateOf('🎉'.repeat(200)), NOT_FOUND);
      assert.deepEqual((await raw('%78'.repeat(200))).body, NOT_FOUND);
      assertError(await raw(encodeURIComponent('🎉'.repeat(201))), 400, 'invalid_request', /longer than 200/);
      assertError(await raw('%78'.repeat(201)), 400, 'invalid_request', /longer than 200/);
    });

    it('rejects an empty code', async () => {
      assertError(await raw(''), 400, 'invalid_request', 'code: is empty');
      assertError(await raw('?x=1'), 400, 'invalid_request', 'code: is empty');
    });

    it('rejects broken percent-encoding', async () => {
      for (const segment of ['%', '%a', '%zz', 'abc%', '%ff', '%c3%28']) {
        assertError(await raw(segment), 400, 'invalid_request', /percent/);
      }
    });

    it('treats a code with a NUL as unknown', async () => {
      for (const segment of ['%00', 'abc%00def', `${'x'.repeat(31)}%00`]) {
        const { status, body } = await raw(segment);
        assert.deepEqual([status, body], [200, { valid: false, reason: 'not_found' }]);
      }
    });

    it('treats text that only looks like a code as unknown', async () => {
      const list = await service.waitlist();
      const { code, id } = await list.invite('a@example.com');
      const other = await (await service.waitlist()).queue();
      const last = code.at(-1) === '0' ? '1' : '0';
      const alike = [
        code.toUpperCase(),
        ` ${code}`,
        `${code} `,
        code.slice(0, -1),
        `${code}0`,
        code.slice(0, -1) + last,
        id,
      ];
      alike.push(other.tag + code.slice(other.tag.length), '../healthz', `${code}/accept`, "' or 1=1 --");
      for (const text of alike) assert.deepEqual(await stateOf(text), NOT_FOUND, text);
    });

    it('uses codes of at least 128 random bits in an unambiguous alphabet', async () => {
      const list = await service.waitlist();
      const { tag } = await list.queue();
      const codes = await Promise.all(Array.from({ length: 20 }, (_, i) => list.invite(`p${i}@example.com`)));
      for (const { code } of codes) {
        assert.ok(code.startsWith(tag));
        assert.match(code.slice(tag.length), /^[0-9a-hjkmnp-tv-z]{26,}$/);
      }
      assert.equal(new Set(codes.map(({ code }) => code)).size, 20);
    });

    it('finds the environment that the invite was created for', async () => {
      const list = await service.waitlist();
      const { code } = await list.invite('a@example.com', { environment: 'development' });
      await list.signup({ email: 'a@example.com' });
      await service.accept(code);
      assert.equal((await list.lookup('a@example.com')).body.status, 'waiting');
    });

    it('answers HEAD as GET, without the body', async () => {
      const { status, text } = await service.request('HEAD', `${PREFIX}abc`);
      assert.deepEqual([status, text], [200, '']);
    });
  });
});
