import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Status } from '../../src/db/tables.ts';
import { leaderboard, listSegment } from '../../src/waitlist/entries/browse-entries.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import type { Segment } from '../../src/waitlist/entries/segment.ts';
import { type PresentedEntry, presentEntry } from '../../src/wire/entry.ts';
import { fillQueue } from '../support/crowd.ts';
import { forEachEngine, type List, type Service, START, startService } from '../support/harness.ts';
import { assertProperty } from '../support/property.ts';
import { seededRandom } from '../support/random.ts';
import { SEED, seedFor } from '../support/seed.ts';

const PEOPLE = 240;
const VALUES = ['pro', 'free', '', '5', 5, 5.5, -1, 0, true, false, 'true', null, ['pro'], { deep: 'pro' }];
const KEYS = ['plan', 'seats', 'sp ace=', 'Plan'];
const CONDITIONS = ['pairs', 'minReferrals', 'joinedBefore', 'joinedAfter', 'status'] as const;

forEachEngine((engine) => {
  let service: Service;
  let list: List;
  let everybody: PresentedEntry[];
  before(async () => {
    service = await startService(engine);
    list = await service.waitlist();
    const queue = await list.queue();
    const random = seededRandom(SEED);
    const among = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T;
    for (let n = 0; n < PEOPLE; n += 20) {
      await fillQueue(service.context, queue, 20, (i) => ({
        email: `p${n + i}@example.com`,
        metadata: Object.fromEntries(KEYS.filter(() => random() < 0.6).map((key) => [key, among(VALUES)])),
        ...(random() < 0.4
          ? { referrer: { kind: 'email', key: `p${Math.floor(random() ** 3 * (n + i))}@example.com` } }
          : {}),
      }));
      service.clock.advance(1_000);
    }
    for (let n = 0; n < PEOPLE; n += 9) await list.invite(`p${n}@example.com`);
    for (let n = 4; n < PEOPLE; n += 31) await eraseEntry(service.context, queue, `p${n}@example.com`);
    for (let n = 9; n < PEOPLE; n += 45) await service.accept((await list.invite(`p${n}@example.com`)).code);
    everybody = await list.walk({ limit: 200 });
  });
  after(() => service.close());

  const wholeSegment = async (segment: Segment, limit: number): Promise<PresentedEntry[]> => {
    const found: PresentedEntry[] = [];
    for (;;) {
      const after = found.at(-1)?.id;
      const page = await listSegment(service.context, await list.queue(), segment, { limit, after });
      found.push(...page.map(presentEntry));
      if (page.length < limit) return found;
    }
  };

  describe('a segment', () => {
    const time = fc.integer({ min: START, max: START + (PEOPLE / 20) * 1_000 });
    const segment: fc.Arbitrary<Segment> = fc.record(
      {
        pairs: fc.array(
          fc.record({
            key: fc.constantFrom(...KEYS),
            value: fc.constantFrom('pro', 'free', '', '5', '5.5', '-1', '0', 'true', 'false', 'null', 'x'),
          }),
          { maxLength: 2 },
        ),
        minReferrals: fc.constantFrom(0, 0, 1, 2, 4),
        joinedBefore: time,
        joinedAfter: time,
        status: fc.constantFrom<Status>('waiting', 'waiting', 'invited', 'joined', 'removed', 'pending'),
      },
      { requiredKeys: [] },
    );
    /** One that a person is in: of conditions at random, few segments have anybody in them. */
    const segmentOfSomebody = fc
      .tuple(fc.nat({ max: PEOPLE - 1 }), fc.uniqueArray(fc.constantFrom(...CONDITIONS)))
      .map(([number, conditions]): Segment => {
        const meets = conditionsMetBy(everybody[number] as PresentedEntry);
        return Object.fromEntries(conditions.map((condition) => [condition, meets[condition]]));
      });

    it('matches a filter over everyone, in the order of joining, on every page', async (test) => {
      let peopled = 0;
      await assertProperty(
        test,
        import.meta.filename,
        fc.asyncProperty(
          fc.oneof(segment, { arbitrary: segmentOfSomebody, weight: 2 }),
          fc.constantFrom(1, 7, 200),
          async (wanted, limit) => {
            const expected = everybody.filter((entry) => fits(entry, wanted));
            if (expected.length > 0) peopled += 1;
            assert.deepEqual(await wholeSegment(wanted, expected.length > 40 ? 200 : limit), expected);
          },
        ),
        { numRuns: 120 },
      );
      assert.ok(peopled > 40, `only ${peopled} segments had people in them`);
    });

    it('is rejected with an invalid limit or cursor', async () => {
      const queue = await list.queue();
      for (const limit of [0, 201])
        await assert.rejects(listSegment(service.context, queue, {}, { limit }), /limit: must be 1 to 200/);
      const after = 'ent_00000000000000000000000000';
      await assert.rejects(listSegment(service.context, queue, {}, { limit: 1, after }), {
        code: 'not_found',
      });
    });

    it('uses only hashes, which reveal neither keys nor values and differ by queue', async () => {
      const other = await service.waitlist();
      await list.signup({ email: 'same@example.com', metadata: { plan: 'unmistakable' } });
      await other.signup({ email: 'same@example.com', metadata: { plan: 'unmistakable' } });
      const rows = await service.context.db.query.selectFrom('metadata_pair').selectAll().execute();
      for (const { pair_hash } of rows) assert.equal(pair_hash.length, 32);
      const bytes = Buffer.concat(rows.map(({ pair_hash }) => pair_hash));
      for (const text of ['unmistakable', 'plan', 'pro', 'seats']) assert.equal(bytes.includes(text), false);
      const hashesOf = async (of: List) => {
        const { id } = await of.queue();
        return rows
          .filter(({ queue_id }) => queue_id === id)
          .map(({ pair_hash }) => Buffer.from(pair_hash).toString('hex'));
      };
      const [mine, theirs] = [await hashesOf(list), await hashesOf(other)];
      assert.equal(theirs.length, 1);
      assert.equal(mine.includes(theirs[0] ?? ''), false);
      await eraseEntry(service.context, await list.queue(), 'same@example.com');
    });

    it('loses people who are removed', async () => {
      const queue = await list.queue();
      await list.signup({ email: 'rare@example.com', metadata: { plan: 'rare', seats: 77 } });
      const rare = { pairs: [{ key: 'plan', value: 'rare' }] };
      assert.equal((await wholeSegment(rare, 10)).length, 1);
      await eraseEntry(service.context, queue, 'rare@example.com');
      assert.deepEqual(await wholeSegment(rare, 10), []);
      const { id } = queue;
      const { seq } = await service.context.db.query
        .selectFrom('entry')
        .select((e) => e.fn.max('seq').as('seq'))
        .where('queue_id', '=', id)
        .executeTakeFirstOrThrow();
      const left = await service.context.db.query
        .selectFrom('metadata_pair')
        .selectAll()
        .where('queue_id', '=', id)
        .where('seq', '=', seq)
        .execute();
      assert.deepEqual(left, []);
    });
  });

  describe('the leaderboard', () => {
    const top = async (of: List, limit: number) =>
      (await leaderboard(service.context, await of.queue(), limit)).map(({ email, referrals }) => [
        email,
        referrals,
      ]);

    it('lists top referrers first, earlier joiners first among equals, and nobody without a referral', async (test) => {
      seedFor(test, import.meta.filename); // The crowd is random.
      const expected = everybody
        .map((entry, seq) => ({ ...entry, seq }))
        .filter(({ referrals, status }) => referrals > 0 && status !== 'removed')
        .sort((a, b) => b.referrals - a.referrals || a.seq - b.seq)
        .map(({ email, referrals }) => [email, referrals]);
      assert.ok(expected.length > 10);
      assert.deepEqual(await top(list, 1_000), expected);
      assert.deepEqual(await top(list, 3), expected.slice(0, 3));
    });

    it('drops a referrer who is removed, and no longer counts a removed referral', async () => {
      const mine = await service.waitlist();
      const queue = await mine.queue();
      await mine.signup({ email: 'a@example.com' }, { email: 'b@example.com' });
      for (const [n, by] of ['a', 'b', 'b', 'a', 'b'].entries())
        await mine.signup({ email: `f${n}@example.com`, referredBy: `${by}@example.com` });
      assert.deepEqual(await top(mine, 10), [
        ['b@example.com', 3],
        ['a@example.com', 2],
      ]);
      await eraseEntry(service.context, queue, 'f1@example.com');
      assert.deepEqual(await top(mine, 10), [
        ['a@example.com', 2],
        ['b@example.com', 2],
      ]);
      await eraseEntry(service.context, queue, 'a@example.com');
      assert.deepEqual(await top(mine, 10), [['b@example.com', 2]]);
      await eraseEntry(service.context, queue, 'f2@example.com');
      await eraseEntry(service.context, queue, 'f4@example.com');
      assert.deepEqual(await top(mine, 10), []);
    });
  });
});

