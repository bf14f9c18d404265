import Type from 'typebox';
import { LANGUAGES, type Language } from '../../languages/languages.ts';
import { isoTimeOrNull } from '../../lib/time.ts';
import { previewMail, sendTestMail } from '../../mail/preview.ts';
import { isOn, isOptional, KIND_TEXTS, MAIL_KINDS, type MailKind } from '../../mail/templates/kinds.ts';
import { VARIABLES } from '../../mail/templates/variables.ts';
import {
  findProblems,
  resetTemplate,
  saveTemplate,
  showTemplate,
  type TemplateView,
} from '../../mail/templates.ts';
import { requireWaitlist } from '../../mail/update-settings.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import { oneOf, WORD } from '../../wire/schema.ts';
import { operation } from '../core/operation.ts';
import { recordRead } from '../core/reading.ts';
import { EXAMPLE_MAIL, requireKind, sendingFor, tag } from './mail.ts';
import {
  EXAMPLE_TEMPLATE,
  Preview,
  PreviewRequest,
  SentTest,
  TemplateList,
  TemplateObject,
  TemplateRequest,
  TestRequest,
} from './template-schemas.ts';

/** A template has up to 20,000 characters, each of up to 6 bytes if it is escaped. */
const bodyBytesMax = 256 * 1024;
const TESTS_PER_MINUTE = 10;

