import { invalid, notFound } from '../errors.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { isMailKind, MAIL_KINDS, type MailKind } from './kinds.ts';
import { readParts, writePart } from './parts.ts';
import { checkMailSettings, type MailSettings } from './settings.ts';

const REMINDER_MS_MIN = 60_000;

/** Omitted settings stay as they are. null restores the default. */
export interface MailChanges extends Partial<MailSettings> {
  kinds?: MailKind[];
  /** How long before an invite expires. */
  inviteReminderMs?: number;
}

export interface MailSettingsView extends MailSettings {
  waitlistId: string;
  kinds: MailKind[];
  inviteReminderMs: number;
}

export async function updateMailSettings(
  context: Context,
  waitlistId: string,
  { kinds, inviteReminderMs, ...changes }: MailChanges,
): Promise<void> {
  const unknown = kinds?.find((kind) => !isMailKind(kind));
  if (unknown) throw invalid(`kinds: unknown kind ${unknown}: must be one of ${MAIL_KINDS.join(', ')}`);
  if (inviteReminderMs !== undefined && inviteReminderMs < REMINDER_MS_MIN)
    throw invalid('reminder: must be at least a minute');
  const { internalId } = await requireWaitlist(context, waitlistId);
  const { settings } = await readParts(context, internalId);
  const changed = { ...settings, ...changes };
  checkMailSettings(changed);
  await writePart(context, waitlistId, 'settings', JSON.stringify(changed), {
    ...(kinds ? { mail_kinds: kinds.join(',') } : {}),
    ...(inviteReminderMs === undefined ? {} : { invite_reminder_ms: inviteReminderMs }),
  });
}

export async function showMailSettings(context: Context, waitlistId: string): Promise<MailSettingsView> {
  const { internalId, kinds, inviteReminderMs } = await requireWaitlist(context, waitlistId);
  const { settings } = await readParts(context, internalId);
  return { waitlistId, kinds, inviteReminderMs, ...settings };
}

export async function requireWaitlist({ db }: Context, waitlistId: string) {
  const row = await db.query
    .selectFrom('waitlist')
    .select(['id', 'mail_kinds', 'mail_version', 'invite_reminder_ms'])
    .where('public_id', '=', waitlistId)
    .executeTakeFirst();
  if (!row) throw notFound(`there is no waitlist ${waitlistId}`);
  return {
    internalId: row.id,
    kinds: row.mail_kinds.split(',').filter(isMailKind),
    version: row.mail_version,
    inviteReminderMs: row.invite_reminder_ms,
  };
}
