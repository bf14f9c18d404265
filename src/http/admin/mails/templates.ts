import Type from 'typebox';
import { LANGUAGES } from '../../../languages/languages.ts';
import { KIND_TEXTS, MAIL_KINDS, type MailKind } from '../../../mail/kinds.ts';
import { previewMail, sendTestMail } from '../../../mail/preview.ts';
import {
  findProblems,
  resetTemplate,
  saveTemplate,
  showTemplate,
  type TemplateView,
} from '../../../mail/templates.ts';
import { requireWaitlist } from '../../../mail/update-settings.ts';
import { VARIABLES } from '../../../mail/variables.ts';
import { limits, named, nullable, oneOf, withExamples } from '../../../wire/schema.ts';
import { rateLimiter } from '../../plugins/rate-limit.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { closed, emailInput } from '../core/schemas.ts';
import { domainFor, requireQueue } from '../core/waitlist-scope.ts';
import {
  EnvironmentQuery,
  EXAMPLE_MAIL_ID,
  KindParams,
  mailId,
  NO_KIND,
  NO_WAITLIST,
  requireKind,
  sendingFor,
  tag,
  WaitlistParams,
} from './scope.ts';

/** A template has up to 20,000 characters, each of up to 6 bytes if it is escaped. */
const BODY_BYTES_MAX = 256 * 1024;
const TESTS_PER_MINUTE = 10;

const TemplateObject = Type.Object(
  {
    kind: oneOf(MAIL_KINDS, { description: 'Kind of email.' }),
    name: Type.String({ description: 'Name of the kind.' }),
    description: Type.String({ description: 'When the email is sent.' }),
    enabled: Type.Boolean({ description: 'Whether this kind is sent.' }),
    custom: Type.Boolean({ description: 'Whether you have changed the template.' }),
    subject: Type.String({ description: 'Subject, with variables.' }),
    body: Type.String({ description: 'Body in Markdown, with variables.' }),
    variables: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Name of the variable.' }),
          description: Type.String({ description: 'What it contains.' }),
          example: Type.String({ description: 'An example.' }),
        },
        { ...named('TemplateVariable'), description: 'A value that the template can insert.' },
      ),
      { description: 'Variables of this kind.' },
    ),
  },
  { ...named('MailTemplate'), description: 'The template of a kind of email.' },
);

const TemplateList = Type.Object(
  { templates: Type.Array(TemplateObject, { description: 'One for each kind.' }) },
  { ...named('MailTemplateList'), description: 'The templates of a waitlist.' },
);

const subject = Type.String({
  ...limits({ minLength: 1, maxLength: 500 }),
  description: 'Subject, with variables.',
});
const body = Type.String({
  ...limits({ minLength: 1, maxLength: 20_000 }),
  description: 'Body in Markdown, with variables.',
});
const draft = {
  subject: Type.Optional({ ...subject, description: 'Subject to use instead of the saved one.' }),
  body: Type.Optional({ ...body, description: 'Body to use instead of the saved one.' }),
  entry: Type.Optional(
    Type.String({ description: 'Email or phone of an entry to take values from. Default: an example.' }),
  ),
  language: Type.Optional(oneOf(LANGUAGES, { description: 'Language of the default template.' })),
};
const EXAMPLE_TEXTS = { subject: 'Hello', body: 'You are number {{ position }}.' };

const TemplateRequest = Type.Object(
  { subject, body },
  {
    ...named('MailTemplateRequest'),
    ...closed,
    description: 'A template.',
    ...withExamples({ short: { summary: 'A short email', value: EXAMPLE_TEXTS } }),
  },
);

const PreviewRequest = Type.Object(draft, {
  ...named('MailPreviewRequest'),
  ...closed,
  description: 'What to preview. Empty: the saved template with example values.',
  ...withExamples({ draft: { summary: 'An unsaved template', value: EXAMPLE_TEXTS } }),
});

const TestRequest = Type.Object(
  { to: { ...emailInput, description: 'Where to send the test.' }, ...draft },
  {
    ...named('MailTestRequest'),
    ...closed,
    description: 'Where to send a test, and what.',
    ...withExamples({ you: { summary: 'To yourself', value: { to: 'grace@example.com' } } }),
  },
);

const text = (description: string) => nullable<string>('string', { description });

const Preview = Type.Object(
  {
    subject: text('Subject. `null` if there are problems.'),
    html: text('HTML part.'),
    text: text('Text part.'),
    problems: Type.Array(
      Type.Object(
        {
          field: oneOf(['subject', 'body'] as const, { description: 'Where the problem is.' }),
          line: nullable<number>('integer', {
            minimum: 1,
            description: 'Line of the problem. `null` if it concerns the whole text.',
          }),
          message: Type.String({ description: 'What is wrong.' }),
        },
        { ...named('TemplateProblem'), description: 'Why a template cannot be saved.' },
      ),
      { description: 'Why this template cannot be saved. Empty if it can.' },
    ),
  },
  { ...named('MailPreview'), description: 'An email as a person would get it. Its links do not work.' },
);

