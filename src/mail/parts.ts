import type { Database, Trx } from '../db/database.ts';
import { DEFAULT_LANGUAGE, type Language } from '../languages/languages.ts';
import { notFound } from '../lib/errors.ts';
import type { AuditEvent } from '../waitlist/queue/audit-trail.ts';
import { changeSettings } from '../waitlist/queue/change-settings.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { defaultTemplate, type MailTemplate } from './default-templates.ts';
import { isMailKind, type MailKind } from './kinds.ts';
import { type MailSettings, NO_SETTINGS } from './settings.ts';

type PartName = MailKind | 'settings';

/** What the mails of a waitlist are made from at a version. */
export interface MailParts {
  settings: MailSettings;
  /** The operators' own, instead of the defaults. */
  templates: Partial<Record<MailKind, MailTemplate>>;
}

interface PartVersion {
  version: number;
  /** null for the default. */
  content: string | null;
  createdAt: number;
}

/** As of that version, or the current one. */
export async function readParts(
  { db }: Pick<Context, 'db'>,
  waitlistId: number,
  version: number = Number.MAX_SAFE_INTEGER,
  executor: Database['query'] = db.query,
): Promise<MailParts> {
  const rows = await executor
    .selectFrom('mail_part as p')
    .select(['p.part', 'p.content'])
    .where('p.waitlist_id', '=', waitlistId)
    .where('p.version', '=', (e) =>
      e
        .selectFrom('mail_part as n')
        .select((x) => x.fn.max('n.version').as('version'))
        .whereRef('n.waitlist_id', '=', 'p.waitlist_id')
        .whereRef('n.part', '=', 'p.part')
        .where('n.version', '<=', version),
    )
    .execute();
  const parts: MailParts = { settings: NO_SETTINGS, templates: {} };
  for (const { part, content } of rows) {
    if (content === null) continue;
    if (part === 'settings') parts.settings = { ...NO_SETTINGS, ...(JSON.parse(content) as MailSettings) };
    else if (isMailKind(part)) parts.templates[part] = JSON.parse(content) as MailTemplate;
  }
  return parts;
}

/** Of the operators' own templates, and for people whose language is not known. */
export function waitlistLanguage({ language }: MailSettings): Language {
  return language ?? DEFAULT_LANGUAGE;
}

/** As operators see it: their own, or the default in the waitlist's language. */
export function currentTemplate({ settings, templates }: MailParts, kind: MailKind): MailTemplate {
  return templates[kind] ?? defaultTemplate(kind, waitlistLanguage(settings));
}

/** A new version of a part, and its record in the audit trail. */
interface NewPart {
  /** null for the default. */
  content: string | null;
  columns?: { mail_kinds?: string; invite_reminder_ms?: number };
  event: Pick<AuditEvent, 'action' | 'before' | 'after'>;
}

/** New mails use it. Mails that were already recorded keep their version. */
export async function writePart(
  context: Context,
  waitlistId: string,
  part: PartName,
  make: (version: number, trx: Trx) => Promise<NewPart>,
): Promise<number> {
  return changeSettings(context, async (trx) => {
    const row = await trx
      .updateTable('waitlist')
      .set((e) => ({ mail_version: e('mail_version', '+', 1) }))
      .where('public_id', '=', waitlistId)
      .where('deleted_at', 'is', null)
      .returning(['id', 'mail_version'])
      .executeTakeFirst();
    if (!row) throw notFound(`there is no waitlist ${waitlistId}`);
    const version = row.mail_version;
    const { content, columns = {}, event } = await make(version, trx);
    if (Object.keys(columns).length > 0)
      await trx.updateTable('waitlist').set(columns).where('id', '=', row.id).execute();
    await trx
      .insertInto('mail_part')
      .values({ waitlist_id: row.id, part, version, content, created_at: context.clock() })
      .execute();
    const kind = part === 'settings' ? 'waitlist' : 'template';
    await context.audit?.(trx, { ...event, object: { kind, id: waitlistId } });
    return version;
  });
}

/** Newest first. */
export async function listVersions(
  { db }: Context,
  waitlistId: number,
  part: PartName,
): Promise<PartVersion[]> {
  const rows = await db.query
    .selectFrom('mail_part')
    .select(['version', 'content', 'created_at'])
    .where('waitlist_id', '=', waitlistId)
    .where('part', '=', part)
    .orderBy('version', 'desc')
    .execute();
  return rows.map(({ version, content, created_at }) => ({ version, content, createdAt: created_at }));
}