const common = { tag, scope: 'queue' } as const;
const path = '/waitlists/:waitlistId/mail/templates';
const params = {
  kind: Type.String({
    ...WORD,
    description: `Kind of email: ${MAIL_KINDS.map((kind) => `\`${kind}\``).join(', ')}.`,
    examples: ['welcome'],
  }),
};
const language = {
  language: Type.Optional(
    oneOf(LANGUAGES, {
      description: "Which template. Default: the one in the waitlist's language.",
      examples: ['de'],
    }),
  ),
};
const noKind = {
  not_found: {
    when: 'The waitlist or the kind of email does not exist.',
    message: 'there is no kind of email welcom: there are confirm, welcome and others',
  },
};

export const mailTemplates = [
  operation({
    ...common,
    id: 'listMailTemplates',
    at: `GET ${path}`,
    summary: 'List email templates',
    description:
      'Returns the current template of each kind. Templates apply to all environments of a waitlist.',
    role: 'support',
    answer: {
      description: 'The templates.',
      schema: TemplateList,
      example: { templates: [EXAMPLE_TEMPLATE] },
    },
    run: async ({ context, params: { waitlistId } }) => ({
      templates: await Promise.all(MAIL_KINDS.map((kind) => read(context, waitlistId, kind))),
    }),
  }),
  operation({
    ...common,
    id: 'getMailTemplate',
    at: `GET ${path}/:kind`,
    showsSettings: true,
    summary: 'Get an email template',
    description: 'Returns the current template of a kind in a language: yours, or the default.',
    role: 'support',
    params,
    query: language,
    answer: { description: 'The template.', schema: TemplateObject, example: EXAMPLE_TEMPLATE },
    errors: noKind,
    run: ({ context, params, query }) =>
      read(context, params.waitlistId, requireKind(params), query.language),
  }),
  operation({
    ...common,
    id: 'saveMailTemplate',
    at: `PUT ${path}/:kind`,
    settings: { lock: 'installation' },
    summary: 'Save an email template',
    description:
      'Replaces the template of a kind in a language. The other languages stay as they are. Emails that were already recorded ' +
      'keep theirs.',
    role: 'admin',
    params,
    query: language,
    body: TemplateRequest,
    bodyBytesMax,
    answer: { description: 'The template was saved.', schema: TemplateObject, example: EXAMPLE_TEMPLATE },
    errors: {
      ...noKind,
      invalid_request: {
        message: 'body: there is no {{ postion }} in this kind of mail; there are waitlist, email',
      },
      changed: {
        when: 'The template is no longer at `expectVersion`.',
        message: 'expectVersion: the template is at version 8 now, not 7',
      },
    },
    run: async ({ context, params: { waitlistId, ...params }, query: { language }, body }) => {
      const kind = requireKind(params);
      await saveTemplate(context, waitlistId, kind, body, language);
      return read(context, waitlistId, kind, language);
    },
  }),
  operation({
    ...common,
    id: 'resetMailTemplate',
    at: `DELETE ${path}/:kind`,
    settings: { lock: 'installation' },
    summary: 'Reset an email template',
    description: 'Restores the default template of a kind in a language.',
    role: 'admin',
    params,
    query: language,
    answer: {
      description: 'The default template.',
      schema: TemplateObject,
      example: { ...EXAMPLE_TEMPLATE, custom: false, version: 0 },
    },
    errors: noKind,
    run: async ({ context, params: { waitlistId, ...params }, query: { language } }) => {
      const kind = requireKind(params);
      await resetTemplate(context, waitlistId, kind, language);
      return read(context, waitlistId, kind, language);
    },
  }),
  operation({
    ...common,
    id: 'previewMailTemplate',
    at: `POST ${path}/:kind/preview`,
    harmless: 'reads',
    summary: 'Preview an email',
    description:
      'Renders a saved or unsaved template as a person would get it. A template with problems is not rendered.',
    role: 'support',
    params,
    body: PreviewRequest,
    bodyBytesMax,
    answer: {
      description: 'The email, or what is wrong with the template.',
      schema: Preview,
      example: {
        subject: 'Hello',
        html: '<!doctype html>…',
        text: 'You are number 42.',
        templateFailure: null,
        problems: [],
      },
    },
    errors: noKind,
    run: async ({ context, parts, actor, mask, queue, params, body }) => {
      const kind = requireKind(params);
      const { entry, language } = body;
      if (entry !== undefined) await recordRead({ parts, actor, mask }, queue);
      const draft = await draftOf(context, params.waitlistId, kind, body);
      const problems = draft ? await findProblems(kind, draft) : [];
      if (problems.length > 0)
        return { subject: null, html: null, text: null, templateFailure: null, problems };
      const sending = await sendingFor(parts);
      const mail = await previewMail(context, queue, { kind, entry, draft, language }, sending);
      const { subject, html, text, templateFailure } = mail;
      return { subject, html, text, templateFailure, problems };
    },
  }),
  operation({
    ...common,
    id: 'testMailTemplate',
    at: `POST ${path}/:kind/test`,
    summary: 'Send a test email',
    description: `Sends a preview to an address of your choice, at most ${TESTS_PER_MINUTE} a minute. Emails of other environments than production are kept.`,
    role: 'admin',
    params,
    body: TestRequest,
    bodyBytesMax,
    perMinute: { name: 'test-mail', limit: TESTS_PER_MINUTE },
    answer: {
      status: 202,
      description: 'The test email is on its way.',
      schema: SentTest,
      example: { id: EXAMPLE_MAIL.id, to: 'grace@example.com' },
    },
    errors: noKind,
    run: async ({ context, queue, params, body }) => {
      const kind = requireKind(params);
      const { to, entry, language } = body;
      const draft = await draftOf(context, params.waitlistId, kind, body);
      return { id: await sendTestMail(context, queue, { kind, to, entry, draft, language }), to };
    },
  }),
];

async function read(context: Context, waitlistId: string, kind: MailKind, language?: Language) {
  const { kinds } = await requireWaitlist(context, waitlistId);
  return presentTemplate(await showTemplate(context, waitlistId, kind, language), isOn(kind, kinds));
}

interface Draft {
  subject?: string | undefined;
  body?: string | undefined;
  language?: Language | undefined;
}

async function draftOf(
  context: Context,
  waitlistId: string,
  kind: MailKind,
  { subject, body, language }: Draft,
) {
  if (subject === undefined && body === undefined) return undefined;
  const saved = await showTemplate(context, waitlistId, kind, language);
  return { subject: subject ?? saved.subject, body: body ?? saved.body };
}

function presentTemplate(view: TemplateView, enabled: boolean) {
  const { kind, language, subject, body, isDefault, version } = view;
  const variables = VARIABLES[kind].map(({ name, description, example }) => ({ name, description, example }));
  const languages = view.languages.map((one) => ({
    language: one.language,
    custom: !one.isDefault,
    outOfDate: one.isOutdated,
    editedAt: isoTimeOrNull(one.editedAt),
  }));
  return {
    kind,
    ...KIND_TEXTS[kind],
    enabled,
    optional: isOptional(kind),
    language,
    custom: !isDefault,
    version,
    languages,
    subject,
    body,
    variables,
  };
}
