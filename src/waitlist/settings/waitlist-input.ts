import { DURATION_MAX_MS } from '../../lib/duration.ts';
import { Problems } from '../../lib/errors.ts';
import { nameProblem } from '../../lib/name.ts';
import { MINUTE_MS } from '../../lib/time.ts';
import { isWhole, type WholeRange, wholeRule } from '../../lib/whole-number.ts';
import { checkMetadataKeys } from '../statistics/metadata-keys.ts';

export const BOOST_MAX = 1_000;
export const BOOST: WholeRange = { minimum: 0, maximum: BOOST_MAX };
export const REFERRAL_CAP: WholeRange = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
export const INVITE_EXPIRY_MS: WholeRange = { minimum: 1, maximum: DURATION_MAX_MS };
export const REMINDER_MS: WholeRange = { minimum: MINUTE_MS, maximum: DURATION_MAX_MS };
export const NAME_CHARACTERS_MAX = 200;

export interface WaitlistSettings {
  name: string;
  boost: number;
  /** null for no cap. */
  referralCap: number | null;
  /** null if invites do not expire. */
  inviteExpiryMs: number | null;
  /** Whether the entry of a revoked or expired invite returns to the queue. */
  returnToQueue: boolean;
  /** Whether an entry is pending until its email is confirmed. */
  confirmEmails: boolean;
  /** The metadata keys whose values the statistics show. */
  metadataKeys: readonly string[];
}

/** Throws a single error that names every invalid field. */
export function checkSettings(given: Partial<WaitlistSettings>, problems = new Problems()): void {
  const { name, boost, referralCap, inviteExpiryMs } = given;
  const unfit = name === undefined ? undefined : nameProblem(name, { most: NAME_CHARACTERS_MAX });
  if (unfit !== undefined) problems.add('name', unfit);
  if (boost !== undefined && !isWhole(boost, BOOST)) problems.add('boost', wholeRule(BOOST));
  if (typeof referralCap === 'number' && !isWhole(referralCap, REFERRAL_CAP))
    problems.add('referralCap', 'must be a whole number');
  if (typeof inviteExpiryMs === 'number' && !isWhole(inviteExpiryMs, INVITE_EXPIRY_MS))
    problems.add('inviteExpiryMs', 'must be longer than 0 and at most 36500 days');
  if (given.metadataKeys) checkMetadataKeys(given.metadataKeys, problems);
  problems.throwIfAny();
}

/** The columns of the given settings. */
export function settingColumns(given: Partial<WaitlistSettings>) {
  const { name, boost, referralCap, inviteExpiryMs, returnToQueue, confirmEmails, metadataKeys } = given;
  return {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(boost === undefined ? {} : { boost }),
    ...(referralCap === undefined ? {} : { referral_cap: referralCap }),
    ...(inviteExpiryMs === undefined ? {} : { invite_expiry_ms: inviteExpiryMs }),
    ...(returnToQueue === undefined ? {} : { expired_stay_invited: returnToQueue ? 0 : 1 }),
    ...(confirmEmails === undefined ? {} : { confirm_emails: confirmEmails ? 1 : 0 }),
    ...(metadataKeys === undefined ? {} : { metadata_keys: JSON.stringify(metadataKeys) }),
  };
}