function conditionsMetBy({
  metadata,
  referrals,
  createdAt,
  status,
}: PresentedEntry): Required<Omit<Segment, 'referrer'>> {
  const plain = Object.entries(metadata ?? {}).filter(
    ([, value]) => value !== null && typeof value !== 'object',
  );
  return {
    pairs: plain.slice(0, 2).map(([key, value]) => ({ key, value: String(value) })),
    minReferrals: referrals,
    joinedBefore: Date.parse(createdAt) + 1,
    joinedAfter: Date.parse(createdAt),
    status,
  };
}

/** What a segment means, written the plain way. */
function fits(entry: PresentedEntry, { pairs = [], minReferrals = 0, ...rest }: Segment): boolean {
  const joined = Date.parse(entry.createdAt);
  return (
    pairs.every(({ key, value }) => meant(value).includes(entry.metadata?.[key] as string)) &&
    entry.referrals >= minReferrals &&
    joined < (rest.joinedBefore ?? Number.POSITIVE_INFINITY) &&
    joined >= (rest.joinedAfter ?? 0) &&
    (rest.status === undefined || entry.status === rest.status)
  );
}

function meant(text: string): unknown[] {
  const spelled: Record<string, unknown> = { true: true, false: false, '5': 5, '5.5': 5.5, '-1': -1, '0': 0 };
  return text in spelled ? [text, spelled[text]] : [text];
}
