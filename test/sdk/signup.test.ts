import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { describeAuthentication } from '../support/auth-cases.ts';
import {
  assertError,
  eventually,
  forEachEngine,
  type List,
  type Service,
  startService,
} from '../support/harness.ts';
import { unique } from '../support/storage.ts';

const PATH = '/sdk/v1/waitlist/signup';

forEachEngine((engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  describe('POST /signup', () => {
    describeAuthentication(() => service, {
      method: 'POST',
      path: () => PATH,
      body: (waitlistId) => ({ waitlistId, entries: [{ email: `${unique('p')}@example.com` }] }),
      reads: false,
      served: { status: 201 },
    });

    describe('adding', () => {
      it('answers 201 for a new entry and 200 for an existing one', async () => {
        const list = await service.waitlist();
        const first = await list.signup({ email: 'ada@example.com' });
        assert.equal(first.status, 201);
        assert.deepEqual(first.body, { success: true, created: 1, skipped: 0 });
        const again = await list.signup({ email: 'ada@example.com' });
        assert.equal(again.status, 200);
        assert.deepEqual(again.body, { success: true, created: 0, skipped: 1 });
      });

      it('answers 201 for a batch of new and existing entries, and counts both', async () => {
        const list = await service.waitlist();
        await list.signup({ email: 'a@example.com' }, { email: 'b@example.com' });
        const mixed = await list.signup(
          { email: 'a@example.com' },
          { email: 'c@example.com' },
          { email: 'b@example.com' },
        );
        assert.equal(mixed.status, 201);
        assert.deepEqual(mixed.body, { success: true, created: 1, skipped: 2 });
      });

      it('accepts an email, a phone, or both', async () => {
        const list = await service.waitlist();
        const { body } = await list.signup(
          { email: 'a@example.com' },
          { phone: '+14155550101' },
          { email: 'b@example.com', phone: '+14155550102' },
        );
        assert.equal(body.created, 3);
        const shown = (await list.page()).body.entries.map(({ email, phone }) => [email, phone]);
        assert.deepEqual(shown, [
          ['a@example.com', null],
          [null, '+14155550101'],
          ['b@example.com', '+14155550102'],
        ]);
      });

      it('skips the whole entry when its email or phone exists, and leaves the stored one unchanged', async () => {
        const list = await service.waitlist();
        await list.signup({ email: 'a@example.com', phone: '+14155550101', metadata: { plan: 'pro' } });
        const before = (await list.lookup('a@example.com')).body;
        const { body } = await list.signup(
          { email: 'A@Example.com', metadata: { plan: 'free' } },
          { email: 'new@example.com', phone: '+1 (415) 555-0101' },
          { email: 'other@example.com', phone: '+14155550102' },
          { email: 'new@example.com', phone: '+14155550102' },
        );
        assert.deepEqual(body, { success: true, created: 1, skipped: 3 });
        assert.deepEqual((await list.lookup('a@example.com')).body, before);
        assert.equal((await list.lookup('new@example.com')).status, 404);
        assert.equal((await list.page()).body.total, 2);
      });

      it('skips duplicates of an earlier entry in the same batch', async () => {
        const list = await service.waitlist();
        const { status, body } = await list.signup(
          { email: 'a@example.com' },
          { email: ' A@EXAMPLE.COM ' },
          { email: 'b@example.com', phone: '+14155550101' },
          { phone: '+1-415-555-0101' },
        );
        assert.equal(status, 201);
        assert.deepEqual(body, { success: true, created: 2, skipped: 2 });
      });

      it('gives no sequence number to a duplicate, so the next signup gets the next position', async () => {
        const list = await service.waitlist();
        await list.signup({ email: 'a@example.com' });
        for (let i = 0; i < 10; i += 1) await list.signup({ email: 'a@example.com' });
        await list.signup({ email: 'b@example.com' });
        assert.equal((await list.lookup('b@example.com')).body.position, 2);
      });

      it('keeps queues of different waitlists and environments apart', async () => {
        const [one, two] = [await service.waitlist(), await service.waitlist()];
        await one.signup({ email: 'a@example.com' });
        assert.equal((await two.signup({ email: 'a@example.com' })).status, 201);
        const test = await service.key({ waitlistId: one.id, environment: 'development', read: true });
        assert.match(test.key, /^dl_test_/);
        const elsewhere = await service.request('POST', PATH, {
          key: test.key,
          body: { waitlistId: one.id, entries: [{ email: 'a@example.com' }] },
        });
        assert.equal(elsewhere.status, 201);
        assert.equal((await one.page()).body.total, 1);
      });

      it('is safe to retry, even when others signed up in between', async () => {
        const list = await service.waitlist();
        const batch = Array.from({ length: 100 }, (_, i) => ({ email: `p${i}@example.com` }));
        assert.deepEqual((await list.signup(...batch)).body, { success: true, created: 100, skipped: 0 });
        const again = await list.signup(...batch);
        assert.equal(again.status, 200);
        assert.deepEqual(again.body, { success: true, created: 0, skipped: 100 });
      });

      it('returns what was typed, trimmed and normalized, and compares case-insensitively', async () => {
        const list = await service.waitlist();
        await list.signup({ email: '  Zoe\u0308@M\u00fcnchen.Example ' });
        const { body } = await list.lookup('zo\u00eb@xn--mnchen-3ya.example');
        assert.equal(body.email, 'Zo\u00eb@M\u00fcnchen.Example');
        for (const same of ['ZO\u00cb@m\u00fcnchen.example', 'zo\u00eb@XN--MNCHEN-3YA.EXAMPLE']) {
          assert.equal((await list.signup({ email: same })).body.skipped, 1, same);
        }
      });

      it('keeps dots and plus signs', async () => {
        const list = await service.waitlist();
        const { body } = await list.signup(
          { email: 'ab@example.com' },
          { email: 'a.b@example.com' },
          { email: 'ab+1@example.com' },
        );
        assert.equal(body.created, 3);
      });

      it('returns metadata as it was sent', async () => {
        const list = await service.waitlist();
        const metadata = {
          plan: 'pro',
          'key with ünïcode 🎉': ['', null, true, -1.5e-3, { nested: { empty: {} } }],
          constructor: 'not a problem',
          toString: 1,
          list: [],
        };
        await list.signup({ email: 'a@example.com', metadata }, { email: 'b@example.com', metadata: {} });
        assert.deepEqual((await list.lookup('a@example.com')).body.metadata, metadata);
        assert.deepEqual((await list.lookup('b@example.com')).body.metadata, {});
      });
    });

    describe('referrals', () => {
      it('credits a referrer named by email, phone or referral code, in any spelling', async () => {
        const list = await service.waitlist();
        await list.signup({ email: 'Ref@Example.com', phone: '+14155550100' });
        const { referralCode } = (await list.lookup('ref@example.com')).body;
        assert.match(referralCode ?? '', /^[0-9a-hjkmnp-tv-z]{8}$/);
        await list.signup(
          { email: '1@example.com', referredBy: ' REF@example.COM ' },
          { email: '2@example.com', referredBy: '+1 (415) 555-0100' },
          { email: '3@example.com', referredBy: referralCode },
          { email: '4@example.com', referredBy: ` ${referralCode?.toUpperCase()} ` },
        );
        assert.equal((await list.lookup('ref@example.com')).body.referrals, 4);
        for (const n of [1, 2, 3, 4]) {
          assert.equal((await list.lookup(`${n}@example.com`)).body.referredBy, 'Ref@Example.com');
        }
      });

      it("shows a referrer's phone if there is no email", async () => {
        const list = await service.waitlist();
        await list.signup({ phone: '+14155550100' }, { email: 'a@example.com', referredBy: '+14155550100' });
        assert.equal((await list.lookup('a@example.com')).body.referredBy, '+14155550100');
      });

      it('credits an earlier entry of the same batch, but not a later one', async () => {
        const list = await service.waitlist();
        await list.signup(
          { email: 'early@example.com', referredBy: 'late@example.com' },
          { email: 'late@example.com', referredBy: 'early@example.com' },
        );
        const early = (await list.lookup('early@example.com')).body;
        const late = (await list.lookup('late@example.com')).body;
        assert.deepEqual([early.referrals, early.referredBy], [1, null]);
        assert.deepEqual([late.referrals, late.referredBy], [0, 'early@example.com']);
      });

      it('accepts the signup and credits nobody for an unknown referrer, a self-referral or other text', async () => {
        const list = await service.waitlist();
        await list.signup({ email: 'there@example.com', phone: '+14155550100' });
        const named = [
          'nobody@example.com',
          '+14155550199',
          'zzzzzzzz',
          '',
          'not @ anything',
          '☃',
          'x'.repeat(5_000),
        ];
        const { status, body } = await list.signup(
          ...named.map((referredBy, i) => ({ email: `${i}@example.com`, referredBy })),
          { email: 'self@example.com', referredBy: 'SELF@example.com' },
          { phone: '+14155550177', email: 'me@example.com', referredBy: '+14155550177' },
        );
        assert.equal(status, 201);
        assert.equal(body.created, named.length + 2);
        for (const entry of await list.walk())
          assert.deepEqual([entry.referrals, entry.referredBy], [0, null]);
      });

      it('credits nobody for a duplicate', async () => {
        const list = await service.waitlist();
        await list.signup({ email: 'ref@example.com' }, { email: 'a@example.com' });
        await list.signup({ email: 'a@example.com', referredBy: 'ref@example.com' });
        assert.equal((await list.lookup('ref@example.com')).body.referrals, 0);
        assert.equal((await list.lookup('a@example.com')).body.referredBy, null);
      });

      it('does not credit an entry of another waitlist', async () => {
        const [one, two] = [await service.waitlist(), await service.waitlist()];
        await one.signup({ email: 'ref@example.com' });
        await two.signup({ email: 'a@example.com', referredBy: 'ref@example.com' });
        assert.equal((await one.lookup('ref@example.com')).body.referrals, 0);
        assert.equal((await two.lookup('a@example.com')).body.referredBy, null);
      });

      it('moves a person past exactly five people per referral', async () => {
        const list = await service.waitlist();
        await list.signup(...Array.from({ length: 10 }, (_, i) => ({ email: `p${i + 1}@example.com` })));
        await list.signup({ email: 'new@example.com', referredBy: 'p9@example.com' });
        const order = (await list.walk({ sort: 'position' })).map(({ email }) => email?.split('@')[0]);
        assert.deepEqual(order, ['p1', 'p2', 'p3', 'p9', 'p4', 'p5', 'p6', 'p7', 'p8', 'p10', 'new']);
      });

      it("moves people as far as the waitlist's boost says, or not at all when it is off", async () => {
        for (const [boost, position] of [
          [0, 8],
          [1, 7],
          [3, 5],
          [1000, 1],
        ] as const) {
          const list = await service.waitlist({ boost });
          await list.signup(...Array.from({ length: 8 }, (_, i) => ({ email: `p${i + 1}@example.com` })));
          await list.signup({ email: 'new@example.com', referredBy: 'p8@example.com' });
          assert.equal((await list.lookup('p8@example.com')).body.position, position, `boost ${boost}`);
        }
      });
    });

    describe('refusals', () => {
      /** Refused with that message, and nothing of it stored. */
      const assertRefused = async (list: List, body: unknown, message: string | RegExp) => {
        const answer = await service.request('POST', PATH, { key: list.key, body });
        assertError(answer, 400, 'invalid_request', message);
        assert.equal((await list.page()).body.total, 0);
      };
      const refuseEntry = async (entry: unknown, message: string | RegExp) => {
        const list = await service.waitlist();
        await assertRefused(
          list,
          { waitlistId: list.id, entries: [{ email: 'good@example.com' }, entry] },
          message,
        );
      };
      const takeEntry = async (entry: unknown) => {
        const list = await service.waitlist();
        const { status, text } = await list.signup(entry);
        assert.equal(status, 201, text);
        return list;
      };

      it('accepts 1 and 100 entries, and rejects 0 and 101', async () => {
        const list = await service.waitlist();
        const batch = (n: number) => Array.from({ length: n }, (_, i) => ({ email: `p${i}@example.com` }));
        await assertRefused(
          list,
          { waitlistId: list.id, entries: [] },
          'entries: must have 1 to 100 elements, has 0',
        );
        await assertRefused(
          list,
          { waitlistId: list.id, entries: batch(101) },
          'entries: must have 1 to 100 elements, has 101',
        );
        assert.equal((await list.signup(...batch(1))).body.created, 1);
        assert.deepEqual((await list.signup(...batch(100))).body, { success: true, created: 99, skipped: 1 });
      });

      it('rejects a malformed body, and names what is wrong', async () => {
        const list = await service.waitlist();
        const entries = [{ email: 'a@example.com' }];
        for (const body of [[], 'text', 7, null, true]) {
          await assertRefused(list, body, 'body: must be a JSON object');
        }
        await assertRefused(list, {}, 'waitlistId: is required; entries: is required');
        await assertRefused(list, { entries }, 'waitlistId: is required');
        await assertRefused(list, { waitlistId: 7, entries }, 'waitlistId: must be a string');
        await assertRefused(list, { waitlistId: list.id, entries: {} }, 'entries: must be an array');
        await assertRefused(list, { waitlistId: list.id, entries: null }, 'entries: must be an array');
      });

      it('rejects unknown fields by name', async () => {
        const list = await service.waitlist();
        const entry = { email: 'a@example.com', referedBy: 'b@example.com', Email: 'x' };
        await assertRefused(
          list,
          { waitlistId: list.id, entries: [{ email: 'ok@example.com' }, entry], dryRun: true },
          'dryRun: unknown field; entries[1].referedBy: unknown field; entries[1].Email: unknown field',
        );
      });

      it('rejects fields of the wrong type by name', async () => {
        const list = await service.waitlist();
        const entries = [{ email: 7, phone: null, metadata: [], referredBy: {} }, 'text', null, {}];
        await assertRefused(
          list,
          { waitlistId: list.id, entries },
          'entries[0].email: must be a string; entries[0].phone: must be a string; ' +
            'entries[0].metadata: must be an object; entries[0].referredBy: must be a string; ' +
            'entries[1]: must be an object; entries[2]: must be an object; entries[3]: email or phone is required',
        );
      });

      it('names the first ten problems and counts the rest', async () => {
        const list = await service.waitlist();
        const entries = Array.from({ length: 12 }, () => ({ email: 'broken' }));
        const told = Array.from({ length: 10 }, (_, i) => `entries[${i}].email: not an email address`);
        await assertRefused(list, { waitlistId: list.id, entries }, `${told.join('; ')}; and 2 more`);
        const ten = entries.slice(0, 10);
        await assertRefused(list, { waitlistId: list.id, entries: ten }, told.join('; '));
      });

      it('rejects invalid email addresses', async () => {
        const broken = [
          '',
          'plain',
          '@example.com',
          'a@',
          'a@@b.co',
          'a@b@c.co',
          'a b@example.com',
          '"a"@example.com',
        ];
        broken.push(
          'a,b@example.com',
          '<a@example.com>',
          'a@exam ple.com',
          'a@b..co',
          'a@.co',
          'a\u0007@b.co',
          'a@b\tc.co',
        );
        broken.push('a@b.co\u200b', 'a\u00a0b@c.co', 'a@b/c', 'a@b:25', `a@${'d'.repeat(64)}.co`);
        for (const email of broken) await refuseEntry({ email }, 'entries[1].email: not an email address');
      });

      it('accepts an email of 254 characters and rejects one of 255', async () => {
        const domain = `${'d'.repeat(60)}.${'e'.repeat(60)}.example`;
        const ofLength = (n: number) => `${'a'.repeat(n - domain.length - 1)}@${domain}`;
        const list = await takeEntry({ email: ofLength(254) });
        assert.equal((await list.lookup(ofLength(254))).body.email, ofLength(254));
        await takeEntry({ email: `  ${ofLength(254)}  ` });
        await takeEntry({ email: ofLength(254).replace(/^a/, '🎉') });
        await refuseEntry({ email: ofLength(255) }, 'entries[1].email: must have at most 254 characters');
      });

      it('accepts phones of 7 to 15 digits in international format', async () => {
        const list = await takeEntry({ phone: '+1 (415) 555-01.23' });
        assert.equal((await list.page()).body.entries[0]?.phone, '+14155550123');
        for (const phone of ['+1234567', '+123456789012345']) await takeEntry({ phone });
        const broken = [
          '',
          '+',
          '4155550123',
          '0014155550123',
          '+123456',
          '+1234567890123456',
          '+0123456789',
          '+1415555o123',
        ];
        broken.push(
          '++14155550123',
          '+1415/5550123',
          '+1415555\u0661123',
          '+14155550123x5',
          '+1\n4155550123',
        );
        for (const phone of broken) {
          await refuseEntry(
            { phone },
            'entries[1].phone: not a phone number in international form, such as +14155550123',
          );
        }
      });

      it('accepts 64 metadata keys and rejects 65', async () => {
        const ofKeys = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, i]));
        await takeEntry({ email: 'a@example.com', metadata: ofKeys(64) });
        await refuseEntry(
          { email: 'a@example.com', metadata: ofKeys(65) },
          'entries[1].metadata: has more than 64 keys',
        );
        // Nothing else is looked at: it may be as large as a body.
        await refuseEntry(
          { email: 'a@example.com', metadata: { ...ofKeys(65), '': 'x'.repeat(20_000) } },
          'entries[1].metadata: has more than 64 keys',
        );
      });

      it('accepts metadata keys of 1 and 64 characters and rejects 0 and 65', async () => {
        await takeEntry({
          email: 'a@example.com',
          metadata: { a: 1, ['k'.repeat(64)]: 1, ['🎉'.repeat(64)]: 1 },
        });
        await refuseEntry(
          { email: 'a@example.com', metadata: { '': 1 } },
          'entries[1].metadata: has an empty key',
        );
        await refuseEntry(
          { email: 'a@example.com', metadata: { ['k'.repeat(65)]: 1 } },
          'entries[1].metadata.kkkkkkkkkkkkkkkk…: the key is longer than 64 characters',
        );
      });

      it('accepts metadata nested 8 levels and rejects 9', async () => {
        const nested = (levels: number): object => (levels === 1 ? { x: 1 } : { x: nested(levels - 1) });
        const lists = (levels: number): object => (levels === 1 ? {} : { x: inArrays(levels - 1) });
        const inArrays = (levels: number): unknown => (levels === 0 ? 1 : [inArrays(levels - 1)]);
        await takeEntry({ email: 'a@example.com', metadata: nested(8) });
        await takeEntry({ email: 'a@example.com', metadata: lists(8) });
        const message = 'entries[1].metadata: is nested deeper than 8 levels';
        await refuseEntry({ email: 'a@example.com', metadata: nested(9) }, message);
        await refuseEntry({ email: 'a@example.com', metadata: lists(9) }, message);
      });

      it('accepts 16 KiB of metadata as JSON and rejects one byte more', async () => {
        const ofBytes = (n: number) => ({
          note: 'é'.repeat(100) + 'x'.repeat(n - 200 - '{"note":""}'.length),
        });
        assert.equal(Buffer.byteLength(JSON.stringify(ofBytes(16_384))), 16_384);
        const list = await takeEntry({ email: 'a@example.com', metadata: ofBytes(16_384) });
        assert.deepEqual((await list.lookup('a@example.com')).body.metadata, ofBytes(16_384));
        await refuseEntry(
          { email: 'a@example.com', metadata: ofBytes(16_385) },
          'entries[1].metadata: is larger than 16384 bytes as JSON',
        );
      });

      describe('numbers in metadata', () => {
        const sendMetadata = async (metadata: string) => {
          const list = await service.waitlist();
          const entries = `[{"email":"first@example.com"},{"email":"a@example.com","metadata":${metadata}}]`;
          const answer = await service.request('POST', PATH, {
            key: list.key,
            headers: { 'content-type': 'application/json' },
            rawBody: `{"waitlistId":"${list.id}","entries":${entries}}`,
          });
          return { list, answer };
        };

        it('are rejected by name if they cannot be returned exactly', async () => {
          const inexact = [
            '9007199254740993',
            '12345678901234567890',
            '1e-400',
            '1e400',
            '0.12345678901234567890',
          ];
          const minusZero = (await sendMetadata('{"zero":-0}')).answer;
          assertError(minusZero, 400, 'invalid_request', /^entries\[1\]\.metadata\.zero: is a number/);
          for (const number of inexact) {
            const { list, answer } = await sendMetadata(`{"big":${number},"list":[1,{"deep":-${number}}]}`);
            const why = 'is a number that cannot be kept exactly; send it as a string';
            const message = `entries[1].metadata.big: ${why}; entries[1].metadata.list[1].deep: ${why}`;
            assertError(answer, 400, 'invalid_request', message);
            assert.equal((await list.page()).body.total, 0);
          }
        });

        it('are returned with the value that was sent, in any spelling', async () => {
          const { list, answer } = await sendMetadata(
            '{"a":1.0,"b":1E2,"c":-0.5,"d":0.30000000000000004,"e":9007199254740992,"f":1e23,"g":" 12345678901234567890, 1e400"}',
          );
          assert.equal(answer.status, 201, answer.text);
          assert.deepEqual((await list.lookup('a@example.com')).body.metadata, {
            ...{ a: 1, b: 100, c: -0.5, d: 0.30000000000000004, e: 9007199254740992, f: 1e23 },
            g: ' 12345678901234567890, 1e400',
          });
        });
      });

      it('accepts a body of 4 MiB and rejects one byte more with 413', async () => {
        const list = await service.waitlist();
        const bodyOf = (bytes: number) => {
          const json = JSON.stringify({ waitlistId: list.id, entries: [{ email: 'a@example.com' }] });
          return json + ' '.repeat(bytes - json.length);
        };
        const send = (bytes: number) =>
          service.request('POST', PATH, {
            key: list.key,
            headers: { 'content-type': 'application/json' },
            rawBody: bodyOf(bytes),
          });
        assertError(await send(4 * 1024 * 1024 + 1), 413, 'payload_too_large');
        assert.equal((await list.page()).body.total, 0);
        assert.equal((await send(4 * 1024 * 1024)).status, 201);
      });

      it('accepts 100 entries with the maximum metadata each', async () => {
        const list = await service.waitlist();
        const metadata = { note: 'x'.repeat(16_384 - '{"note":""}'.length) };
        const batch = Array.from({ length: 100 }, (_, i) => ({ email: `p${i}@example.com`, metadata }));
        assert.equal((await list.signup(...batch)).body.created, 100);
      });

      it('answers 409 when the waitlist is closed, and accepts signups again when it opens', async () => {
        const list = await service.waitlist();
        await list.signup({ email: 'a@example.com' });
        await updateWaitlist(service.context, list.id, { closed: true });
        const closed = () => list.signup({ email: 'b@example.com' });
        assertError(await closed(), 409, 'waitlist_closed');
        assertError(await list.signup({ email: 'a@example.com' }), 409, 'waitlist_closed');
        assert.equal((await list.page()).body.total, 1);
        await updateWaitlist(service.context, list.id, { closed: false });
        assert.equal((await eventually(closed, ({ status }) => status === 201)).status, 201);
      });
    });
  });
});
