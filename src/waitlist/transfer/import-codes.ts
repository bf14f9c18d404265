import type { EntryTable } from '../../db/tables.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/directory.ts';
import { findByAlias } from '../referrals/referral-alias.ts';
import type { Candidate } from '../signup/candidate.ts';
import type { ImportCandidate } from './import-candidate.ts';
import type { RowProblem } from './import-row.ts';

type Holder = Pick<EntryTable, 'email_hash' | 'phone_hash'>;

/** Rows whose referral code leads to somebody else already: the first who has a code keeps it. */
export async function findTakenCodes(
  context: Context,
  queue: Queue,
  rows: readonly ImportCandidate[],
): Promise<RowProblem[]> {
  const withCode = rows.filter(({ code }) => code !== null);
  if (withCode.length === 0) return [];
  const [aliases, owners] = await Promise.all([
    findAliasHolders(context, queue, withCode),
    findOwners(context, queue, withCode),
  ]);
  return withCode.flatMap(({ candidate, code, line }) => {
    const holder = owners.get(code?.ownSeq) ?? aliases.get(hashName(code?.hash));
    if (!holder) aliases.set(hashName(code?.hash), holderOf(candidate));
    if (!holder || isSame(holder, candidate)) return [];
    return [{ line, field: 'referralCode', reason: 'is the code of somebody else already' }];
  });
}

async function findAliasHolders(
  { db }: Context,
  queue: Queue,
  rows: readonly ImportCandidate[],
): Promise<Map<string, Holder>> {
  const hashes = rows.flatMap(({ code }) => (code ? [code.hash] : []));
  const found = await db.run(findByAlias, { queueId: queue.id, hashes });
  return new Map(found.map(({ code_hash, ...holder }) => [hashName(code_hash), holder]));
}

/** Those whose own code here is spelled like one of the file's. */
async function findOwners(
  { db }: Context,
  queue: Queue,
  rows: readonly ImportCandidate[],
): Promise<Map<number | undefined, Holder>> {
  const seqs = rows.flatMap(({ code }) => code?.ownSeq ?? []);
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

function hashName(hash: Uint8Array | undefined): string {
  return Buffer.from(hash ?? []).toString('latin1');
}
