import { endOfTurn } from '../../../lib/end-of-turn.ts';
import type { Context } from '../../queue/context.ts';
import { type Circles, Referrals } from './circles.ts';
import type { ImportJob } from './import-candidate.ts';
import { readOpenLinks } from './open-links.ts';

const PAGE = 1_000;

/**
 * Finds imported entries that refer one another in a circle. Its inputs are kept until the links are made, so
 * it returns the same result after a crash.
 */
export async function withCirclesOf<T>(
  context: Context,
  job: ImportJob,
  baseSeq: number,
  work: (circles: Circles) => Promise<T>,
): Promise<T> {
  const lastSeq = await readLastSeq(context, job);
  const referrals = new Referrals();
  const note = (links: { seq: number; referrer: number | null }[]) => {
    for (const { seq, referrer } of links)
      if (referrer !== null && referrer > baseSeq && referrer <= lastSeq && seq <= lastSeq) {
        referrals.add(seq, referrer);
        isEmpty = false;
      }
  };
  let isEmpty = true;
  try {
    await eachPage(0, (after) => readOpenLinks(context, job, after, PAGE), note);
    // A circle needs at least one forward link.
    if (!isEmpty) {
      await eachPage(baseSeq, (after) => readMadeLinks(context, job, after), note);
      await referrals.findCircles();
    }
    return await work(referrals);
  } finally {
    referrals.close();
  }
}

async function eachPage<T extends { seq: number }>(
  from: number,
  read: (after: number) => Promise<T[]>,
  take: (page: T[]) => void,
): Promise<void> {
  for (let after = from; ; ) {
    const page = await read(after);
    take(page);
    if (page.length < PAGE) return;
    after = page.at(-1)?.seq ?? after;
    await endOfTurn();
  }
}

function readMadeLinks({ db }: Context, { queue }: ImportJob, after: number) {
  return db.query
    .selectFrom('entry')
    .select(['seq', 'referrer_seq as referrer'])
    .where('queue_id', '=', queue.id)
    .where('seq', '>', after)
    .where('referrer_seq', 'is not', null)
    .orderBy('seq')
    .limit(PAGE)
    .execute();
}

async function readLastSeq({ db }: Context, { queue }: ImportJob): Promise<number> {
  const row = await db.query
    .selectFrom('queue_state')
    .select('last_seq')
    .where('queue_id', '=', queue.id)
    .executeTakeFirstOrThrow();
  return row.last_seq;
}
