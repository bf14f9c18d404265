import type { ImportLinkTable } from '../../../db/tables.ts';
import type { JobLease } from '../../jobs/jobs.ts';
import { parseReferrer } from '../../people/identity.ts';
import type { Queue } from '../../queue/queue.ts';
import { ownSeqOf, type Reference } from '../../referrals/reference.ts';
import { aliasHash } from '../../referrals/referral-alias.ts';
import { type Candidate, prepareCandidate } from '../../signup/candidate.ts';
import type { ImportRow } from './import-row.ts';

/** A referrer who has not been looked up yet. */
interface Link {
  kind: ImportLinkTable['kind'];
  hash: Buffer;
  /** For a code: its text, and the sequence it stands for if it belongs to this queue. */
  code?: string;
  ownSeq?: number | undefined;
}

/** A referral code from the file, and the sequence it stands for if it belongs to this queue. */
export interface ImportedCode {
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
