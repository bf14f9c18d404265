import { Problems } from '../errors.ts';
import { isoTime } from '../time.ts';
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

/** Rejects what could fail later: sending never fails because of a template. */
export function checkTemplate(kind: MailKind, { subject, body }: MailTemplate): void {
  const problems = new Problems();
  if (subject.trim() === '' || /\p{Cc}/u.test(subject) || subject.length > SUBJECT_CHARACTERS_MAX)
    problems.add('subject', `must be one line of at most ${SUBJECT_CHARACTERS_MAX} characters`);
  if (body.trim() === '') problems.add('body', 'is empty');
  for (const problem of templateProblems(kind, subject)) problems.add('subject', problem);
  const ofBody = templateProblems(kind, body);
  for (const problem of ofBody) problems.add('body', problem);
  const missing = ofBody.length === 0 ? missingVariable(kind, body) : undefined;
  if (missing) problems.add('body', `must contain ${missing}`);
  problems.throwIfAny();
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
  return writePart(context, waitlistId, kind, JSON.stringify({ subject, body }));
}

export function resetTemplate(context: Context, waitlistId: string, kind: MailKind): Promise<number> {
  return writePart(context, waitlistId, kind, null);
}

export interface TemplateVersion extends MailTemplate {
  version: number;
  isDefault: boolean;
  createdAt: string;
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
    createdAt: isoTime(createdAt),
    ...(content === null ? defaultTemplate(kind, language) : (JSON.parse(content) as MailTemplate)),
  }));
}
