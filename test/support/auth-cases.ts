import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newServerKey } from '../../src/waitlist/keys/server-key-format.ts';
import { revokeKey, rotateKey } from '../../src/waitlist/keys/server-keys.ts';
import { type Answer, assertError, eventually, type Service } from './harness.ts';
import { unique } from './storage.ts';

interface AuthenticatedRoute {
  method: string;
  path(waitlistId: string): string;
  body?(waitlistId: string): unknown;
  /** Needs the grant `waitlist:read`. */
  reads: boolean;
  /** The expected response on an empty waitlist. */
  served: { status: number; message?: string };
}

const REFUSAL = 'a valid server key is required: send it as Authorization: Bearer <key>';

/** Cases for every route that requires a server key. */
export function describeAuthentication(service: () => Service, route: AuthenticatedRoute): void {
  const call = (waitlistId: string, headers: Record<string, string>) =>
    service().request(route.method, route.path(waitlistId), { headers, body: route.body?.(waitlistId) });
  const withKey = (waitlistId: string, key: string) => call(waitlistId, { authorization: `Bearer ${key}` });

  const assertServed = ({ status, body, text }: Answer, name?: string) => {
    const { message } = (body ?? {}) as { message?: string };
    assert.deepEqual({ status, message }, { message: undefined, ...route.served }, name ?? text);
  };

  describe('authentication', () => {
    it('answers a missing, malformed, unknown, revoked and expired key with one and the same 401', async () => {
      const { context, clock, key, waitlist } = service();
      const { id } = await waitlist();
      const good = await key({ waitlistId: id, read: true });
      const revoked = await key({ waitlistId: id, read: true });
      await revokeKey(context, revoked.id);
      const expired = await key({ waitlistId: id, read: true, expiresAt: clock.now + 1_000 });
      clock.advance(1_000);
      const swapped = good.key.slice(0, -1) + (good.key.endsWith('0') ? '1' : '0');
      const refused: Record<string, Record<string, string>> = {
        missing: {},
        empty: { authorization: '' },
        'scheme alone': { authorization: 'Bearer' },
        'another scheme': { authorization: `Basic ${good.key}` },
        'no scheme': { authorization: good.key },
        'not a key': { authorization: 'Bearer not-a-key' },
        'wrong checksum': { authorization: `Bearer ${swapped}` },
        'something behind it': { authorization: `Bearer ${good.key} x` },
        'very long': { authorization: `Bearer ${'a'.repeat(5_000)}` },
        unknown: { authorization: `Bearer ${newServerKey('production')}` },
        revoked: { authorization: `Bearer ${revoked.key}` },
        expired: { authorization: `Bearer ${expired.key}` },
      };
      for (const [name, headers] of Object.entries(refused)) {
        const answer = await call(id, headers);
        assertError(answer, 401, 'unauthorized', REFUSAL);
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer', name);
      }
      assertServed(await withKey(id, good.key));
    });

    it('takes the scheme in any case', async () => {
      const { id, key } = await service().waitlist();
      assertServed(await call(id, { authorization: `bearer ${key}` }));
    });

    it('notices that a key was revoked while it was in use', async () => {
      const { id, key, keyId } = await service().waitlist();
      assertServed(await withKey(id, key));
      await revokeKey(service().context, keyId);
      assertError(
        await eventually(
          () => withKey(id, key),
          ({ status }) => status === 401,
        ),
        401,
        'unauthorized',
      );
    });

    it('lets a rotated key live on for the overlap, and its successor from then on', async () => {
      const { context, clock, waitlist } = service();
      const { id, key, keyId } = await waitlist();
      const next = await rotateKey(context, keyId, 60_000);
      assertServed(await withKey(id, next.key));
      clock.advance(59_999);
      assertServed(await withKey(id, key));
      clock.advance(1);
      const refused = await eventually(
        () => withKey(id, key),
        ({ status }) => status === 401,
      );
      assertError(refused, 401, 'unauthorized', REFUSAL);
      assertServed(await withKey(id, next.key));
    });

    it('does not tell a waitlist that the key does not cover from one that does not exist', async () => {
      const { waitlist, key } = service();
      const own = await waitlist();
      const foreign = await waitlist();
      const uncovered = await withKey(foreign.id, own.key);
      const unknown = await withKey(unique('wl_'), own.key);
      assertError(uncovered, 404, 'not_found', 'there is no such waitlist');
      assertError(unknown, 404, 'not_found', 'there is no such waitlist');
      const product = await key();
      assertError(await withKey(unique('wl_'), product.key), 404, 'not_found', 'there is no such waitlist');
      const inPathOnly = route.body ? [] : ['wl_\0'];
      for (const strange of ['wl_ä', 'wl_%00', "wl_' or 1=1 --", 'a'.repeat(3_000), ...inPathOnly]) {
        const answer = await service().request(route.method, route.path(encodeURIComponent(strange)), {
          key: product.key,
          body: route.body?.(strange),
        });
        assertError(answer, 404, 'not_found', 'there is no such waitlist');
      }
    });

    it('takes a product key for every waitlist', async () => {
      const { waitlist, key } = service();
      const product = await key();
      for (const { id } of [await waitlist(), await waitlist()]) {
        assertServed(await withKey(id, product.key));
      }
    });

    if (route.reads) {
      it('answers a good key without waitlist:read with 403', async () => {
        const { waitlist, key } = service();
        const { id } = await waitlist();
        const writer = await key({ waitlistId: id, read: false });
        assertError(
          await withKey(id, writer.key),
          403,
          'forbidden',
          'this server key does not have the waitlist:read grant',
        );
      });
    } else {
      it('takes a key without waitlist:read', async () => {
        const { waitlist, key } = service();
        const { id } = await waitlist();
        const writer = await key({ waitlistId: id, read: false });
        assertServed(await withKey(id, writer.key));
      });
    }
  });
}
