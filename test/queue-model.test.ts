import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import { STATUSES } from '../src/db/tables.ts';
import { auditQueue } from '../src/waitlist/audit.ts';
import type { EntryView } from '../src/waitlist/entry-view.ts';
import { forEachEngine, type List, type Service, startService } from './support/harness.ts';
import { type InviteOutcome, type ModelEntry, type ModelSignup, QueueModel } from './support/queue-model.ts';

/** More of them: DOORLIST_TEST_MODEL_RUNS=500. Another course: DOORLIST_TEST_SEED=7. */
const RUNS = Number(process.env.DOORLIST_TEST_MODEL_RUNS ?? 12);
const SEED = Number(process.env.DOORLIST_TEST_SEED ?? 20_261_115);
const PEOPLE = 9;

type Step =
  | { do: 'signup'; batch: ModelSignup[] }
  | { do: 'invite'; email: number; expiresIn: number | null }
  | { do: 'accept' | 'revoke'; invite: number }
  | { do: 'wait'; ms: number }
  | { do: 'expire' };

const someone = fc.nat({ max: PEOPLE });
const referrer = fc.oneof(
  fc.constant({ by: 'nobody' as const }),
  fc.record({ by: fc.constantFrom('email' as const, 'phone' as const), number: fc.nat({ max: PEOPLE + 1 }) }),
  fc.record({ by: fc.constant('code' as const), entry: fc.nat({ max: 12 }) }),
);
const signup = fc
  .record({ email: fc.option(someone), phone: fc.option(someone), referredBy: referrer })
  .filter(({ email, phone }) => email !== null || phone !== null);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('signup' as const),
      batch: fc.array(signup, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('invite' as const),
      email: someone,
      expiresIn: fc.option(fc.integer({ min: 1_000, max: 30_000 })),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('accept' as const), invite: fc.nat({ max: 20 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('revoke' as const), invite: fc.nat({ max: 20 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 20_000 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'expire' as const }) },
);
const course = fc.record({
  boost: fc.constantFrom(0, 1, 5, 64, 1000),
  /** People who wait before it begins: ranks then cross the ranges in which positions are counted. */
  crowd: fc.constantFrom(0, 0, 60, 130),
  steps: fc.array(step, { minLength: 5, maxLength: 25 }),
});

const emailOf = (n: number | null) => (n === null ? null : `person${n}@example.com`);
const phoneOf = (n: number | null) => (n === null ? null : `+1415555${1000 + n}`);
const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString());
const FIRST_OF_CROWD = 1_000;

forEachEngine((engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  it('the queue does what a simple model does, whatever happens in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(course, async ({ boost, crowd, steps }) => {
        const list = await service.waitlist({ boost });
        const run = startRun(service, list, new QueueModel(boost, service.clock.now));
        await run.fill(crowd);
        for (const each of steps) {
          await run.take(each);
          await run.compare();
        }
        await run.compareTotals();
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: RUNS > 100 },
    );
  });
});

