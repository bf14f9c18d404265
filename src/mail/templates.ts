import { Problems } from '../lib/errors.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { defaultTemplate, type MailTemplate } from './default-templates.ts';
import type { MailKind } from './kinds.ts';
import { currentTemplate, listVersions, readParts, waitlistLanguage, writePart } from './parts.ts';
import { TemplateFailed, type TemplateProblem } from './template-tasks.ts';
import { draftTemplates } from './template-worker.ts';
import { requireWaitlist } from './update-settings.ts';

export interface TemplateView extends MailTemplate {
  kind: MailKind;
  isDefault: boolean;
}

export async function showTemplate(
  context: Context,
  waitlistId: string,
  kind: MailKind,
): Promise<TemplateView> {
  const { internalId } = await requireWaitlist(context, waitlistId);
  const parts = await readParts(context, internalId);
  return { kind, ...currentTemplate(parts, kind), isDefault: parts.templates[kind] === undefined };
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

/** Returns the new version. */
export async function saveTemplate(
  context: Context,
  waitlistId: string,
  kind: MailKind,
  template: MailTemplate,
): Promise<number> {
  await checkTemplate(kind, template);
  const { subject, body } = template;
  return writePart(context, waitlistId, kind, async (version) => ({
    content: JSON.stringify({ subject, body }),
    event: { action: 'template.updated', after: { kind, version, subject } },
  }));
}

export function resetTemplate(context: Context, waitlistId: string, kind: MailKind): Promise<number> {
  return writePart(context, waitlistId, kind, async (version) => ({
    content: null,
    event: { action: 'template.reset', after: { kind, version } },
  }));
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
): Promise<TemplateVersion[]> {
  const { internalId } = await requireWaitlist(context, waitlistId);
  const language = waitlistLanguage((await readParts(context, internalId)).settings);
  return (await listVersions(context, internalId, kind)).map(({ version, content, createdAt }) => ({
    version,
    isDefault: content === null,
    createdAt,
    ...(content === null ? defaultTemplate(kind, language) : (JSON.parse(content) as MailTemplate)),
  }));
}
