import { LANGUAGES, type Language } from '../languages/languages.ts';
import { DoorlistError, Problems } from '../lib/errors.ts';
import { storedJson } from '../vault/vault.ts';
import type { Context } from '../waitlist/queue/context.ts';
import {
  currentTemplate,
  listVersions,
  type MailParts,
  type OwnTemplate,
  type OwnTemplates,
  partOf,
  readParts,
  waitlistLanguage,
  writePart,
} from './parts.ts';
import type { MailKind } from './templates/kinds.ts';
import { defaultTemplate, type MailSettings, type MailTemplate } from './templates/settings.ts';
import { TemplateFailed, type TemplateProblem } from './templates/tasks.ts';
import { draftTemplates } from './templates/worker.ts';
import { requireWaitlist } from './update-settings.ts';

interface LanguageState {
  language: Language;
  isDefault: boolean;
  /** The template in the waitlist's language was edited after this one. */
  isOutdated: boolean;
  editedAt: number | null;
}

export interface TemplateView extends MailTemplate {
  kind: MailKind;
  language: Language;
  isDefault: boolean;
  /** Of the mails of the waitlist, in which it was last edited. 0 for the default. */
  version: number;
  /** What there is in each language, that of the waitlist first. */
  languages: LanguageState[];
}

export async function showTemplate(
  context: Context,
  waitlistId: string,
  kind: MailKind,
  asked?: Language,
): Promise<TemplateView> {
  const { internalId } = await requireWaitlist(context, waitlistId);
  const parts = await readParts(context, internalId);
  const main = waitlistLanguage(parts.settings);
  const language = asked ?? main;
  const own = parts.templates[kind] ?? {};
  const { subject, body } = currentTemplate(parts, kind, language);
  const others = LANGUAGES.filter((one) => one !== main);
  const languages = [main, ...others].map((one) => stateOf(own, one, own[main]));
  const version = versionOf(parts, kind, language);
  return { kind, language, subject, body, isDefault: version === 0, version, languages };
}

function versionOf({ templates }: MailParts, kind: MailKind, language: Language): number {
  return templates[kind]?.[language]?.edited ?? 0;
}

function stateOf(own: OwnTemplates, language: Language, main: OwnTemplate | undefined): LanguageState {
  const template = own[language];
  return {
    language,
    isDefault: template === undefined,
    isOutdated: template !== undefined && main !== undefined && template.edited < main.edited,
    editedAt: template?.editedAt ?? null,
  };
}

/** Rejects what could fail later: sending never fails because of a template. */
export async function checkTemplate(kind: MailKind, template: MailTemplate): Promise<void> {
  const problems = new Problems();
  for (const { field, message, line } of await findProblems(kind, template))
    problems.add(field, field === 'subject' || line === null ? message : `${message} (line ${line})`);
  problems.throwIfAny();
}

/** Everything that is wrong with a template, for its author. */
export async function findProblems(kind: MailKind, template: MailTemplate): Promise<TemplateProblem[]> {
  try {
    return await draftTemplates.run('check', { kind, template });
  } catch (error) {
    if (!(error instanceof TemplateFailed)) throw error;
    return [{ field: 'body', line: null, message: error.failure }];
  }
}

/** Returns the new version. With `expectVersion`, it only replaces that one. */
export async function saveTemplate(
  context: Context,
  waitlistId: string,
  kind: MailKind,
  { subject, body, expectVersion }: MailTemplate & { expectVersion?: number | undefined },
  language?: Language,
): Promise<number> {
  await checkTemplate(kind, { subject, body });
  const { internalId } = await requireWaitlist(context, waitlistId);
  return writePart(context, waitlistId, partIn(kind, language), async (version, trx) => {
    if (expectVersion !== undefined) {
      const parts = await readParts(context, internalId, undefined, trx);
      const current = versionOf(parts, kind, language ?? waitlistLanguage(parts.settings));
      if (current !== expectVersion)
        throw new DoorlistError(
          'changed',
          `expectVersion: the template is at version ${current} now, not ${expectVersion}`,
        );
    }
    return {
      content: JSON.stringify({ subject, body }),
      event: { action: 'template.updated', after: { kind, version, subject, ...(language && { language }) } },
    };
  });
}

export function resetTemplate(
  context: Context,
  waitlistId: string,
  kind: MailKind,
  language?: Language,
): Promise<number> {
  return writePart(context, waitlistId, partIn(kind, language), async (version) => ({
    content: null,
    event: { action: 'template.reset', after: { kind, version, ...(language && { language }) } },
  }));
}

function partIn(kind: MailKind, language: Language | undefined) {
  return (settings: MailSettings) => (language ? partOf(kind, language, settings) : kind);
}

export interface TemplateVersion extends MailTemplate {
  version: number;
  isDefault: boolean;
  createdAt: number;
}

/** Newest first. */
export async function templateVersions(
  context: Context,
  waitlistId: string,
  kind: MailKind,
  asked?: Language,
): Promise<TemplateVersion[]> {
  const { internalId } = await requireWaitlist(context, waitlistId);
  const { settings } = await readParts(context, internalId);
  const language = asked ?? waitlistLanguage(settings);
  const part = partOf(kind, language, settings);
  return (await listVersions(context, internalId, part)).map(({ version, content, createdAt }) => ({
    version,
    isDefault: content === null,
    createdAt,
    ...(content === null ? defaultTemplate(kind, language) : textsOf(content)),
  }));
}

function textsOf(content: string): MailTemplate {
  const { subject, body } = storedJson<MailTemplate>(content);
  return { subject, body };
}
