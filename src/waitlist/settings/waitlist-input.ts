import { DURATION_MAX_MS } from '../../lib/duration.ts';
import { Problems } from '../../lib/errors.ts';
import { nameProblem } from '../../lib/name.ts';
import { checkMetadataKeys } from '../statistics/metadata-keys.ts';

export const BOOST_MAX = 1_000;
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
  const isWhole = (value: number, least: number, most: number) =>
    Number.isInteger(value) && value >= least && value <= most;
  const unfit = name === undefined ? undefined : nameProblem(name, { most: NAME_CHARACTERS_MAX });
  if (unfit !== undefined) problems.add('name', unfit);
  if (boost !== undefined && !isWhole(boost, 0, BOOST_MAX))
    problems.add('boost', `must be a whole number from 0 to ${BOOST_MAX}`);
  if (typeof referralCap === 'number' && !isWhole(referralCap, 0, Number.MAX_SAFE_INTEGER))
    problems.add('referralCap', 'must be a whole number');
  if (typeof inviteExpiryMs === 'number' && !isWhole(inviteExpiryMs, 1, DURATION_MAX_MS))
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
