import { Problems } from '../../lib/errors.ts';
import { nameProblem } from '../../lib/text.ts';
import { isWhole, wholeRule } from '../../lib/whole-number.ts';
import { BOOST, INVITE_EXPIRY_MS, REFERRAL_CAP } from '../queue/queue-settings.ts';
import { checkMetadataKeys } from '../statistics/metadata-keys.ts';

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
