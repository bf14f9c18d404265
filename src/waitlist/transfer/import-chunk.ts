import { statement } from '../../db/statement.ts';
import {
  IMPORT_CODE_COLUMNS,
  IMPORT_LINK_COLUMNS,
  type ImportLinkTable,
  OPERATOR_CONFIRMATION_COLUMNS,
  REFERRAL_ALIAS_COLUMNS,
} from '../../db/tables.ts';
import { parseReferrer } from '../people/identity.ts';
import { readAndChangeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/directory.ts';
import { advanceJob, readProgress } from '../queue/jobs.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { findMembers, type Members } from '../referrals/members.ts';
import { ownSeqOf, type Reference } from '../referrals/reference.ts';
import { aliasHash } from '../referrals/referral-alias.ts';
import { addEntries } from '../signup/add-entries.ts';
import { type Candidate, prepareCandidate } from '../signup/candidate.ts';
import { type ImportProgress, requireSameProgress } from './import-progress.ts';
import type { ImportRow } from './import-row.ts';
import { importing } from './importing.ts';

/** What is known of a referrer before it is known who that is. */
interface Link {
  kind: ImportLinkTable['kind'];
  hash: Buffer;
  /** Of a code: its text, and whom it means if it is one of this queue. */
  code?: string;
  ownSeq?: number | undefined;
}

/** A row, sealed and hashed. */
export interface ImportCandidate {
  candidate: Candidate;
  link: Link | null;
  code: { hash: Buffer; ownSeq: number | undefined } | null;
  line: number;
}

export interface ImportJob {
  id: Buffer;
  queue: Queue;
  events: boolean;
  hasCodes: boolean;
  /** Who said that the emails are confirmed; null: nobody did. */
  confirmedBy: string | null;
}

export function prepareImport(
  queue: Queue,
  row: ImportRow,
  now: number,
  confirmed: boolean,
): ImportCandidate {
  const { joinedAt, referredBy, referralCode, signup, line } = row;
  const link = referredBy === undefined ? null : linkTo(queue, referredBy);
  const prepared = prepareCandidate(queue, signup, now);
  const referrer: Reference | null = link && link.kind !== 'code' ? reference(link) : null;
  const standing = row.standing ?? (confirmed ? ({ status: 'waiting' } as const) : undefined);
  return {
    candidate: {
      ...prepared,
      referrer,
      ...(joinedAt === undefined ? {} : { joinedAt }),
      ...(standing === undefined ? {} : { standing }),
    },
    link,
    code: referralCode === undefined ? null : codeOf(queue, referralCode),
    line,
  };
}

function codeOf(queue: Queue, code: string) {
  return { hash: aliasHash(queue, code), ownSeq: ownSeqOf(queue, code) };
}

function linkTo(queue: Queue, text: string): Link {
  const known = parseReferrer(text);
  if (known?.kind === 'email' || known?.kind === 'phone') {
    return { kind: known.kind, hash: queue.vault.hash(known.kind, known.key) };
  }
  return { kind: 'code', code: text, ...codeOf(queue, text) };
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
    const seq = seqs.get(hashName(link.hash));
    if (seq !== undefined) return { ...candidate, referrer: { seq } };
    const ownSeq = link.ownSeq !== undefined && link.ownSeq <= baseSeq ? link.ownSeq : undefined;
    return { ...candidate, referrer: { code: link.code ?? '', ownSeq } };
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
    (change, [found, members]) => {
      requireSameProgress(found, before);
      const firstSeq = change.lastSeq + 1;
      const added = addEntries(context, importing(change, job.events), members, candidates);
      noteReferences(context, job, change, { rows, candidates, added, members, firstSeq });
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
  members: Members;
  firstSeq: number;
}

/** Keeps the codes of the rows, who has a referrer who is not there yet, and whose word confirmations rest on. */
function noteReferences(
  { db }: Context,
  { id, queue, hasCodes, confirmedBy }: ImportJob,
  { trx, send, now }: QueueChange,
  { rows, candidates, added, members, firstSeq }: Outcome,
): void {
  const codes: unknown[][] = [];
  const aliases: unknown[][] = [];
  const links: unknown[][] = [];
  const confirmations: unknown[][] = [];
  let seq = firstSeq - 1;
  rows.forEach(({ link, code }, at) => {
    const candidate = candidates[at] as Candidate;
    if (added[at]) seq += 1;
    const holder = added[at] ? seq : holderOf(members, candidate);
    if (code && holder !== undefined) {
      codes.push([queue.id, id, code.hash, holder]);
      if (code.ownSeq !== holder) aliases.push([queue.id, code.hash, holder]);
    }
    if (added[at] && confirmedBy !== null && candidate.emailHash) {
      confirmations.push([queue.id, seq, 'import', confirmedBy, now]);
    }
    if (!added[at] || !link || (link.kind === 'code' && !hasCodes)) return;
    const referrer = candidate.referrer ? members.find(candidate.referrer) : undefined;
    if (!referrer || referrer.seq > seq) links.push([queue.id, id, seq, link.kind, link.hash]);
  });
  const suffix = 'on conflict do nothing'; // The first who has a code keeps it.
  send(db.insertRows(trx, { table: 'import_code', columns: IMPORT_CODE_COLUMNS, rows: codes, suffix }));
  send(
    db.insertRows(trx, { table: 'referral_alias', columns: REFERRAL_ALIAS_COLUMNS, rows: aliases, suffix }),
  );
  send(db.insertRows(trx, { table: 'import_link', columns: IMPORT_LINK_COLUMNS, rows: links }));
  const columns = OPERATOR_CONFIRMATION_COLUMNS;
  send(db.insertRows(trx, { table: 'operator_confirmation', columns, rows: confirmations }));
}

/** Who is on the list already keeps their place, and their code of old leads to them. */
function holderOf(members: Members, { emailHash, phoneHash }: Candidate): number | undefined {
  const byEmail = emailHash ? members.find({ email: emailHash }) : undefined;
  return (byEmail ?? (phoneHash ? members.find({ phone: phoneHash }) : undefined))?.seq;
}
