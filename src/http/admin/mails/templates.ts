import Type from 'typebox';
import { LANGUAGES, type Language } from '../../../languages/languages.ts';
import { isoTimeOrNull } from '../../../lib/time.ts';
import { previewMail, sendTestMail } from '../../../mail/preview.ts';
import { KIND_TEXTS, MAIL_KINDS, type MailKind } from '../../../mail/templates/kinds.ts';
import { VARIABLES } from '../../../mail/templates/variables.ts';
import {
  findProblems,
  resetTemplate,
  saveTemplate,
  showTemplate,
  type TemplateView,
} from '../../../mail/templates.ts';
import { requireWaitlist } from '../../../mail/update-settings.ts';
import { closed } from '../../../operations/core/schemas.ts';
import { oneOf } from '../../../wire/schema.ts';
import { rateLimiter } from '../../plugins/rate-limit.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { recordRead } from '../core/reading.ts';
import { domainFor, environmentQuery, requireQueue } from '../core/waitlist-scope.ts';
import {
  EnvironmentQuery,
  EXAMPLE_MAIL_ID,
  KindParams,
  NO_KIND,
  NO_WAITLIST,
  requireKind,
  sendingFor,
  tag,
  WaitlistParams,
} from './scope.ts';
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
const BODY_BYTES_MAX = 256 * 1024;
const TESTS_PER_MINUTE = 10;

const common = { tag, querystring: EnvironmentQuery, errors: ['not_found'] as const };

const listSchema = adminSchema({
  ...common,
  operationId: 'listMailTemplates',
  summary: 'List email templates',
  description:
    'Returns the current template of each kind. Templates apply to all environments of a waitlist.',
  role: 'support',
  params: WaitlistParams,
  answer: { description: 'The templates.', schema: TemplateList, example: { templates: [EXAMPLE_TEMPLATE] } },
  special: NO_WAITLIST,
});

const ofLanguage = {
  querystring: Type.Object(
    {
      ...environmentQuery,
      language: Type.Optional(
        oneOf(LANGUAGES, {
          description: "Which template. Default: the one in the waitlist's language.",
          examples: ['de'],
        }),
      ),
    },
    closed,
  ),
};

const getSchema = adminSchema({
  ...common,
  ...ofLanguage,
  operationId: 'getMailTemplate',
  showsSettings: true,
  summary: 'Get an email template',
  description: 'Returns the current template of a kind in a language: yours, or the default.',
  role: 'support',
  params: KindParams,
  answer: { description: 'The template.', schema: TemplateObject, example: EXAMPLE_TEMPLATE },
  special: NO_KIND,
});

const saveSchema = adminSchema({
  ...common,
  ...ofLanguage,
  operationId: 'saveMailTemplate',
  settings: { lock: 'installation' },
  summary: 'Save an email template',
  description:
    'Replaces the template of a kind in a language. The other languages stay as they are. Emails that were already recorded ' +
    'keep theirs.',
  role: 'admin',
  params: KindParams,
  body: TemplateRequest,
  errors: ['not_found', 'changed'],
  answer: { description: 'The template was saved.', schema: TemplateObject, example: EXAMPLE_TEMPLATE },
  special: {
    ...NO_KIND,
    invalid_request: {
      message: 'body: there is no {{ postion }} in this kind of mail; there are waitlist, email',
    },
    changed: {
      when: 'The template is no longer at `expectVersion`.',
      message: 'expectVersion: the template is at version 8 now, not 7',
    },
  },
});

const resetSchema = adminSchema({
  ...common,
  ...ofLanguage,
  operationId: 'resetMailTemplate',
  settings: { lock: 'installation' },
  write: true,
  summary: 'Reset an email template',
  description: 'Restores the default template of a kind in a language.',
  role: 'admin',
  params: KindParams,
  answer: {
    description: 'The default template.',
    schema: TemplateObject,
    example: { ...EXAMPLE_TEMPLATE, custom: false, version: 0 },
  },
  special: NO_KIND,
});

const previewSchema = adminSchema({
  ...common,
  operationId: 'previewMailTemplate',
  harmless: 'reads',
  summary: 'Preview an email',
  description:
    'Renders a saved or unsaved template as a person would get it. A template with problems is not rendered.',
  role: 'support',
  params: KindParams,
  body: PreviewRequest,
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
  special: NO_KIND,
});

