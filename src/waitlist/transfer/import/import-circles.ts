import { endOfTurn } from '../../../lib/end-of-turn.ts';
import type { Context } from '../../queue/context.ts';
import type { ImportJob } from './import-candidate.ts';
import { readOpenLinks } from './open-links.ts';

const PAGE = 1_000;

/**
 * Finds imported entries that refer one another in a circle. Its inputs are kept until the links are made, so
 * it returns the same result after a crash.
 */
export async function circlesOf(context: Context, job: ImportJob, baseSeq: number): Promise<Set<number>> {
  const lastSeq = await readLastSeq(context, job);
  const referrers = new Int32Array(lastSeq - baseSeq + 1);
  const note = (links: { seq: number; referrer: number | null }[]) => {
    for (const { seq, referrer } of links) {
      if (referrer !== null && referrer > baseSeq && referrer <= lastSeq && seq <= lastSeq) {
        referrers[seq - baseSeq] = referrer - baseSeq;
      }
    }
  };
  await eachPage(0, (after) => readOpenLinks(context, job, after, PAGE), note);
  // A circle needs at least one forward link.
  if (!referrers.some((referrer) => referrer !== 0)) return new Set();
  await eachPage(baseSeq, (after) => readMadeLinks(context, job, after), note);
  return new Set([...findCircles(referrers)].map((at) => at + baseSeq));
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

/**
 * `referrers` maps entries, numbered from 1, to their referrers, 0 for none. Following referrers leads either
 * to an end or into exactly one circle, so a single pass finds all circles.
 */
export function findCircles(referrers: Int32Array): Set<number> {
  const inCircles = new Set<number>();
  /** The first walk that visited each entry. */
  const walks = new Int32Array(referrers.length);
  for (let start = 1; start < referrers.length; start += 1) {
    let at = start;
    while (at !== 0 && walks[at] === 0) {
      walks[at] = start;
      at = referrers[at] ?? 0;
    }
    if (at === 0 || walks[at] !== start) continue;
    for (let member = at; !inCircles.has(member); member = referrers[member] ?? 0) inCircles.add(member);
  }
  return inCircles;
}
