import type { Selectable } from 'kysely';
import { statement } from '../../db/statement.ts';
import type { WaitlistTable } from '../../db/tables.ts';
import { DAY_MS, DURATION_MAX_MS, MINUTE_MS } from '../../lib/time.ts';
import { isWhole, type WholeRange } from '../../lib/whole-number.ts';

/** The settings of a queue and its waitlist, as they are while the lock is held. */
export interface QueueSettings {
  readonly boost: number;
  readonly closed: boolean;
  readonly referralCap: number;
  readonly inviteExpiryMs: number | null;
  /** Whether the entry of a revoked or expired invite returns to the queue. */
  readonly returnToQueue: boolean;
  readonly confirmEmails: boolean;
  /** How long before an invite expires its reminder is due, or null for no reminders. */
  readonly inviteReminderMs: number | null;
  /** What each listener is switched on for. */
  readonly subscriptions: string;
  readonly mailKinds: readonly string[];
  readonly mailVersion: number;
  /** Whether people can join on our own page. */
  readonly formEnabled: boolean;
}

type SettingsRow = Pick<
  Selectable<WaitlistTable>,
  | 'boost'
  | 'closed_at'
  | 'referral_cap'
  | 'invite_expiry_ms'
  | 'expired_stay_invited'
  | 'confirm_emails'
  | 'mail_kinds'
  | 'mail_version'
  | 'invite_reminder_ms'
> & { form_enabled: number | null; now: number };

/** With the time, which is that of a moment at which the lock is held. */
export const readSettings = statement<{ waitlistId: number; queueId: number }, SettingsRow>((db, parameter) =>
  db.query
    .selectFrom('waitlist')
    .select(['boost', 'closed_at', 'referral_cap', 'invite_expiry_ms', 'expired_stay_invited'])
    .select(['confirm_emails', 'mail_kinds', 'mail_version', 'invite_reminder_ms'])
    .select((e) =>
      e
        .selectFrom('form')
        .select('form.enabled')
        .where('form.queue_id', '=', parameter('queueId'))
        .as('form_enabled'),
    )
    .select(db.clock.as('now'))
    .where('id', '=', parameter('waitlistId'))
    .where('deleted_at', 'is', null),
);

export function settingsOf(stored: SettingsRow, subscriptions: string): QueueSettings {
  const row = repairedSettings(stored);
  const mailKinds = row.mail_kinds.split(',');
  return {
    boost: row.boost,
    closed: row.closed_at !== null,
    referralCap: row.referral_cap ?? Number.POSITIVE_INFINITY,
    inviteExpiryMs: row.invite_expiry_ms,
    returnToQueue: row.expired_stay_invited === 0,
    confirmEmails: row.confirm_emails === 1,
    inviteReminderMs: mailKinds.includes('invite-reminder') ? row.invite_reminder_ms : null,
    subscriptions,
    mailKinds,
    mailVersion: row.mail_version,
    formEnabled: row.form_enabled === 1,
  };
}

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
