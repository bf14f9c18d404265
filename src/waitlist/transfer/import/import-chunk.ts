import { statement } from '../../../db/statement.ts';
import { bytesKey } from '../../../lib/bytes-key.ts';
import { advanceJob, readProgress } from '../../jobs/jobs.ts';
import { readAndChangeQueue } from '../../queue/change-queue.ts';
import type { Context } from '../../queue/context.ts';
import { findMembers } from '../../referrals/members.ts';
import { addEntries } from '../../signup/add-entries.ts';
import type { Candidate } from '../../signup/candidate.ts';
import type { ImportCandidate, ImportJob } from './import-candidate.ts';
import { addFound } from './import-found.ts';
import { type ImportProgress, requireSameProgress, resultOf } from './import-progress.ts';
import { noteRange } from './import-ranges.ts';
import { noteReferences } from './import-references.ts';
import { importing } from './importing.ts';

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
