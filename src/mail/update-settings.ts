import type { Database, Trx } from '../db/database.ts';
import { invalid, notFound } from '../lib/errors.ts';
import {
  checkSettings,
  columnsOf,
  readColumn,
  readRow,
  rowOf,
  type ValuesOf,
  valuesOf,
} from '../lib/setting.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { WAITLIST_SETTINGS } from '../waitlist/queue/waitlist-settings.ts';
import {
  checkPicture,
  type OwnWaitlist,
  ownPicturePath,
  storePicture,
} from '../waitlist/settings/pictures.ts';
import { readParts, renamedParts, writePart } from './parts.ts';
import { MAIL_SETTINGS, type MailSettings, SENDING_SETTINGS } from './templates/settings.ts';

type AllSettings = MailSettings & ValuesOf<typeof SENDING_SETTINGS>;
/** Omitted settings stay as they are. null restores the default. */
type MailChanges = Partial<AllSettings>;
type MailSettingsView = AllSettings & { waitlistId: string };

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
    checkSettings(SENDING_SETTINGS, made);
    const before = await showMailSettings(context, waitlistId, trx);
    const after = { ...before, ...made };
    if (after.logoUrl !== null) after.logoUrl = await storedLogo(trx, waitlist, after.logoUrl);
    const settings = valuesOf(MAIL_SETTINGS, after);
    checkSettings(MAIL_SETTINGS, settings);
    const parts = await readParts(context, internalId, undefined, trx);
    return {
      content: JSON.stringify(settings),
      others: renamedParts(parts, settings),
      columns: rowOf(SENDING_SETTINGS, made),
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
    .select(['id', 'mail_version', 'confirm_emails', 'boost', ...columnsOf(SENDING_SETTINGS)])
    .where('public_id', '=', waitlistId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw notFound(`there is no waitlist ${waitlistId}`);
  return {
    internalId: row.id,
    version: row.mail_version,
    ...readRow(SENDING_SETTINGS, row),
    confirmEmails: readColumn(WAITLIST_SETTINGS.confirmEmails, row),
    boost: row.boost,
  };
}
