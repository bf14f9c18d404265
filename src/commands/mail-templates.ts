import { readFileSync } from 'node:fs';
import type { Static } from 'typebox';
import { LANGUAGES } from '../languages/languages.ts';
import { failureNote, presentTemplateVersion } from '../mail/present.ts';
import { sendingOf } from '../mail/sending.ts';
import type { MailTemplate } from '../mail/templates/settings.ts';
import type { TemplateObject } from '../operations/mails/template-schemas.ts';
import { mailTemplates as operations } from '../operations/mails/templates.ts';
import { DEFAULT_ENVIRONMENT } from '../waitlist/queue/registry.ts';
import { type Command, type Flag, type Flags, requireText, table, textOr, UsageProblem } from './command.ts';
import { commandsFor } from './command-of.ts';
import { parseLanguage, requireKind } from './mails.ts';
import { QUEUE_FLAGS, queueOf } from './queue.ts';

const WAITLIST: Record<string, Flag> = {
  waitlist: { value: 'WAITLIST_ID', about: 'Waitlist.', required: true },
};
const WHICH_LANGUAGE: Flag = {
  value: 'LANGUAGE',
  about: `Which language: ${LANGUAGES.join(', ')} (default: the waitlist's).`,
};
const LANGUAGE = { language: WHICH_LANGUAGE };
const SHOWN_LANGUAGE: Flag = {
  value: 'LANGUAGE',
  about: `Language to show: ${LANGUAGES.join(', ')} (default: the entry's).`,
};
const ENTRY: Flag = { value: 'EMAIL', about: 'Entry to use for the values (default: an example).' };
const TEXTS: Record<string, Flag> = {
  subject: { value: 'TEXT', about: 'Subject line.' },
  'body-file': { value: 'FILE', about: 'File with the body in Markdown.' },
};
/** Loaded on demand: other commands start faster without the mail code. */
const templates = () => import('../mail/templates.ts');
const previews = () => import('../mail/preview.ts');

const command = commandsFor(operations);

export const mailTemplates: Command[] = [
  {
    name: 'mail template show',
    about: 'Print the current template of an email kind.',
    operands: ['KIND'],
    flags: { ...WAITLIST, ...LANGUAGE },
    run: async (context, [kind = ''], flags) => {
      const { showTemplate } = await templates();
      const id = requireText(flags, 'waitlist');
      const view = await showTemplate(context, id, requireKind(kind), parseLanguage(flags));
      const outdated = view.languages.filter(({ isOutdated }) => isOutdated).map(({ language }) => language);
      const note = outdated.length === 0 ? '' : `\n\nOut of date: ${outdated.join(', ')}.`;
      return { json: view, text: `Subject: ${view.subject}\n\n${view.body}${note}` };
    },
  },
  command<Static<typeof TemplateObject>>('saveMailTemplate', {
    name: 'mail template set',
    about: 'Change the subject, the body or both of a template.',
    fields: {
      language: WHICH_LANGUAGE,
      ...{ environment: false, subject: false, body: false, expectVersion: false },
    },
    flags: TEXTS,
    input: async (flags, context, [kind = '']) => {
      const { showTemplate } = await templates();
      const id = requireText(flags, 'waitlist');
      const draft = draftOf(flags, await showTemplate(context, id, requireKind(kind), parseLanguage(flags)));
      if (!draft) throw new UsageProblem('--subject or --body-file is required');
      return draft;
    },
    show: ({ kind, version }) => ({ json: { kind, version }, text: `Saved as version ${version}.` }),
  }),
  {
    name: 'mail template reset',
    about: 'Restore the default template. Earlier versions are kept.',
    operands: ['KIND'],
    flags: { ...WAITLIST, ...LANGUAGE },
    run: async (context, [kind = ''], flags) => {
      const { resetTemplate } = await templates();
      const id = requireText(flags, 'waitlist');
      const version = await resetTemplate(context, id, requireKind(kind), parseLanguage(flags));
      return { json: { kind, version }, text: `Restored the default template as version ${version}.` };
    },
  },
  {
    name: 'mail template versions',
    about: 'List the versions of a template, newest first.',
    operands: ['KIND'],
    flags: { ...WAITLIST, ...LANGUAGE },
    run: async (context, [kind = ''], flags) => {
      const { templateVersions } = await templates();
      const id = requireText(flags, 'waitlist');
      const versions = await templateVersions(context, id, requireKind(kind), parseLanguage(flags));
      const list = versions.map(presentTemplateVersion);
      const rows = list.map((one) => [one.version, one.createdAt, one.isDefault ? 'default' : one.subject]);
      return { json: list, text: table(['VERSION', 'SAVED', 'SUBJECT'], rows) };
    },
  },
  {
    name: 'mail template preview',
    about: 'Preview an email. --subject and --body-file preview unsaved changes.',
    operands: ['KIND'],
    flags: {
      ...QUEUE_FLAGS,
      ...TEXTS,
      entry: ENTRY,
      language: SHOWN_LANGUAGE,
      html: { about: 'Print the HTML part.' },
    },
    run: async (context, [kind = ''], flags, config) => {
      const [{ previewMail }, { showTemplate }] = await Promise.all([previews(), templates()]);
      const queue = await queueOf(context, flags);
      const language = parseLanguage(flags);
      const draft = draftOf(
        flags,
        await showTemplate(context, queue.waitlist.id, requireKind(kind), language),
      );
      const entry = textOr(flags, 'entry', undefined);
      const sending = await sendingOf(context, config);
      const input = { kind: requireKind(kind), entry, draft, language };
      const mail = await previewMail(context, queue, input, sending);
      const note = failureNote(mail);
      return {
        json: mail,
        text: flags.html === true ? mail.html : `${note}Subject: ${mail.subject}\n\n${mail.text}`,
      };
    },
  },
  command<{ id: string; to: string }>('testMailTemplate', {
    name: 'mail template test',
    once: true,
    about: 'Send a test email. The server must be running.',
    fields: {
      to: { value: 'EMAIL', about: 'Recipient.' },
      entry: ENTRY,
      language: SHOWN_LANGUAGE,
      ...{ subject: false, body: false },
    },
    flags: TEXTS,
    input: (flags, _, [kind = '']) => {
      requireKind(kind);
      const { subject, 'body-file': file } = flags;
      return { subject, ...(typeof file === 'string' ? { body: readText(file) } : {}) };
    },
    show: ({ id, to }, { flags }) => {
      const look = `mail show ${id} --waitlist ${requireText(flags, 'waitlist')} --env ${textOr(flags, 'env', DEFAULT_ENVIRONMENT)}`;
      return { json: { id, to }, text: `Queued ${id}. To see the result, run: ${look}` };
    },
  }),
];

function draftOf(flags: Flags, { subject, body }: MailTemplate): MailTemplate | undefined {
  const file = textOr(flags, 'body-file', undefined);
  const line = textOr(flags, 'subject', undefined);
  if (file === undefined && line === undefined) return undefined;
  return { subject: line ?? subject, body: file === undefined ? body : readText(file) };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageProblem(`--body-file: ${(error as Error).message}`);
  }
}
