import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import { forEachEngine, type Service, startService } from '../support/harness.ts';
import { assertProperty } from '../support/property.ts';
import type { ModelReferrer, ModelRule, ModelSegment } from '../support/queue-model.ts';
import { type Step, startRun } from '../support/queue-run.ts';
import { SEED } from '../support/seed.ts';

/** More of them: DOORLIST_TEST_MODEL_RUNS=500. */
const RUNS = Number(process.env.DOORLIST_TEST_MODEL_RUNS ?? 20);
const PEOPLE = 9;
const MOMENT = 20_000;

const someone = fc.nat({ max: PEOPLE });
const anyPhone = fc.option(someone);
const plan = fc.option(fc.nat({ max: 2 }));
const referrer: fc.Arbitrary<ModelReferrer> = fc.oneof(
  fc.constant({ by: 'nobody' as const }),
  fc.record({ by: fc.constantFrom('email' as const, 'phone' as const), number: fc.nat({ max: PEOPLE + 1 }) }),
  fc.record({ by: fc.constant('code' as const), entry: fc.nat({ max: 12 }) }),
);
/** The last one does not exist. */
const code = fc.option(fc.nat({ max: 2 }), { freq: 2 });
const signup = fc
  .record({ email: fc.option(someone), phone: fc.option(someone), referredBy: referrer, plan, code })
  .filter(({ email, phone }) => email !== null || phone !== null);
const boost = fc.constantFrom(0, 1, 5, 64, 1000);
const settings = {
  boost,
  referralCap: fc.constantFrom(null, null, 0, 1, 2),
  confirmEmails: fc.boolean(),
  returnToQueue: fc.boolean(),
  inviteExpiryMs: fc.constantFrom(null, 5_000),
};
/** undefined: the waitlist's own; null: never; otherwise so many milliseconds. */
const expiresIn = fc.oneof(
  fc.constant(undefined),
  fc.constant(null),
  fc.integer({ min: 1_000, max: 1.5 * MOMENT }),
);
const segment: fc.Arbitrary<ModelSegment> = fc.record(
  {
    plan: fc.nat({ max: 2 }),
    minReferrals: fc.nat({ max: 2 }),
    joinedBefore: fc.integer({ min: 0, max: 3 * MOMENT }),
    joinedAfter: fc.integer({ min: 0, max: 3 * MOMENT }),
  },
  { requiredKeys: [] },
);

const which = fc.nat({ max: 20 });
const ruled = {
  do: fc.constant('make rule' as const),
  outcome: fc.constantFrom<ModelRule['outcome']>('approve', 'advance', 'decline'),
};
/** With several conditions, few signups would meet them. */
const rule: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ ...ruled, plan: fc.nat({ max: 2 }) }),
  fc.record({ ...ruled, referrer: which }),
  fc.record({ ...ruled, code: fc.nat({ max: 1 }) }),
  fc.record({ ...ruled, plan: fc.nat({ max: 2 }), referrer: which }),
);
/** Often the end. */
const position = fc.oneof(fc.integer({ min: 1, max: 25 }), fc.constant(1_000));
const ways: [number, fc.Arbitrary<Step>][] = [
  [8, fc.record({ do: fc.constant('signup'), batch: fc.array(signup, { minLength: 1, maxLength: 4 }) })],
  [4, fc.record({ do: fc.constant('invite'), email: someone, expiresIn })],
  [2, fc.record({ do: fc.constant('invite first'), count: fc.integer({ min: 1, max: 4 }), expiresIn })],
  [2, fc.record({ do: fc.constant('invite segment'), segment, expiresIn })],
  [4, fc.record({ do: fc.constant('accept'), which })],
  [3, fc.record({ do: fc.constant('revoke'), which })],
  [1, fc.constant({ do: 'revoke all' })],
  [4, fc.record({ do: fc.constant('confirm'), which })],
  [4, fc.record({ do: fc.constant('remove'), which })],
  [4, fc.record({ do: fc.constant('remove as never joined'), which })],
  [3, fc.record({ do: fc.constant('import'), count: fc.integer({ min: 1, max: 6 }) })],
  [3, fc.record({ do: fc.constant('undo'), which })],
  [5, fc.record({ do: fc.constant('take off'), which })],
  [4, fc.record({ do: fc.constant('put back'), which })],
  [5, fc.record({ do: fc.constant('decline'), which })],
  [3, fc.record({ do: fc.constant('approve'), which })],
  [3, fc.record({ do: fc.constant('reconsider'), which })],
  [2, fc.record({ do: fc.constant('decline segment'), segment })],
  [5, rule],
  [1, fc.record({ do: fc.constant('delete rule'), which })],
  [7, fc.record({ do: fc.constant('move'), which, position })],
  [2, fc.record({ do: fc.constant('change metadata'), which, plan })],
  [4, fc.record({ do: fc.constant('change email'), which, email: someone })],
  [2, fc.record({ do: fc.constant('change phone'), which, phone: anyPhone })],
  [5, fc.record({ do: fc.constant('change referrer'), which, referredBy: referrer })],
  [5, fc.record({ do: fc.constant('merge'), which, into: which })],
  [3, fc.record({ do: fc.constant('wait'), ms: fc.integer({ min: 1, max: MOMENT }) })],
  [2, fc.constant({ do: 'expire' })],
  [2, fc.constant({ do: 'keep up' })],
  [3, fc.record({ do: fc.constant('set'), changes: fc.record(settings, { requiredKeys: ['boost'] }) })],
  [2, fc.constant({ do: 'apply boost' })],
];
const step = fc.oneof(...ways.map(([weight, arbitrary]) => ({ weight, arbitrary })));
const courseOf = (steps: fc.Arbitrary<Step[]>) =>
  fc.record({
    settings: fc.record(settings),
    /** People who wait before it begins: ranks then cross the ranges in which positions are counted. */
    crowd: fc.constantFrom(0, 0, 0, 60, 130),
    steps,
  });
const course = courseOf(fc.array(step, { minLength: 10, maxLength: 40 }));
/** Tried first: no luck is needed for every operation to take part. */
const courseOfAll = courseOf(fc.tuple(...ways.map(([, way]) => way)));

forEachEngine((engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  it('the queue behaves like a simple model under any sequence of operations', async (test) => {
    const taken = new Set<Step['do']>();
    await assertProperty(
      test,
      import.meta.filename,
      fc.asyncProperty(course, async ({ settings, crowd, steps }) => {
        const run = await startRun(service, settings);
        await run.fill(crowd);
        for (const each of steps) {
          taken.add(each.do);
          await run.take(each);
          await run.compare();
        }
        await run.compareTotals();
      }),
      {
        numRuns: RUNS,
        endOnFailure: RUNS > 100,
        examples: fc.sample(courseOfAll, { numRuns: 1, seed: SEED }).map((each) => [each]),
      },
    );
    assert.equal(taken.size, ways.length, 'every operation has been tried');
  });
});
