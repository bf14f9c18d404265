import { invalid, notFound, Problems } from '../../errors.ts';
import { changeSettings } from '../queue/change-settings.ts';
import type { Context } from '../queue/context.ts';
import { checkName } from './waitlists.ts';

export const BOOST_MAX = 1_000;

/** Omitted settings stay as they are. */
export interface WaitlistChanges {
  name?: string;
  boost?: number;
  /** null for no cap. */
  referralCap?: number | null;
  /** null if invites do not expire. */
  inviteExpiryMs?: number | null;
  /** Whether the entry of a revoked or expired invite returns to the queue. */
  returnToQueue?: boolean;
  /** Whether an entry is pending until its email is confirmed. */
  confirmEmails?: boolean;
}

/** Updates a waitlist's settings. `applyBoost` applies a new boost to existing entries. */
export async function updateWaitlist(context: Context, id: string, changes: WaitlistChanges): Promise<void> {
  check(changes);
  const { name, boost, referralCap, inviteExpiryMs, returnToQueue, confirmEmails } = changes;
  await changeSettings(context, async (trx) => {
    const before = await trx
      .selectFrom('waitlist')
      .select(['id', 'boost'])
      .where('public_id', '=', id)
      .executeTakeFirst();
    if (!before) throw notFound(`there is no waitlist ${id}`);
    await trx
      .updateTable('waitlist')
      .set({
        ...(name === undefined ? {} : { name: name.trim() }),
        ...(boost === undefined ? {} : { boost }),
        ...(referralCap === undefined ? {} : { referral_cap: referralCap }),
        ...(inviteExpiryMs === undefined ? {} : { invite_expiry_ms: inviteExpiryMs }),
        ...(returnToQueue === undefined ? {} : { expired_stay_invited: returnToQueue ? 0 : 1 }),
        ...(confirmEmails === undefined ? {} : { confirm_emails: confirmEmails ? 1 : 0 }),
      })
      .where('id', '=', before.id)
      .execute();
    if (boost === undefined || boost === before.boost) return;
    await trx.updateTable('queue').set({ rerank_after: 0 }).where('waitlist_id', '=', before.id).execute();
  });
}

function check({ name, boost, referralCap, inviteExpiryMs, ...rest }: WaitlistChanges): void {
  const problems = new Problems();
  const isWhole = (value: number, most: number) => Number.isInteger(value) && value >= 0 && value <= most;
  if (name !== undefined) checkName(name);
  if (boost !== undefined && !isWhole(boost, BOOST_MAX)) {
    problems.add('boost', `must be a whole number from 0 to ${BOOST_MAX}`);
  }
  if (typeof referralCap === 'number' && !isWhole(referralCap, Number.MAX_SAFE_INTEGER)) {
    problems.add('referral-cap', 'must be a whole number');
  }
  if (typeof inviteExpiryMs === 'number' && inviteExpiryMs <= 0)
    problems.add('invite-expiry', 'must be longer than 0');
  problems.throwIfAny();
  const given = [name, boost, referralCap, inviteExpiryMs, ...Object.values(rest)];
  if (given.every((value) => value === undefined)) throw invalid('at least one setting is required');
}
