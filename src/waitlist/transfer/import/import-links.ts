import { advanceJob, readProgress } from '../../jobs/jobs.ts';
import { readAndChangeQueue } from '../../queue/change-queue.ts';
import type { Context } from '../../queue/context.ts';
import type { QueueChange } from '../../queue/queue-change.ts';
import { credit, takeCredit, writeReferrals } from '../../referrals/credits.ts';
import { updateDepths } from '../../referrals/depth.ts';
import { findCreditedMailboxes } from '../../referrals/mailboxes.ts';
import { findMembersBySeq, type Members } from '../../referrals/members.ts';
import type { Circles } from './circles.ts';
import type { ImportJob } from './import-candidate.ts';
import { withCirclesOf } from './import-circles.ts';
import { addFound } from './import-found.ts';
import { type ImportProgress, requireSameProgress, resultOf } from './import-progress.ts';
import { importing } from './importing.ts';
import { type OpenLink, readOpenLinks } from './open-links.ts';

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
        takeCredit(referrer);
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