const SentTest = Type.Object(
  { id: mailId, to: Type.String({ description: 'Where it is sent.' }) },
  { ...named('SentTestMail'), description: 'A test email. Look it up in the list of emails.' },
);

const EXAMPLE_TEMPLATE = {
  kind: 'welcome',
  name: KIND_TEXTS.welcome.name,
  description: KIND_TEXTS.welcome.description,
  enabled: true,
  custom: true,
  ...EXAMPLE_TEXTS,
  variables: [{ name: 'position', description: 'Place in line.', example: '42' }],
};

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

const getSchema = adminSchema({
  ...common,
  operationId: 'getMailTemplate',
  summary: 'Get an email template',
  description: 'Returns the current template of a kind.',
  role: 'support',
  params: KindParams,
  answer: { description: 'The template.', schema: TemplateObject, example: EXAMPLE_TEMPLATE },
  special: NO_KIND,
});

const saveSchema = adminSchema({
  ...common,
  operationId: 'saveMailTemplate',
  summary: 'Save an email template',
  description: 'Replaces the template of a kind. Emails that were already recorded keep theirs.',
  role: 'admin',
  params: KindParams,
  body: TemplateRequest,
  answer: { description: 'The template was saved.', schema: TemplateObject, example: EXAMPLE_TEMPLATE },
  special: {
    ...NO_KIND,
    invalid_request: {
      message: 'body: there is no {{ postion }} in this kind of mail; there are waitlist, email',
    },
  },
});

const resetSchema = adminSchema({
  ...common,
  operationId: 'resetMailTemplate',
  summary: 'Reset an email template',
  description: 'Restores the default template of a kind.',
  role: 'admin',
  params: KindParams,
  answer: {
    description: 'The default template.',
    schema: TemplateObject,
    example: { ...EXAMPLE_TEMPLATE, custom: false },
  },
  special: NO_KIND,
});

const previewSchema = adminSchema({
  ...common,
  operationId: 'previewMailTemplate',
  summary: 'Preview an email',
  description:
    'Renders a saved or unsaved template as a person would get it. A template with problems is not rendered.',
  role: 'support',
  params: KindParams,
  body: PreviewRequest,
  answer: {
    description: 'The email, or what is wrong with the template.',
    schema: Preview,
    example: { subject: 'Hello', html: '<!doctype html>…', text: 'You are number 42.', problems: [] },
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
  const tests = rateLimiter('test-mail', TESTS_PER_MINUTE, waitlists.clock);
  const path = '/waitlists/:waitlistId/mail/templates';
  const read = async (waitlistId: string, kind: MailKind) => {
    const { kinds } = await requireWaitlist(waitlists, waitlistId);
    return presentTemplate(await showTemplate(waitlists, waitlistId, kind), kinds.includes(kind));
  };
  const draftOf = async (waitlistId: string, kind: MailKind, { subject, body }: Draft) => {
    if (subject === undefined && body === undefined) return undefined;
    const saved = await showTemplate(waitlists, waitlistId, kind);
    return { subject: subject ?? saved.subject, body: body ?? saved.body };
  };

  app.get(path, { schema: listSchema }, async ({ params, query }) => {
    await requireQueue(parts, params, query);
    return { templates: await Promise.all(MAIL_KINDS.map((kind) => read(params.waitlistId, kind))) };
  });

  app.get(`${path}/:kind`, { schema: getSchema }, async ({ params, query }) => {
    await requireQueue(parts, params, query);
    return read(params.waitlistId, requireKind(params));
  });

  app.put(`${path}/:kind`, { schema: saveSchema, bodyLimit: BODY_BYTES_MAX }, async (request) => {
    const { params, query, body } = request;
    await requireQueue(parts, params, query);
    const kind = requireKind(params);
    await saveTemplate(domainFor(parts, request), params.waitlistId, kind, body);
    return read(params.waitlistId, kind);
  });

  app.delete(`${path}/:kind`, { schema: resetSchema }, async (request) => {
    const { params, query } = request;
    await requireQueue(parts, params, query);
    const kind = requireKind(params);
    await resetTemplate(domainFor(parts, request), params.waitlistId, kind);
    return read(params.waitlistId, kind);
  });

  const preview = { schema: previewSchema, bodyLimit: BODY_BYTES_MAX };
  app.post(`${path}/:kind/preview`, preview, async ({ params, query, body }) => {
    const queue = await requireQueue(parts, params, query);
    const kind = requireKind(params);
    const { entry, language } = body;
    const draft = await draftOf(params.waitlistId, kind, body);
    const problems = draft ? findProblems(kind, draft) : [];
    if (problems.length > 0) return { subject: null, html: null, text: null, problems };
    const sending = await sendingFor(parts);
    const mail = await previewMail(waitlists, queue, { kind, entry, draft, language }, sending);
    return { subject: mail.subject, html: mail.html, text: mail.text, problems };
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
}

function presentTemplate({ kind, subject, body, isDefault }: TemplateView, enabled: boolean) {
  const variables = VARIABLES[kind].map(({ name, description, example }) => ({ name, description, example }));
  return { kind, ...KIND_TEXTS[kind], enabled, custom: !isDefault, subject, body, variables };
}
