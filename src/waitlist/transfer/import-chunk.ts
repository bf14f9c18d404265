import { statement } from '../../db/statement.ts';
import { IMPORT_CODE_COLUMNS, IMPORT_LINK_COLUMNS, type ImportLinkTable } from '../../db/tables.ts';
import type { Context } from '../context.ts';
import type { Queue } from '../directory.ts';
import { advanceJob, readProgress } from '../jobs.ts';
import { type QueueChange, readAndChangeQueue } from '../queue-change.ts';
import { addEntries } from '../signup/add-entries.ts';
import { type Candidate, prepareCandidate, type Reference } from '../signup/candidate.ts';
import { parseReferrer } from '../signup/identity.ts';
import { findMembers, type Register } from '../signup/register.ts';
import { type ImportProgress, requireSameProgress } from './import-progress.ts';
import type { ImportRow } from './import-row.ts';
import { quietly } from './quiet-change.ts';

/** What is known of a referrer before it is known who that is. */
interface Link {
  kind: ImportLinkTable['kind'];
  hash: Buffer;
  /** Whom the text means if it is a code of this queue. */
  ownSeq?: number | undefined;
}

/** A row, sealed and hashed. */
export interface ImportCandidate {
  candidate: Candidate;
  link: Link | null;
  codeHash: Buffer | null;
}

export interface ImportJob {
  id: Buffer;
  queue: Queue;
  events: boolean;
  hasCodes: boolean;
}

export function prepareImport(queue: Queue, row: ImportRow, now: number): ImportCandidate {
  const { joinedAt, referredBy, referralCode, signup } = row;
  const link = referredBy === undefined ? null : linkTo(queue, referredBy);
  const prepared = prepareCandidate(queue, signup, now);
  const referrer: Reference | null = link && link.kind !== 'code' ? reference(link) : null;
  return {
    candidate: { ...prepared, referrer, ...(joinedAt === undefined ? {} : { joinedAt }) },
    link,
    codeHash: referralCode === undefined ? null : queue.vault.hash('import', referralCode),
  };
}

function linkTo({ vault, referralCodes }: Queue, text: string): Link {
  const known = parseReferrer(text);
  if (known?.kind === 'email' || known?.kind === 'phone') {
    return { kind: known.kind, hash: vault.hash(known.kind, known.key) };
  }
  return { kind: 'code', hash: vault.hash('import', text), ownSeq: known && referralCodes.seqOf(known.key) };
}

function reference({ kind, hash }: Link): Reference {
  return kind === 'email' ? { email: hash } : { phone: hash };
}

const findCodes = statement<
  { queueId: number; jobId: Buffer; hashes: unknown },
  { code_hash: Uint8Array; seq: number }
>((db, parameter) =>
  db.query
    .selectFrom('import_code')
    .select(['code_hash', 'seq'])
    .where('queue_id', '=', parameter('queueId'))
    .where('job_id', '=', parameter('jobId'))
    .where((e) => db.inBytes(e.ref('code_hash'), parameter('hashes'))),
);

/** Codes of rows before this chunk are known; one of this chunk or behind it is linked to in the end. */
async function resolveCodes(
  { db }: Context,
  { id, queue }: ImportJob,
  rows: readonly ImportCandidate[],
  baseSeq: number,
): Promise<Candidate[]> {
  const hashes = rows.flatMap(({ link }) => (link?.kind === 'code' ? [link.hash] : []));
  const found =
    hashes.length === 0
      ? []
      : await findCodes.read(db, { queueId: queue.id, jobId: id, hashes: db.bytesList(hashes) });
  const seqs = new Map(found.map(({ code_hash, seq }) => [hashName(code_hash), seq]));
  return rows.map(({ candidate, link }) => {
    if (link?.kind !== 'code') return candidate;
    const own = link.ownSeq !== undefined && link.ownSeq <= baseSeq ? link.ownSeq : undefined;
    const seq = seqs.get(hashName(link.hash)) ?? own;
    return seq === undefined ? candidate : { ...candidate, referrer: { seq } };
  });
}

function hashName(hash: Uint8Array): string {
  return Buffer.from(hash).toString('latin1');
}

/** Adds the rows of a chunk, and says so in the job: one transaction. Returns the progress that it wrote. */
export async function commitChunk(
  context: Context,
  job: ImportJob,
  before: ImportProgress,
  rows: readonly ImportCandidate[],
  told: Omit<Partial<ImportProgress>, 'created'> & Pick<ImportProgress, 'skipped'>,
): Promise<ImportProgress> {
  const candidates = await resolveCodes(context, job, rows, before.baseSeq);
  return readAndChangeQueue(
    context,
    job.queue,
    (trx) =>
      Promise.all([
        readProgress<ImportProgress>(trx, job.queue, job.id),
        findMembers(context, trx, job.queue, candidates),
      ]),
    (change, [found, register]) => {
      requireSameProgress(found, before);
      const firstSeq = change.lastSeq + 1;
      const added = addEntries(context, quietly(change, job.events), register, candidates);
      noteReferences(context, job, change, { rows, candidates, added, register, firstSeq });
      const created = added.filter(Boolean).length;
      const progress: ImportProgress = {
        ...before,
        ...told,
        created: before.created + created,
        skipped: told.skipped + rows.length - created,
      };
      advanceJob(change, job.id, progress);
      return progress;
    },
  );
}

interface Outcome {
  rows: readonly ImportCandidate[];
  candidates: readonly Candidate[];
  added: readonly boolean[];
  register: Register;
  firstSeq: number;
}

/** Keeps the codes of the rows, and who has a referrer who is not there yet. */
function noteReferences(
  { db }: Context,
  { id, queue, hasCodes }: ImportJob,
  { trx, send }: QueueChange,
  { rows, candidates, added, register, firstSeq }: Outcome,
): void {
  const codes: unknown[][] = [];
  const links: unknown[][] = [];
  let seq = firstSeq - 1;
  rows.forEach(({ link, codeHash }, at) => {
    const candidate = candidates[at] as Candidate;
    if (added[at]) seq += 1;
    const holder = added[at] ? seq : holderOf(register, candidate);
    if (codeHash && holder !== undefined) codes.push([queue.id, id, codeHash, holder]);
    if (!added[at] || !link || (link.kind === 'code' && !hasCodes)) return;
    const referrer = candidate.referrer ? register.find(candidate.referrer) : undefined;
    if (!referrer || referrer.seq > seq) links.push([queue.id, id, seq, link.kind, link.hash]);
  });
  const suffix = 'on conflict do nothing'; // The first who has a code keeps it.
  send(db.insertRows(trx, { table: 'import_code', columns: IMPORT_CODE_COLUMNS, rows: codes, suffix }));
  send(db.insertRows(trx, { table: 'import_link', columns: IMPORT_LINK_COLUMNS, rows: links }));
}

/** Who is on the list already keeps their place, and their code of old leads to them. */
function holderOf(register: Register, { emailHash, phoneHash }: Candidate): number | undefined {
  const byEmail = emailHash ? register.find({ email: emailHash }) : undefined;
  return (byEmail ?? (phoneHash ? register.find({ phone: phoneHash }) : undefined))?.seq;
}
