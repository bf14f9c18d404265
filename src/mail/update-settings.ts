import type { Database } from '../db/database.ts';
import { invalid, notFound } from '../lib/errors.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { readParts, renamedParts, writePart } from './parts.ts';
import { isMailKind, MAIL_KINDS, type MailKind } from './templates/kinds.ts';
import { checkMailSettings, type MailSettings } from './templates/settings.ts';

const REMINDER_MS_MIN = 60_000;

/** Omitted settings stay as they are. null restores the default. */
export interface MailChanges extends Partial<MailSettings> {
  kinds?: MailKind[];
  /** How long before an invite expires. */
  inviteReminderMs?: number;
}

interface MailSettingsView extends MailSettings {
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
    throw invalid('inviteReminderMs: must be at least a minute');
  await writePart(context, waitlistId, 'settings', async (_, trx) => {
    const before = await showMailSettings(context, waitlistId, trx);
    const { waitlistId: _id, kinds: _kinds, inviteReminderMs: _reminder, ...settings } = before;
    const changed = { ...settings, ...changes };
    checkMailSettings(changed);
    const { internalId } = await requireWaitlist(context, waitlistId, trx);
    const parts = await readParts(context, internalId, undefined, trx);
    const after = {
      ...changed,
      kinds: kinds ?? before.kinds,
      inviteReminderMs: inviteReminderMs ?? before.inviteReminderMs,
    };
    return {
      content: JSON.stringify(changed),
      others: renamedParts(parts, changed),
      columns: {
        ...(kinds ? { mail_kinds: [...new Set(kinds)].join(',') } : {}),
        ...(inviteReminderMs === undefined ? {} : { invite_reminder_ms: inviteReminderMs }),
      },
      event: { action: 'mail_settings.updated', ...differences(before, after) },
    };
  });
}

/** Only what has changed. */
function differences(before: object, after: object) {
  const was = new Map<string, unknown>(Object.entries(before));
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(was.get(name)),
  );
  return {
    before: Object.fromEntries(changed.map(([name]) => [name, was.get(name)])),
    after: Object.fromEntries(changed),
  };
}

export async function showMailSettings(
  context: Context,
  waitlistId: string,
  executor: Database['query'] = context.db.query,
): Promise<MailSettingsView> {
  const { internalId, kinds, inviteReminderMs } = await requireWaitlist(context, waitlistId, executor);
  const { settings } = await readParts(context, internalId, undefined, executor);
  return { waitlistId, kinds, inviteReminderMs, ...settings };
}

export async function requireWaitlist(
  { db }: Context,
  waitlistId: string,
  executor: Database['query'] = db.query,
) {
  const row = await executor
    .selectFrom('waitlist')
    .select(['id', 'mail_kinds', 'mail_version', 'invite_reminder_ms', 'confirm_emails'])
    .where('public_id', '=', waitlistId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw notFound(`there is no waitlist ${waitlistId}`);
  return {
    internalId: row.id,
    kinds: row.mail_kinds.split(',').filter(isMailKind),
    version: row.mail_version,
    inviteReminderMs: row.invite_reminder_ms,
    confirmEmails: row.confirm_emails === 1,
  };
}
