import type { Schemas } from '../../api/client.ts';
import { durationInWords } from '../../ui/duration.ts';
import type { MailSettings } from './mails.ts';

export type TextSetting = Exclude<
  keyof MailSettings,
  'waitlistId' | 'kinds' | 'inviteReminderMs' | 'language'
>;
type Draft = Record<TextSetting, string> & { language: string; reminder: string };

const TEXT_SETTINGS: readonly TextSetting[] = [
  'from',
  'fromName',
  'replyTo',
  'joinUrl',
  'confirmUrl',
  'referralUrl',
  'colour',
  'logoUrl',
  'footer',
];

const HOUR_MS = 3_600_000;
const REMINDERS = [
  { value: String(HOUR_MS), label: '1 hour before' },
  { value: String(12 * HOUR_MS), label: '12 hours before' },
  { value: String(24 * HOUR_MS), label: '1 day before' },
  { value: String(48 * HOUR_MS), label: '2 days before' },
  { value: String(72 * HOUR_MS), label: '3 days before' },
  { value: String(7 * 24 * HOUR_MS), label: '7 days before' },
];

/** Another value than the usual ones was set over the API: it stays a choice. */
export function reminderOptions(current: string): readonly { value: string; label: string }[] {
  if (REMINDERS.some(({ value }) => value === current)) return REMINDERS;
  return [...REMINDERS, { value: current, label: `${durationInWords(Number(current))} before` }];
}

export function draftOf(settings: MailSettings): Draft {
  const texts = Object.fromEntries(TEXT_SETTINGS.map((name) => [name, settings[name] ?? '']));
  return {
    ...(texts as Record<TextSetting, string>),
    language: settings.language ?? 'en',
    reminder: String(settings.inviteReminderMs),
  };
}

/** Only what differs. An empty text restores the default. */
export function changesOf(settings: MailSettings, draft: Draft): Schemas['MailSettingsChanges'] {
  const before = draftOf(settings);
  const changed = TEXT_SETTINGS.filter((name) => draft[name].trim() !== before[name]);
  return {
    ...Object.fromEntries(changed.map((name) => [name, draft[name].trim() || null])),
    ...(draft.language === before.language ? {} : { language: draft.language as MailSettings['language'] }),
    ...(draft.reminder === before.reminder ? {} : { inviteReminderMs: Number(draft.reminder) }),
  };
}
