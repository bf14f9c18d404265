import { sql } from 'kysely';
import { readAndChangeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import { advanceJob, readProgress } from '../queue/jobs.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { credit, takeCredit, writeReferrals } from '../referrals/credits.ts';
import { findMembersBySeq, type Members } from '../referrals/members.ts';
import type { ImportJob } from './import-candidate.ts';
import { findCircles } from './import-circles.ts';
import { type ImportProgress, requireSameProgress } from './import-progress.ts';
import { importing } from './importing.ts';

const CHUNK = 1_000;
const PAGE = 10_000;

interface OpenLink {
  seq: number;
  id: Uint8Array;
  /** null: nobody. */
  referrer: number | null;
}

interface FoundLink {
  seq: number;
  referrer: number;
}

/** Credits the referrers who came after those they referred. Goes on from wherever the job stands. */
export async function linkReferrers(
  context: Context,
  job: ImportJob,
  start: ImportProgress,
  watch: (progress: ImportProgress) => void,
): Promise<ImportProgress> {
  const circles = await circlesOf(context, job, start.baseSeq);
  let progress = start;
  if (progress.linkedUpTo === 0) progress = await breakCircles(context, job, progress, circles);
  for (;;) {
    const links = await readLinks(context, job, progress.linkedUpTo, CHUNK);
    const next: ImportProgress =
      links.length === 0
        ? { ...progress, phase: 'clean' }
        : { ...progress, linkedUpTo: links.at(-1)?.seq ?? progress.linkedUpTo };
    const wanted = links.filter(({ seq }) => !circles.has(seq));
    progress = await commitLinks(context, job, progress, next, wanted.filter(isFound));
    watch(progress);
    if (progress.phase === 'clean') return progress;
  }
}

function isFound(link: OpenLink): link is OpenLink & FoundLink {
  return link.referrer !== null;
}

/** The links that were left open, and whom they mean now that everybody is there. */
async function readLinks(
  { db }: Context,
  { id, queue }: ImportJob,
  after: number,
  limit: number,
): Promise<OpenLink[]> {
  const { rows } = await sql<OpenLink>`
    select l.seq as seq, r.id as id, coalesce(c.seq, e.seq, p.seq) as referrer
    from import_link as l
    inner join entry as r on r.queue_id = l.queue_id and r.seq = l.seq
    left join import_code as c on l.kind = 'code'
      and c.queue_id = l.queue_id and c.job_id = l.job_id and c.code_hash = l.hash
    left join entry as e on l.kind = 'email' and e.queue_id = l.queue_id and e.email_hash = l.hash
    left join entry as p on l.kind = 'phone' and p.queue_id = l.queue_id and p.phone_hash = l.hash
    where l.queue_id = ${queue.id} and l.job_id = ${id} and l.seq > ${after}
    order by l.seq limit ${limit}`.execute(db.query);
  return rows;
}

/**
 * Those of the import who refer one another in a circle. Everything it is made of stays until the links are made,
 * so that it comes out the same after a crash.
 */
async function circlesOf(context: Context, job: ImportJob, baseSeq: number): Promise<Set<number>> {
  const lastSeq = await readLastSeq(context, job);
  const referrers = new Int32Array(lastSeq - baseSeq + 1);
  const note = (links: { seq: number; referrer: number | null }[]) => {
    for (const { seq, referrer } of links) {
      if (referrer !== null && referrer > baseSeq && referrer <= lastSeq && seq <= lastSeq) {
        referrers[seq - baseSeq] = referrer - baseSeq;
      }
    }
  };
  await eachPage(0, (after) => readLinks(context, job, after, PAGE), note);
  // Without one link that leads forward there is no circle.
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
    .selectFrom('queue')
    .select('last_seq')
    .where('id', '=', queue.id)
    .executeTakeFirstOrThrow();
  return row.last_seq;
}

function changeWithMembers(
  context: Context,
  { id, queue }: ImportJob,
  before: ImportProgress,
  links: readonly FoundLink[],
  work: (change: QueueChange, members: Members) => ImportProgress,
): Promise<ImportProgress> {
  const people = links.flatMap(({ seq, referrer }) => [seq, referrer]);
  return readAndChangeQueue(
    context,
    queue,
    (trx) =>
      Promise.all([readProgress<ImportProgress>(trx, queue, id), findMembersBySeq(trx, queue, people)]),
    (change, [found, members]) => {
      requireSameProgress(found, before);
      const progress = work(change, members);
      advanceJob(change, id, progress);
      return progress;
    },
  );
}

function commitLinks(
  context: Context,
  job: ImportJob,
  before: ImportProgress,
  next: ImportProgress,
  links: readonly (OpenLink & FoundLink)[],
): Promise<ImportProgress> {
  return changeWithMembers(context, job, before, links, (change, members) => {
    const quiet = importing(change, job.events);
    const referrals = links.flatMap(({ seq, id, referrer: referrerSeq }) => {
      const referred = members.find({ seq });
      const referrer = members.find({ seq: referrerSeq });
      if (!referred || !referrer || referred === referrer) return [];
      return [{ seq, referrerSeq, credited: credit(quiet, referrer, { id, status: referred.status }) }];
    });
    writeReferrals(change, members, referrals);
    return next;
  });
}

/** Takes back what the rows of a circle were credited with as they came in: in a circle nobody is credited. */
async function breakCircles(
  context: Context,
  job: ImportJob,
  progress: ImportProgress,
  circles: Set<number>,
): Promise<ImportProgress> {
  const members = [...circles].sort((a, b) => a - b);
  for (let from = 0; from < members.length; from += CHUNK) {
    const links = await creditedAmong(context, job, members.slice(from, from + CHUNK));
    await changeWithMembers(context, job, progress, links, (change, members) => {
      const referrals = links.flatMap(({ seq, referrer: referrerSeq }) => {
        const referrer = members.find({ seq: referrerSeq });
        if (!referrer || !members.find({ seq })) return [];
        takeCredit(referrer);
        return [{ seq, referrerSeq, credited: false }];
      });
      writeReferrals(change, members, referrals);
      return progress;
    });
  }
  return progress;
}

/** Read again after a crash, those whose credit was taken back are not among them. */
async function creditedAmong({ db }: Context, { queue }: ImportJob, seqs: number[]): Promise<FoundLink[]> {
  const rows = await db.query
    .selectFrom('entry')
    .select(['seq', 'referrer_seq as referrer'])
    .where('queue_id', '=', queue.id)
    .where((e) => db.in(e.ref('seq'), seqs))
    .where('credited', '=', 1)
    .execute();
  return rows.filter((row): row is FoundLink => row.referrer !== null);
}