function startRun(service: Service, list: List, model: QueueModel) {
  const codes: string[] = [];
  let seen: EntryView[] = [];

  const send = async (batch: ModelSignup[]) => {
    const answer = await list.signup(
      ...batch.map(({ email, phone, referredBy }) => ({
        ...(email === null ? {} : { email: emailOf(email) }),
        ...(phone === null ? {} : { phone: phoneOf(phone) }),
        ...(referredBy.by === 'email' ? { referredBy: emailOf(referredBy.number) } : {}),
        ...(referredBy.by === 'phone' ? { referredBy: phoneOf(referredBy.number) } : {}),
        ...(referredBy.by === 'code' ? { referredBy: seen[referredBy.entry]?.referralCode ?? 'nobody' } : {}),
      })),
    );
    // A code can be known only of those who were there before the batch.
    const known = seen.length;
    const created = model.signup(
      batch.map((each) =>
        each.referredBy.by === 'code' && each.referredBy.entry >= known
          ? { ...each, referredBy: { by: 'nobody' } }
          : each,
      ),
    );
    assert.equal(answer.status, created > 0 ? 201 : 200, answer.text);
    assert.deepEqual(answer.body, { success: true, created, skipped: batch.length - created });
  };

  const take = async (step: Step): Promise<void> => {
    switch (step.do) {
      case 'signup':
        return send(step.batch);
      case 'wait':
        service.clock.advance(step.ms);
        model.now += step.ms;
        return;
      case 'expire':
        assert.equal(await service.expire(list), model.expire());
        return;
      case 'invite': {
        const expiresAt = step.expiresIn === null ? null : model.now + step.expiresIn;
        const email = emailOf(step.email) ?? '';
        codes.push((await list.invite(email, expiresAt === null ? {} : { expiresAt })).code);
        model.invite(step.email, expiresAt);
        return;
      }
      case 'accept':
      case 'revoke': {
        const at = codes.length === 0 ? -1 : step.invite % codes.length;
        const [code, invite] = [codes[at], model.invites[at]];
        if (!code || !invite) return;
        if (step.do === 'accept') assert.equal(await accept(code), model.accept(invite));
        else assert.equal(await revoke(code), model.revoke(invite));
      }
    }
  };

  const accept = async (code: string): Promise<InviteOutcome> => {
    const { status, body } = await service.accept(code);
    return status === 200 ? 'done' : (body as unknown as { code: InviteOutcome }).code;
  };
  const revoke = (code: string): Promise<InviteOutcome> =>
    service.revoke(code).then(
      () => 'done' as const,
      (error: { code: InviteOutcome }) => error.code,
    );

  const compare = async () => {
    const order = model.order;
    const { body } = await list.page({ limit: 200 });
    seen = body.entries;
    assert.equal(body.total, model.entries.length);
    assert.deepEqual(
      seen.map(({ id, metadata, referralCode, ...shown }) => shown),
      model.entries.map((entry) => ({
        email: emailOf(entry.email),
        phone: phoneOf(entry.phone),
        status: entry.status,
        position: entry.status === 'waiting' ? order.indexOf(entry) + 1 : null,
        referrals: entry.referrals,
        referredBy: entry.referrer && nameOf(entry.referrer),
        createdAt: iso(entry.createdAt),
        invitedAt: iso(entry.invitedAt),
        joinedAt: iso(entry.joinedAt),
      })),
    );
    const ranked = (await list.page({ limit: 200, sort: 'position' })).body;
    assert.equal(ranked.total, order.length);
    assert.deepEqual(
      ranked.entries.map(({ email, phone, position }) => [email ?? phone, position]),
      order.map((entry, index) => [nameOf(entry), index + 1]),
    );
    await compareInvites();
  };

  const compareInvites = async () => {
    const shown = await Promise.all(codes.map((code) => service.check(code)));
    const reasons = shown.map(({ body }) => (body.valid ? 'done' : body.reason));
    assert.deepEqual(
      reasons,
      model.invites.map((invite) => model.stateOf(invite)),
    );
  };

  /** And each entry by its own lookup, and the counters against a count from scratch. */
  const compareTotals = async () => {
    for (const status of STATUSES) {
      const expected = model.entries.filter((entry) => entry.status === status).length;
      assert.equal((await list.page({ status, limit: 1 })).body.total, expected, status);
    }
    for (const [index, entry] of model.entries.entries()) {
      assert.deepEqual((await list.lookup(nameOf(entry) ?? '')).body, seen[index]);
    }
    assert.deepEqual((await auditQueue(service.context, await list.queue(), false)).findings, []);
  };

  const fill = async (crowd: number) => {
    const numbers = Array.from({ length: crowd }, (_, i) => FIRST_OF_CROWD + i);
    for (let from = 0; from < crowd; from += 100) {
      await send(
        numbers
          .slice(from, from + 100)
          .map((email) => ({ email, phone: null, referredBy: { by: 'nobody' } })),
      );
    }
    await compare();
  };

  return { take, compare, compareTotals, fill };
}

function nameOf({ email, phone }: ModelEntry): string | null {
  return emailOf(email) ?? phoneOf(phone);
}
