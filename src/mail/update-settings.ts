import type { Database, Trx } from '../db/database.ts';
import { invalid, notFound } from '../lib/errors.ts';
import { isWhole } from '../lib/whole-number.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { REMINDER_MS, repairedSettings } from '../waitlist/queue/queue-settings.ts';
import {
  checkPicture,
  type OwnWaitlist,
  ownPicturePath,
  storePicture,
} from '../waitlist/settings/pictures.ts';
import { readParts, renamedParts, writePart } from './parts.ts';
import { isMailKind, MAIL_KINDS, type MailKind } from './templates/kinds.ts';
import { checkMailSettings, type MailSettings } from './templates/settings.ts';

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

export function updateMailSettings(
  context: Context,
  waitlistId: string,
  changes: MailChanges,
): Promise<void> {
  return changeMailSettings(context, waitlistId, async () => changes);
}

/** Stores the picture and makes it the logo of pages and mails. */
export async function uploadLogo(context: Context, waitlistId: string, content: Buffer): Promise<void> {
  const type = checkPicture(content);
  await changeMailSettings(context, waitlistId, async (trx, waitlist) => ({
    logoUrl: await storePicture(trx, waitlist, { type, content, now: context.clock() }),
  }));
}

async function changeMailSettings(
  context: Context,
  waitlistId: string,
  make: (trx: Trx, waitlist: OwnWaitlist) => Promise<MailChanges>,
): Promise<void> {
  await writePart(context, waitlistId, 'settings', async (_, trx) => {
    const { internalId } = await requireWaitlist(context, waitlistId, trx);
    const waitlist = { internalId, id: waitlistId };
    const made = await make(trx, waitlist);
    checkSending(made);
    const { kinds, inviteReminderMs, ...changes } = made;
    const before = await showMailSettings(context, waitlistId, trx);
    const { waitlistId: _id, kinds: _kinds, inviteReminderMs: _reminder, ...settings } = before;
    const changed = { ...settings, ...changes };
    const { logoUrl } = changed;
    if (logoUrl !== null) changed.logoUrl = await storedLogo(trx, waitlist, logoUrl);
    checkMailSettings(changed);
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

/** Uploaded pictures by their path. Any other path would lead nowhere. */
async function storedLogo(trx: Trx, waitlist: OwnWaitlist, logoUrl: string): Promise<string> {
  const own = await ownPicturePath(trx, waitlist, logoUrl);
  if (own === undefined && logoUrl.startsWith('/')) throw invalid('logoUrl: there is no such picture');
  return own ?? logoUrl;
}

function checkSending({ kinds, inviteReminderMs }: MailChanges): void {
  const unknown = kinds?.find((kind) => !isMailKind(kind));
  if (unknown) throw invalid(`kinds: unknown kind ${unknown}: must be one of ${MAIL_KINDS.join(', ')}`);
  if (inviteReminderMs !== undefined && !isWhole(inviteReminderMs, REMINDER_MS))
    throw invalid('inviteReminderMs: must be from a minute to 36500 days');
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
    .select(['id', 'mail_kinds', 'mail_version', 'confirm_emails', 'boost'])
    .select(['invite_reminder_ms', 'invite_expiry_ms', 'referral_cap'])
    .where('public_id', '=', waitlistId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw notFound(`there is no waitlist ${waitlistId}`);
  return {
    internalId: row.id,
    kinds: row.mail_kinds.split(',').filter(isMailKind),
    version: row.mail_version,
    inviteReminderMs: repairedSettings(row).invite_reminder_ms,
    confirmEmails: row.confirm_emails === 1,
    boost: row.boost,
  };
}
