import { DURATION_MAX_MS } from '../../lib/duration.ts';
import { DAY_MS, MINUTE_MS } from '../../lib/time.ts';
import { isWhole, type WholeRange } from '../../lib/whole-number.ts';

export const BOOST: WholeRange = { minimum: 0, maximum: 1_000 };
export const REFERRAL_CAP: WholeRange = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
export const INVITE_EXPIRY_MS: WholeRange = { minimum: 1, maximum: DURATION_MAX_MS };
export const REMINDER_MS: WholeRange = { minimum: MINUTE_MS, maximum: DURATION_MAX_MS };

interface StoredSettings {
  referral_cap: number | null;
  invite_expiry_ms: number | null;
  invite_reminder_ms: number;
}

/** A number that cannot be right counts as the default: all else still works. */
export function repairedSettings<Row extends StoredSettings>(row: Row): Row {
  const damaged = damagedSettings(row);
  return {
    ...row,
    ...(damaged.includes('referralCap') ? { referral_cap: null } : {}),
    ...(damaged.includes('inviteExpiryMs') ? { invite_expiry_ms: null } : {}),
    ...(damaged.includes('inviteReminderMs') ? { invite_reminder_ms: DAY_MS } : {}),
  };
}

export function damagedSettings(row: StoredSettings): string[] {
  const { referral_cap: cap, invite_expiry_ms: expiry, invite_reminder_ms: reminder } = row;
  return [
    ...(cap === null || isWhole(cap, REFERRAL_CAP) ? [] : ['referralCap']),
    ...(expiry === null || isWhole(expiry, INVITE_EXPIRY_MS) ? [] : ['inviteExpiryMs']),
    ...(isWhole(reminder, REMINDER_MS) ? [] : ['inviteReminderMs']),
  ];
}
