import { statement } from '../../../db/statement.ts';
import { bytesKey } from '../../../lib/ids.ts';
import { recordConfirmations } from '../../entries/confirm-entry.ts';
import { advanceJob, readProgress } from '../../jobs/jobs.ts';
import { readAndChangeQueue } from '../../queue/change-queue.ts';
import type { Context } from '../../queue/context.ts';
import type { QueueChange } from '../../queue/queue-change.ts';
import { findMembers, type Members } from '../../referrals/members.ts';
import { writeAliases } from '../../referrals/referral-alias.ts';
import { addEntries } from '../../signup/add-entries.ts';
import type { Candidate } from '../../signup/candidate.ts';
import type { ImportCandidate, ImportJob } from './import-candidate.ts';
import {
  addFound,
  type Found,
  type ImportProgress,
  requireSameProgress,
  resultOf,
} from './import-progress.ts';
import { noteRange } from './import-ranges.ts';

const findCodes = statement<
  { queueId: number; jobId: Buffer; hashes: readonly Buffer[] },
  { code_hash: Uint8Array; seq: number }
>((db, parameter) =>
  db.query
    .selectFrom('import_code')
    .select(['code_hash', 'seq'])
    .where('queue_id', '=', parameter('queueId'))
    .where('job_id', '=', parameter('jobId'))
    .where((e) => db.in(e.ref('code_hash'), parameter('hashes'))),
);

/**
 * Codes of rows before this chunk can be resolved. Codes of this chunk or later ones are linked at the end.
 */
async function resolveCodes(
  { db }: Context,
  { id, queue }: ImportJob,
  rows: readonly ImportCandidate[],
  baseSeq: number,
): Promise<Candidate[]> {
  const hashes = rows.flatMap(({ link }) => (link?.kind === 'code' ? [link.hash] : []));
  const found = hashes.length === 0 ? [] : await db.run(findCodes, { queueId: queue.id, jobId: id, hashes });
  const seqs = new Map(found.map(({ code_hash, seq }) => [bytesKey(code_hash), seq]));
  return rows.map(({ candidate, link }) => {
    if (link?.kind !== 'code') return candidate;
    const seq = seqs.get(bytesKey(link.hash));
    if (seq !== undefined) return { ...candidate, referrer: { seq } };
    const ownSeq = link.ownSeq !== undefined && link.ownSeq <= baseSeq ? link.ownSeq : undefined;
    return { ...candidate, referrer: { code: link.code ?? '', ownSeq } };
  });
}

/** Adds the rows of a chunk and records the progress in one transaction. Returns the progress. */
export async function commitChunk(
  context: Context,
  job: ImportJob,
  before: ImportProgress,
  rows: readonly ImportCandidate[],
  counted: Omit<Partial<ImportProgress>, 'created'> & Pick<ImportProgress, 'skipped'>,
): Promise<ImportProgress> {
  const candidates = await resolveCodes(context, job, rows, before.baseSeq);
  return readAndChangeQueue(
    context,
    job.queue,
    (trx) =>
      Promise.all([
        readProgress<ImportProgress>(trx, job.queue, job.lease),
        findMembers(trx, job.queue, candidates),
      ]),
    (change, [found, members]) => {
      requireSameProgress(found, before);
      const firstSeq = change.lastSeq + 1;
      const added = addEntries(importing(change, job.events), members, candidates);
      const lost = noteReferences(job, change, { rows, candidates, added, members, firstSeq });
      const created = added.filter(Boolean).length;
      noteRange(change, job, { firstSeq, created });
      const progress: ImportProgress = {
        ...before,
        ...counted,
        found: addFound(counted.found ?? before.found, lost),
        created: before.created + created,
        skipped: counted.skipped + rows.length - created,
      };
      advanceJob(change, job.lease, progress, { done: progress.rows, result: resultOf(progress) });
      return progress;
    },
  );
}

interface Outcome {
  rows: readonly ImportCandidate[];
  candidates: readonly Candidate[];
  added: readonly boolean[];
  members: Members;
  firstSeq: number;
}

/**
 * Stores the rows' codes, the referrers that are still missing, and who vouched for the confirmations. Counts
 * the referrers who will not be found any more.
 */
function noteReferences(
  { id, queue, hasCodes, confirmedBy }: ImportJob,
  change: QueueChange,
  { rows, candidates, added, members, firstSeq }: Outcome,
): Pick<Found, 'referralsUnresolved' | 'referralsCircular'> {
  const job = { queue_id: queue.id, job_id: id };
  const codes: { hash: Buffer; ownSeq: number | undefined; seq: number }[] = [];
  const links: { seq: number; link: NonNullable<ImportCandidate['link']> }[] = [];
  const confirmed: number[] = [];
  const lost = { referralsUnresolved: 0, referralsCircular: 0 };
  let seq = firstSeq - 1;
  rows.forEach(({ link, code }, at) => {
    const candidate = candidates[at] as Candidate;
    if (added[at]) seq += 1;
    const holder = added[at] ? seq : holderOf(members, candidate);
    if (code && holder !== undefined) codes.push({ ...code, seq: holder });
    if (added[at] && confirmedBy !== null && candidate.emailHash) confirmed.push(seq);
    if (!added[at] || !link) return;
    const referrer = candidate.referrer ? members.find(candidate.referrer) : undefined;
    if (referrer?.seq === seq) lost.referralsCircular += 1;
    else if (referrer && referrer.seq < seq)
      lost.referralsUnresolved += referrer.status === 'removed' ? 1 : 0;
    else if (link.kind === 'code' && !hasCodes) lost.referralsUnresolved += 1;
    else links.push({ seq, link });
  });
  const { trx } = change;
  const codeRows = codes.map(({ hash, seq }) => ({ ...job, code_hash: hash, seq }));
  trx.insert('import_code', codeRows, { onConflict: 'ignore' });
  writeAliases(
    change,
    codes.filter(({ ownSeq, seq }) => ownSeq !== seq),
  );
  const linkRows = links.map(({ seq, link: { kind, hash } }) => ({ ...job, seq, kind, hash }));
  trx.insert('import_link', linkRows);
  if (confirmedBy !== null) recordConfirmations(change, confirmed, 'import', confirmedBy);
  return lost;
}

/** People who are already on the list keep their place, and their former code leads to them. */
function holderOf(members: Members, { emailHash, phoneHash }: Candidate): number | undefined {
  const byEmail = emailHash ? members.find({ email: emailHash }) : undefined;
  return (byEmail ?? (phoneHash ? members.find({ phone: phoneHash }) : undefined))?.seq;
}

/** The same change, with its events marked as imported or not recorded at all. */
export function importing(change: QueueChange, recordEvents: boolean): QueueChange {
  const { trx, queue, now, settings, waiting, rules, places, tally } = change;
  return {
    ...{ trx, queue, now, settings, waiting, rules, places, tally },
    record: (event) => {
      if (recordEvents) change.record({ ...event, imported: true });
    },
    get lastSeq() {
      return change.lastSeq;
    },
    set lastSeq(seq) {
      change.lastSeq = seq;
    },
  };
}
