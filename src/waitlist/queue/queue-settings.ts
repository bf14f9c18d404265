import type { Selectable } from 'kysely';
import { statement } from '../../db/statement.ts';
import type { WaitlistTable } from '../../db/tables.ts';
import { columnsOf, readColumn, readRow, type ValuesOf } from '../../lib/setting.ts';
import { INVITE_REMINDER, WAITLIST_SETTINGS } from './waitlist-settings.ts';

/** Changes of a queue need neither, and reading them costs more than all others. */
const { name: _name, metadataKeys: _metadataKeys, ...UNDER_LOCK } = WAITLIST_SETTINGS;

/** The settings of a queue and its waitlist, as they are while the lock is held. */
export interface QueueSettings extends Readonly<ValuesOf<typeof UNDER_LOCK>> {
  readonly closed: boolean;
  /** How long before an invite expires its reminder is due, or null for no reminders. */
  readonly inviteReminderMs: number | null;
  /** What each listener is switched on for. */
  readonly subscriptions: string;
  readonly mailKinds: readonly string[];
  readonly mailVersion: number;
  /** Whether people can join on our own page. */
  readonly formEnabled: boolean;
}

const COLUMNS = [
  ...columnsOf(UNDER_LOCK),
  'closed_at',
  'mail_kinds',
  'mail_version',
  'invite_reminder_ms',
] as const;

type SettingsRow = Pick<Selectable<WaitlistTable>, (typeof COLUMNS)[number]> & {
  form_enabled: number | null;
  now: number;
};

/** With the time, which is that of a moment at which the lock is held. */
export const readSettings = statement<{ waitlistId: number; queueId: number }, SettingsRow>((db, parameter) =>
  db.query
    .selectFrom('waitlist')
    .select(COLUMNS)
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

export function settingsOf(row: SettingsRow, subscriptions: string): QueueSettings {
  const mailKinds = row.mail_kinds.split(',');
  return {
    ...readRow(UNDER_LOCK, row),
    closed: row.closed_at !== null,
    inviteReminderMs: mailKinds.includes('invite-reminder') ? readColumn(INVITE_REMINDER, row) : null,
    subscriptions,
    mailKinds,
    mailVersion: row.mail_version,
    formEnabled: row.form_enabled === 1,
  };
}
