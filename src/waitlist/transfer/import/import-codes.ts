import type { EntryTable } from '../../../db/tables.ts';
import { bytesKey } from '../../../lib/bytes-key.ts';
import type { Context } from '../../queue/context.ts';
import type { Queue } from '../../queue/queue.ts';
import { findByAlias } from '../../referrals/referral-alias.ts';
import type { Candidate } from '../../signup/candidate.ts';
import type { ImportCandidate, ImportedCode } from './import-candidate.ts';
import type { RowProblem } from './import-row.ts';

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