const testSchema = adminSchema({
  ...common,
  operationId: 'testMailTemplate',
  summary: 'Send a test email',
  description: `Sends a preview to an address of your choice, at most ${TESTS_PER_MINUTE} a minute. Emails of other environments than production are kept.`,
  role: 'admin',
  params: KindParams,
  body: TestRequest,
  answer: {
    status: 202,
    description: 'The test email is on its way.',
    schema: SentTest,
    example: { id: EXAMPLE_MAIL_ID, to: 'grace@example.com' },
  },
  special: NO_KIND,
});

export function registerMailTemplates(app: TypedApp, parts: AdminParts): void {
  const { waitlists } = parts;
  const tests = rateLimiter('test-mail', TESTS_PER_MINUTE, waitlists);
  const path = '/waitlists/:waitlistId/mail/templates';
  const read = async (waitlistId: string, kind: MailKind, language?: Language) => {
    const { kinds } = await requireWaitlist(waitlists, waitlistId);
    return presentTemplate(await showTemplate(waitlists, waitlistId, kind, language), kinds.includes(kind));
  };
  const draftOf = async (waitlistId: string, kind: MailKind, { subject, body, language }: Draft) => {
    if (subject === undefined && body === undefined) return undefined;
    const saved = await showTemplate(waitlists, waitlistId, kind, language);
    return { subject: subject ?? saved.subject, body: body ?? saved.body };
  };

  app.get(path, { schema: listSchema }, async ({ params, query }) => {
    await requireQueue(parts, params, query);
    return { templates: await Promise.all(MAIL_KINDS.map((kind) => read(params.waitlistId, kind))) };
  });

  app.get(`${path}/:kind`, { schema: getSchema }, async ({ params, query }) => {
    await requireQueue(parts, params, query);
    return read(params.waitlistId, requireKind(params), query.language);
  });

  app.put(`${path}/:kind`, { schema: saveSchema, bodyLimit: BODY_BYTES_MAX }, async (request) => {
    const { params, query, body } = request;
    await requireQueue(parts, params, query);
    const kind = requireKind(params);
    await saveTemplate(domainFor(parts, request), params.waitlistId, kind, body, query.language);
    return read(params.waitlistId, kind, query.language);
  });

  app.delete(`${path}/:kind`, { schema: resetSchema }, async (request) => {
    const { params, query } = request;
    await requireQueue(parts, params, query);
    const kind = requireKind(params);
    await resetTemplate(domainFor(parts, request), params.waitlistId, kind, query.language);
    return read(params.waitlistId, kind, query.language);
  });

  const preview = { schema: previewSchema, bodyLimit: BODY_BYTES_MAX };
  app.post(`${path}/:kind/preview`, preview, async (request) => {
    const { params, query, body } = request;
    const queue = await requireQueue(parts, params, query);
    const kind = requireKind(params);
    const { entry, language } = body;
    if (entry !== undefined) await recordRead(parts, request, queue);
    const draft = await draftOf(params.waitlistId, kind, body);
    const problems = draft ? await findProblems(kind, draft) : [];
    if (problems.length > 0)
      return { subject: null, html: null, text: null, templateFailure: null, problems };
    const sending = await sendingFor(parts);
    const mail = await previewMail(waitlists, queue, { kind, entry, draft, language }, sending);
    const { subject, html, text, templateFailure } = mail;
    return { subject, html, text, templateFailure, problems };
  });

  app.post(
    `${path}/:kind/test`,
    { schema: testSchema, bodyLimit: BODY_BYTES_MAX },
    async (request, reply) => {
      const { params, query, body, caller } = request;
      const queue = await requireQueue(parts, params, query);
      const kind = requireKind(params);
      tests.take(`${caller.actor.kind} ${caller.actor.id}`, reply);
      const { to, entry, language } = body;
      const draft = await draftOf(params.waitlistId, kind, body);
      const id = await sendTestMail(domainFor(parts, request), queue, { kind, to, entry, draft, language });
      reply.code(202);
      return { id, to };
    },
  );
}

interface Draft {
  subject?: string | undefined;
  body?: string | undefined;
  language?: Language | undefined;
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
    language,
    custom: !isDefault,
    version,
    languages,
    subject,
    body,
    variables,
  };
}
