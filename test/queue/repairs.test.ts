import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import { updateEntry } from '../../src/waitlist/entries/update-entry.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { assertProperty } from '../support/property.ts';

const PEOPLE = 9;
/** The last ones are further addresses of the first ones. */
const emailOf = (n: number) => (n < 6 ? `p${n}@example.com` : `p${n - 6}+alias@example.com`);

const person = fc.record({
  number: fc.nat({ max: PEOPLE }),
  /** Of those who joined before. */
  referrer: fc.option(fc.nat()),
  /** What was stored by mistake. */
  wrong: fc.option(fc.nat()),
  wrongEmail: fc.boolean(),
});
const course = fc.record({
  people: fc.uniqueArray(person, { selector: ({ number }) => number, minLength: 3, maxLength: PEOPLE + 1 }),
  cap: fc.constantFrom(null, 0, 1, 2),
  order: fc.infiniteStream(fc.nat()),
});

forEachEngine((engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  const shown = async (list: List) =>
    (await list.walk()).map(({ email, position, referrals, referredBy }) => ({
      ...{ email, position, referrals, referredBy },
    }));
  const earlier = (choice: number | null, index: number) =>
    choice === null || index === 0 ? null : choice % index;

  it('credits and positions after repairs are as if it had been so from the start', async (test) => {
    await assertProperty(
      test,
      import.meta.filename,
      fc.asyncProperty(course, async ({ people, cap, order }) => {
        const [right, repaired] = [await service.waitlist(), await service.waitlist()];
        for (const { id } of [right, repaired])
          await updateWaitlist(service.context, id, { referralCap: cap });
        const emails = people.map(({ number }) => emailOf(number));
        const firstEmails = people.map(({ wrongEmail }, index) =>
          wrongEmail ? `typo${index}@example.com` : emails[index],
        );
        for (const [index, { referrer, wrong }] of people.entries()) {
          const [by, byWrong] = [earlier(referrer, index), earlier(wrong, index)];
          await right.signup({ email: emails[index], ...(by !== null && { referredBy: emails[by] }) });
          await repaired.signup({
            email: firstEmails[index],
            ...(byWrong !== null && { referredBy: firstEmails[byWrong] }),
          });
          service.clock.advance(1);
        }
        const ids = (await repaired.walk()).map(({ id }) => id);
        const repairs = people.flatMap(({ referrer, wrongEmail }, index) => {
          const by = earlier(referrer, index);
          return [
            {
              index,
              change: async () => ({ referredBy: by === null ? null : await codeOf(repaired, ids[by]) }),
            },
            ...(wrongEmail ? [{ index, change: async () => ({ email: emails[index] ?? '' }) }] : []),
          ];
        });
        const queue = await repaired.queue();
        for (; repairs.length > 0; ) {
          const [next] = repairs.splice(Number(order.next().value) % repairs.length, 1);
          if (next) await updateEntry(service.context, queue, ids[next.index] ?? '', await next.change());
        }
        assert.deepEqual(await shown(repaired), await shown(right));
        assert.deepEqual((await recountQueue(service.context, queue, false)).findings, []);
      }),
      { numRuns: Number(process.env.DOORLIST_TEST_MODEL_RUNS ?? 25) },
    );
  });

  const codeOf = async (list: List, id: string | undefined) =>
    (await list.walk()).find((entry) => entry.id === id)?.referralCode ?? '';
});
