import type { Language } from '../languages/languages.ts';
import { requireEmail } from '../lib/email.ts';
import { formatId, newId } from '../lib/ids.ts';
import { DAY_MS } from '../lib/time.ts';
import { findEntry } from '../waitlist/entries/entries.ts';
import type { Entry } from '../waitlist/entries/entry.ts';
import { formOf } from '../waitlist/forms/form.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { referralCodesOf } from '../waitlist/referrals/referral-code.ts';
import { readParts, waitlistLanguage } from './parts.ts';
import { renderShown, type Sending, type ShownMail } from './render.ts';
import { insertMail, mailedEntry, type StoredMail } from './stored-mail.ts';
import type { MailKind } from './templates/kinds.ts';
import type { MailTemplate } from './templates/settings.ts';
import { checkTemplate } from './templates.ts';
import { mailboxesOfUnconfirmed } from './unconfirmed.ts';
import { requireWaitlist } from './update-settings.ts';

const SAMPLE_EXPIRY_MS = 7 * DAY_MS;

interface PreviewInput {
  kind: MailKind;
  /** Email or phone of an entry. undefined for a sample person. */
  entry?: string | undefined;
  /** A template that is not saved yet. */
  draft?: MailTemplate | undefined;
  /** Instead of the entry's or, for a draft, the waitlist's. */
  language?: Language | undefined;
}

/**
 * Renders the mail as a person would get it now. Its links do not work: a preview must not be able to erase
 * anyone.
 */
export async function previewMail(
  context: Context,
  queue: Queue,
  { kind, entry, draft, language }: PreviewInput,
  sending: Sending,
): Promise<ShownMail> {
  if (draft) await checkTemplate(kind, draft);
  const parts = await readParts(context, queue.waitlist.internalId);
  const view = await findNamed(context, queue, entry);
  const sample = await sampleMail(context, queue, kind, view);
  const shown = language ?? (draft && waitlistLanguage(parts.settings));
  if (sample.entry && shown) sample.entry.language = shown;
  return renderShown(queue, draft ? { ...sample, template: draft } : sample, parts, sending);
}

interface TestInput extends PreviewInput {
  to: string;
}

/** Sends a preview through the outbox and returns its id in the mailbox. */
export async function sendTestMail(
  context: Context,
  queue: Queue,
  { kind, entry, draft, language, to }: TestInput,
): Promise<string> {
  const email = requireEmail(to, 'to');
  if (draft) await checkTemplate(kind, draft);
  const view = await findNamed(context, queue, entry);
  const sample = await sampleMail(context, queue, kind, view);
  const { settings } = await readParts(context, queue.waitlist.internalId);
  const shown = language ?? (draft && waitlistLanguage(settings));
  if (sample.entry && shown) sample.entry.language = shown;
  const mail = {
    ...sample,
    to: email.shown,
    person: sample.to,
    test: true as const,
    ...(draft ? { template: draft } : {}),
  };
  const id = await insertMail(context, queue, mail, view?.id, async (trx, sent) =>
    context.audit?.(trx, {
      action: 'mail.tested',
      object: { kind: 'template', id: queue.waitlist.id },
      after: { kind, mail: formatId('evt', sent) },
    }),
  );
  return formatId('evt', id);
}

async function findNamed(
  context: Context,
  queue: Queue,
  identifier: string | undefined,
): Promise<Entry | undefined> {
  return identifier === undefined ? undefined : findEntry(context, queue, identifier);
}

async function sampleMail(
  context: Context,
  queue: Queue,
  kind: MailKind,
  view: Entry | undefined,
): Promise<StoredMail> {
  const now = context.clock();
  const { version, boost } = await requireWaitlist(context, queue.waitlist.id);
  const sample = {
    position: 42,
    referrals: 3,
    referralCode: referralCodesOf(queue).of(1),
    metadata: { firstName: 'Ada' },
    language: null,
  };
  const { enabled } = await formOf(context, queue);
  const unconfirmed = await mailboxesOfUnconfirmed(context.db, queue, view ? [view] : []);
  const ofInvite = kind === 'invite' || kind === 'invite-reminder' || kind === 'accepted';
  return {
    mail: kind,
    at: now,
    version,
    waitlist: queue.waitlist.name,
    boost,
    to: view?.email ?? 'ada@example.com',
    entry: { ...(view ? mailedEntry(view) : sample), id: formatId('ent', newId(now)) },
    invite: ofInvite
      ? { id: formatId('inv', newId(now)), code: SAMPLE_CODE, expiresAt: now + SAMPLE_EXPIRY_MS }
      : null,
    ...(unconfirmed.size > 0 && { bare: true as const }),
    ...(enabled && { hosted: true as const }),
  };
}

const SAMPLE_CODE = 'x4k9zt6h2m8c0v5s1n7q3r9w4j6b8d2f';
