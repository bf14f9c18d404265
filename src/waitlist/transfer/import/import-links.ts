import { sql } from 'kysely';
import { endOfTurn } from '../../../lib/promises.ts';
import { advanceJob, readProgress } from '../../jobs/jobs.ts';
import { readAndChangeQueue } from '../../queue/change-queue.ts';
import type { Context } from '../../queue/context.ts';
import type { QueueChange } from '../../queue/queue-change.ts';
import { credit, withdrawCredit, writeReferrals } from '../../referrals/credits.ts';
import { updateDepths } from '../../referrals/depth.ts';
import { findCreditedMailboxes } from '../../referrals/mailboxes.ts';
import { findMembersBySeq, type Members } from '../../referrals/members.ts';
import { type Circles, Referrals } from './circles.ts';
import type { ImportJob } from './import-candidate.ts';
import { importing } from './import-chunk.ts';
import { addFound, type ImportProgress, requireSameProgress, resultOf } from './import-progress.ts';

const CHUNK = 1_000;

interface FoundLink {
  seq: number;
  referrer: number;
}

/** Credits referrers who joined after those they referred. Continues from the job's progress. */
export function linkReferrers(
  context: Context,
  job: ImportJob,
  start: ImportProgress,
  watch: (progress: ImportProgress) => void,
): Promise<ImportProgress> {
  return withCirclesOf(context, job, start.baseSeq, (circles) =>
    linkAllBut(circles, context, job, start, watch),
  );
}

async function linkAllBut(
  circles: Circles,
  context: Context,
  job: ImportJob,
  start: ImportProgress,
  watch: (progress: ImportProgress) => void,
): Promise<ImportProgress> {
  let progress = start;
  if (progress.linkedUpTo === 0) progress = await breakCircles(context, job, progress, circles);
  for (;;) {
    const links = await readOpenLinks(context, job, progress.linkedUpTo, CHUNK);
    const wanted = links.filter(({ seq }) => !circles.has(seq));
    const found = addFound(progress.found, {
      referralsUnresolved: wanted.filter((link) => !isFound(link)).length,
      referralsCircular: progress.linkedUpTo === 0 ? circles.size : 0,
    });
    const next: ImportProgress =
      links.length === 0
        ? { ...progress, found, phase: 'clean' }
        : { ...progress, found, linkedUpTo: links.at(-1)?.seq ?? progress.linkedUpTo };
    progress = await commitLinks(context, job, progress, next, wanted.filter(isFound));
    watch(progress);
    if (progress.phase === 'clean') return progress;
  }
}

function isFound(link: OpenLink): link is OpenLink & FoundLink {
  return link.referrer !== null;
}

function changeWithMembers(
  context: Context,
  { lease, queue }: ImportJob,
  before: ImportProgress,
  links: readonly FoundLink[],
  work: (change: QueueChange, members: Members) => ImportProgress | Promise<ImportProgress>,
): Promise<ImportProgress> {
  const people = links.flatMap(({ seq, referrer }) => [seq, referrer]);
  return readAndChangeQueue(
    context,
    queue,
    (trx) =>
      Promise.all([readProgress<ImportProgress>(trx, queue, lease), findMembersBySeq(trx, queue, people)]),
    async (change, [found, members]) => {
      requireSameProgress(found, before);
      const progress = await work(change, members);
      advanceJob(change, lease, progress, { done: progress.rows, result: resultOf(progress) });
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
  return changeWithMembers(context, job, before, links, async (change, members) => {
    const imported = importing(change, job.events);
    const mailboxes = links.flatMap(({ mailbox }) => mailbox ?? []);
    members.creditedMailboxes = await findCreditedMailboxes(change.trx, job.queue, mailboxes);
    const referrals = links.flatMap(({ seq, id, referrer: referrerSeq }) => {
      const referred = members.find({ seq });
      const referrer = members.find({ seq: referrerSeq });
      if (!referred || !referrer || referred === referrer) return [];
      const { status, mailbox } = referred;
      return [{ seq, referrerSeq, credited: credit(imported, members, referrer, { id, status, mailbox }) }];
    });
    writeReferrals(change, members, referrals);
    await updateDepths(
      change,
      referrals.map(({ seq }) => seq),
    );
    return next;
  });
}

/** Takes back credits that rows of a circle got when they were added: nobody in a circle is credited. */
async function breakCircles(
  context: Context,
  job: ImportJob,
  progress: ImportProgress,
  circles: Circles,
): Promise<ImportProgress> {
  let members = circles.after(0, CHUNK);
  for (; members.length > 0; members = circles.after(members.at(-1) ?? 0, CHUNK)) {
    const links = await creditedAmong(context, job, members);
    await changeWithMembers(context, job, progress, links, (change, members) => {
      const referrals = links.flatMap(({ seq, referrer: referrerSeq }) => {
        const referrer = members.find({ seq: referrerSeq });
        if (!referrer || !members.find({ seq })) return [];
        withdrawCredit(referrer);
        return [{ seq, referrerSeq, credited: false }];
      });
      writeReferrals(change, members, referrals);
      return progress;
    });
  }
  return progress;
}

/** After a crash, those whose credit was already taken back are not in the result. */
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

const PAGE = 1_000;

/**
 * Finds imported entries that refer one another in a circle. Its inputs are kept until the links are made, so
 * it returns the same result after a crash.
 */
async function withCirclesOf<T>(
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

/** An imported entry whose referrer had not been imported yet. */
interface OpenLink {
  seq: number;
  id: Uint8Array;
  mailbox: Uint8Array | null;
  /** null if there is no such person. */
  referrer: number | null;
}

/** Reads the remaining links and resolves them, now that all rows are imported. */
async function readOpenLinks(
  { db }: Context,
  { id, queue }: ImportJob,
  after: number,
  limit: number,
): Promise<OpenLink[]> {
  const { rows } = await sql<OpenLink>`
    select l.seq as seq, r.id as id, coalesce(r.mailbox_hash, r.email_hash) as mailbox, coalesce(c.seq, e.seq, p.seq) as referrer
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
