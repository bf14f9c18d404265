import type { Database, Trx } from '../db/database.ts';
import { DEFAULT_LANGUAGE, LANGUAGES, type Language } from '../languages/languages.ts';
import { notFound } from '../lib/errors.ts';
import type { RowOf } from '../lib/setting.ts';
import { storedJson } from '../vault/vault.ts';
import type { AuditEvent } from '../waitlist/queue/audit-trail.ts';
import { changeSettings } from '../waitlist/queue/change-settings.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { readable } from '../waitlist/queue/readable.ts';
import { isMailKind, type MailKind } from './templates/kinds.ts';
import {
  defaultTemplate,
  type MailSettings,
  type MailTemplate,
  NO_SETTINGS,
  type SENDING_SETTINGS,
} from './templates/settings.ts';

/** A template in the waitlist's language has only the name of its kind, the others also that of their language. */
type PartName = MailKind | `${MailKind}:${Language}` | 'settings';

/** An operator's own template. */
export interface OwnTemplate extends MailTemplate {
  /** The version in which somebody last edited it, and when. */
  edited: number;
  editedAt: number;
}

export type OwnTemplates = Partial<Record<Language, OwnTemplate>>;

/** What the mails of a waitlist are made from at a version. */
export interface MailParts {
  settings: MailSettings;
  /** The operators' own by language, instead of the defaults. */
  templates: Partial<Record<MailKind, OwnTemplates>>;
}

interface PartVersion {
  version: number;
  /** null for the default. */
  content: string | null;
  createdAt: number;
}

/** As of that version, or the current one. */
export async function readParts(
  { db, log }: Pick<Context, 'db' | 'log'>,
  waitlistId: number,
  version: number = Number.MAX_SAFE_INTEGER,
  executor: Database['query'] = db.query,
): Promise<MailParts> {
  const rows = await executor
    .selectFrom('mail_part as p')
    .select(['p.part', 'p.content', 'p.version', 'p.created_at'])
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
  const stored = rows.find(({ part }) => part === 'settings')?.content;
  const settings = { ...NO_SETTINGS, ...(stored ? storedJson<MailSettings>(stored) : {}) };
  const templates: MailParts['templates'] = {};
  for (const { part, content, version: edited, created_at } of rows) {
    const [kind = '', language] = part.split(':');
    if (content === null || !isMailKind(kind)) continue;
    const stored = { what: 'template', id: `${part} of waitlist ${waitlistId}` } as const;
    const template = readable({ log }, stored, () => storedJson<MailTemplate>(content));
    if (!template) continue; // People get the default.
    const own = { edited, editedAt: created_at, ...template };
    templates[kind] = { ...templates[kind], [languageNamed(language) ?? waitlistLanguage(settings)]: own };
  }
  return { settings, templates };
}

function languageNamed(text: string | undefined): Language | undefined {
  return LANGUAGES.find((language) => language === text);
}

export function partOf(kind: MailKind, language: Language, settings: MailSettings): PartName {
  return language === waitlistLanguage(settings) ? kind : `${kind}:${language}`;
}

/**
 * What has to be stored under another name when the language of a waitlist changes, so that each text keeps its
 * language. Without translations, texts are in the waitlist's language, whatever it is called.
 */
export function renamedParts(
  { settings, templates }: MailParts,
  next: MailSettings,
): { part: PartName; content: string | null }[] {
  const [from, to] = [waitlistLanguage(settings), waitlistLanguage(next)];
  const isTranslated = Object.values(templates).some((own) => Object.keys(own).some((name) => name !== from));
  if (from === to || !isTranslated) return [];
  return (Object.entries(templates) as [MailKind, OwnTemplates][]).flatMap(([kind, own]) => [
    { part: `${kind}:${from}` as const, content: own[from] ? JSON.stringify(own[from]) : null },
    { part: kind, content: own[to] ? JSON.stringify(own[to]) : null },
    { part: `${kind}:${to}` as const, content: null },
  ]);
}

/** For people whose language is not known, and of templates that nobody translated. */
export function waitlistLanguage({ language }: MailSettings): Language {
  return language ?? DEFAULT_LANGUAGE;
}

/** As people who speak it get it: the operators' own, or the default. */
export function currentTemplate({ templates }: MailParts, kind: MailKind, language: Language): MailTemplate {
  return templates[kind]?.[language] ?? defaultTemplate(kind, language);
}

/** A new version of a part, and its record in the audit trail. */
interface NewPart {
  /** null for the default. */
  content: string | null;
  /** Other parts that change with it. */
  others?: readonly { part: PartName; content: string | null }[];
  columns?: Partial<RowOf<typeof SENDING_SETTINGS>>;
  event: Pick<AuditEvent, 'action' | 'before' | 'after'>;
}

/** New mails use it. Mails that were already recorded keep their version. */
export async function writePart(
  context: Context,
  waitlistId: string,
  name: PartName | ((settings: MailSettings) => PartName),
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
    const part = typeof name === 'string' ? name : name(await currentSettings(trx, row.id));
    const { content, others = [], columns = {}, event } = await make(version, trx);
    if (Object.keys(columns).length > 0)
      await trx.updateTable('waitlist').set(columns).where('id', '=', row.id).execute();
    const written = { waitlist_id: row.id, version, created_at: context.clock() };
    await trx
      .insertInto('mail_part')
      .values([{ part, content }, ...others].map((one) => ({ ...written, ...one })))
      .execute();
    const kind = part === 'settings' ? 'waitlist' : 'template';
    await context.audit?.(trx, { ...event, object: { kind, id: waitlistId } });
    return version;
  });
}

/** Alone: a template that cannot be read must not keep anybody from replacing it. */
async function currentSettings(trx: Trx, waitlistId: number): Promise<MailSettings> {
  const row = await trx
    .selectFrom('mail_part')
    .select('content')
    .where('waitlist_id', '=', waitlistId)
    .where('part', '=', 'settings')
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  return { ...NO_SETTINGS, ...(row?.content ? storedJson<MailSettings>(row.content) : {}) };
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
