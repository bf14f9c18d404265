import type { EntryTable, ImportLinkTable } from '../../../db/tables.ts';
import { bytesKey } from '../../../lib/ids.ts';
import type { JobLease } from '../../jobs/jobs.ts';
import { parseReferrer } from '../../people/identity.ts';
import type { Context } from '../../queue/context.ts';
import type { Queue } from '../../queue/queue.ts';
import { aliasHash, findByAlias } from '../../referrals/referral-alias.ts';
import { ownSeqOf, type Reference } from '../../referrals/referral-code.ts';
import { type Candidate, prepareCandidate } from '../../signup/candidate.ts';
import type { ImportRow, RowProblem } from './import-row.ts';

/** A referrer who has not been looked up yet. */
interface Link {
  kind: ImportLinkTable['kind'];
  hash: Buffer;
  /** For a code: its text, and the sequence it stands for if it belongs to this queue. */
  code?: string;
  ownSeq?: number | undefined;
}

/** A referral code from the file, and the sequence it stands for if it belongs to this queue. */
interface ImportedCode {
  hash: Buffer;
  ownSeq: number | undefined;
}

/** A row, sealed and hashed. */
export interface ImportCandidate {
  candidate: Candidate;
  link: Link | null;
  code: ImportedCode | null;
  line: number;
}

export interface ImportJob {
  id: Buffer;
  lease: JobLease;
  queue: Queue;
  events: boolean;
  hasCodes: boolean;
  /** Who vouches that the emails are confirmed, or null for nobody. */
  confirmedBy: string | null;
}

export function prepareImport(
  queue: Queue,
  row: ImportRow,
  { now, confirmed }: { now: number; confirmed: boolean },
): ImportCandidate {
  const { joinedAt, referredBy, referralCode, signup, line } = row;
  const link = referredBy === undefined ? null : linkTo(queue, referredBy);
  const prepared = prepareCandidate(
    queue,
    signup,
    now,
    referralCode === undefined ? {} : { importedCode: referralCode },
  );
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

function codeOf(queue: Queue, code: string): ImportedCode {
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

type Holder = Pick<EntryTable, 'email_hash' | 'phone_hash'>;

/** Returns rows whose referral code already belongs to someone else: the first entry with a code keeps it. */
export async function findTakenCodes(
  context: Context,
  queue: Queue,
  rows: readonly ImportCandidate[],
): Promise<RowProblem[]> {
  const withCode = rows.flatMap(({ candidate, code, line }) => (code ? [{ candidate, code, line }] : []));
  if (withCode.length === 0) return [];
  const codes = withCode.map(({ code }) => code);
  const [aliases, owners] = await Promise.all([
    findAliasHolders(context, queue, codes),
    findOwners(context, queue, codes),
  ]);
  return withCode.flatMap(({ candidate, code, line }) => {
    const key = bytesKey(code.hash);
    const holder = owners.get(code.ownSeq) ?? aliases.get(key);
    if (!holder) aliases.set(key, holderOf(candidate));
    if (!holder || isSame(holder, candidate)) return [];
    return [{ line, field: 'referralCode', reason: 'is the code of somebody else already' }];
  });
}

async function findAliasHolders(
  { db }: Context,
  queue: Queue,
  codes: readonly ImportedCode[],
): Promise<Map<string, Holder>> {
  const hashes = codes.map(({ hash }) => hash);
  const found = await db.run(findByAlias, { queueId: queue.id, hashes });
  return new Map(found.map(({ code_hash, ...holder }) => [bytesKey(code_hash), holder]));
}

/** Finds entries whose own code here has the same spelling as one in the file. */
async function findOwners(
  { db }: Context,
  queue: Queue,
  codes: readonly ImportedCode[],
): Promise<Map<number | undefined, Holder>> {
  const seqs = codes.flatMap(({ ownSeq }) => ownSeq ?? []);
  if (seqs.length === 0) return new Map();
  const found = await db.query
    .selectFrom('entry')
    .select(['seq', 'email_hash', 'phone_hash'])
    .where('queue_id', '=', queue.id)
    .where((e) => db.in(e.ref('seq'), seqs))
    .where('status', '<>', 'removed')
    .execute();
  return new Map(found.map(({ seq, ...holder }) => [seq, holder]));
}

function holderOf({ emailHash, phoneHash }: Candidate): Holder {
  return { email_hash: emailHash, phone_hash: phoneHash };
}

function isSame({ email_hash, phone_hash }: Holder, { emailHash, phoneHash }: Candidate): boolean {
  return (
    (email_hash !== null && emailHash?.compare(email_hash) === 0) ||
    (phone_hash !== null && phoneHash?.compare(phone_hash) === 0)
  );
}
