import { Problems } from '../errors.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { defaultTemplate, type MailTemplate } from './default-templates.ts';
import type { MailKind } from './kinds.ts';
import { missingVariable, templateProblems } from './liquid.ts';
import { currentTemplate, listVersions, readParts, waitlistLanguage, writePart } from './parts.ts';
import { requireWaitlist } from './update-settings.ts';

const SUBJECT_CHARACTERS_MAX = 500;

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

export interface TemplateProblem {
  field: 'subject' | 'body';
  /** Starting at 1. null if it concerns the whole text. */
  line: number | null;
  message: string;
}

/** Rejects what could fail later: sending never fails because of a template. */
export function checkTemplate(kind: MailKind, template: MailTemplate): void {
  const problems = new Problems();
  for (const { field, message, line } of findProblems(kind, template))
    problems.add(field, field === 'subject' || line === null ? message : `${message} (line ${line})`);
  problems.throwIfAny();
}

/** Everything that is wrong with a template, for its author. */
export function findProblems(kind: MailKind, { subject, body }: MailTemplate): TemplateProblem[] {
  const problems: TemplateProblem[] = [];
  const add = (field: TemplateProblem['field'], message: string, line: number | null = null) =>
    problems.push({ field, line, message });
  if (subject.trim() === '' || /\p{Cc}/u.test(subject) || subject.length > SUBJECT_CHARACTERS_MAX)
    add('subject', `must be one line of at most ${SUBJECT_CHARACTERS_MAX} characters`);
  if (body.trim() === '') add('body', 'is empty');
  for (const { message, line } of templateProblems(kind, subject)) add('subject', message, line);
  const ofBody = templateProblems(kind, body);
  for (const { message, line } of ofBody) add('body', message, line);
  const missing = ofBody.length === 0 ? missingVariable(kind, body) : undefined;
  if (missing) add('body', `must contain ${missing}`);
  return problems;
}

/** Returns the new version. */
export async function saveTemplate(
  context: Context,
  waitlistId: string,
  kind: MailKind,
  template: MailTemplate,
): Promise<number> {
  checkTemplate(kind, template);
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
