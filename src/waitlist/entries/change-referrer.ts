import { sql } from 'kysely';
import { conflict, invalid } from '../../lib/errors.ts';
import { formatId } from '../../lib/ids.ts';
import type { Identifier } from '../people/identity.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { decideAgain } from '../referrals/decide-again.ts';
import { detachReferred, updateDepths } from '../referrals/depth.ts';
import { findMembers } from '../referrals/members.ts';
import { referenceTo } from '../referrals/referral-code.ts';

/** What was and what is, as ids. */
interface Referrers {
  before: string | null;
  after: string | null;
}

/** Gives an entry another referrer, or none, as if it had been so from the start. */
export async function changeReferrer(
  change: QueueChange,
  { seq }: { readonly seq: number },
  wanted: Identifier | null,
): Promise<Referrers> {
  const { trx, queue } = change;
  const row = await readReferral(change, seq);
  const referrer = wanted && (await findReferrer(change, seq, wanted));
  const referrers = {
    before: row.referrer_id && formatId('ent', row.referrer_id),
    after: referrer && formatId('ent', referrer.id),
  };
  if ((referrer?.seq ?? null) === row.referrer_seq) return referrers;
  const credits = decideAgain(change);
  await credits.release(seq);
  await link(change, row, referrer?.seq ?? null);
  await trx.deleteFrom('referral_review').where('queue_id', '=', queue.id).where('seq', '=', seq).execute();
  await credits.reopen([seq]);
  await credits.settle();
  return referrers;
}

async function readReferral({ trx, queue }: QueueChange, seq: number) {
  return trx
    .selectFrom('entry as e')
    .leftJoin('entry as r', (join) =>
      join.onRef('r.queue_id', '=', 'e.queue_id').onRef('r.seq', '=', 'e.referrer_seq'),
    )
    .select(['e.seq', 'e.depth', 'e.created_at', 'e.referrer_seq', 'r.id as referrer_id'])
    .where('e.queue_id', '=', queue.id)
    .where('e.seq', '=', seq)
    .executeTakeFirstOrThrow();
}

async function link(
  change: QueueChange,
  row: { seq: number; depth: number; created_at: number },
  referrerSeq: number | null,
): Promise<void> {
  if (referrerSeq === null) return detachReferred(change, [row]);
  const referral = { queue_id: change.queue.id, seq: row.seq, referrer_seq: referrerSeq };
  change.trx.update('entry', { key: ['queue_id', 'seq'] }, [referral]);
  await updateDepths(change, [row.seq]);
}

async function findReferrer(change: QueueChange, seq: number, wanted: Identifier) {
  const { trx, queue } = change;
  const referrer = referenceTo(queue, wanted);
  const members = await findMembers(trx, queue, [{ emailHash: null, phoneHash: null, referrer }]);
  const found = members.find(referrer);
  if (!found || found.status === 'removed')
    throw invalid('referredBy: nobody on the waitlist has this email, phone number or referral code');
  if (found.seq === seq) throw conflict('referredBy: nobody can refer themselves');
  const { id } = await trx
    .selectFrom('entry')
    .select('id')
    .where('queue_id', '=', queue.id)
    .where('seq', '=', found.seq)
    .executeTakeFirstOrThrow();
  if (await isAbove(change, seq, found.seq))
    throw conflict(
      `referredBy: ${formatId('ent', id)} was referred by this person, directly or through others, and that would be a circle`,
    );
  return { seq: found.seq, id };
}

/** Whether a chain of referrals leads from one entry to the other. */
async function isAbove({ trx, queue }: QueueChange, above: number, below: number): Promise<boolean> {
  const { rows } = await sql<{ seq: number }>`
    with recursive chain (seq) as (
      select referrer_seq from entry
      where queue_id = ${queue.id} and seq = ${below} and referrer_seq is not null
      union
      select e.referrer_seq from chain as c
      inner join entry as e on e.queue_id = ${queue.id} and e.seq = c.seq
      where e.referrer_seq is not null
    ) select seq from chain where seq = ${above}`.execute(trx);
  return rows.length > 0;
}
