import Type from 'typebox';
import { LANGUAGES } from '../../languages/languages.ts';
import { KIND_TEXTS, MAIL_KINDS } from '../../mail/templates/kinds.ts';
import { IDENTIFIER, limits, named, nullable, oneOf, timeOrNull, withExamples } from '../../wire/schema.ts';
import { closed, emailInput } from '../core/schemas.ts';
import { mailFields, templateFailure, textOrNull } from './mail.ts';

export const TemplateObject = Type.Object(
  {
    kind: oneOf(MAIL_KINDS, { description: 'Kind of email.' }),
    name: Type.String({ description: 'Name of the kind.' }),
    description: Type.String({ description: 'When the email is sent.' }),
    enabled: Type.Boolean({ description: 'Whether this kind is sent.' }),
    optional: Type.Boolean({ description: 'Whether it can be turned off.' }),
    language: oneOf(LANGUAGES, { description: 'Language of this template.' }),
    custom: Type.Boolean({ description: 'Whether you have changed the template in this language.' }),
    version: Type.Integer({
      minimum: 0,
      description: 'Rises with each change of the template in this language. `0`: it is the default.',
    }),
    languages: Type.Array(
      Type.Object(
        {
          language: oneOf(LANGUAGES, { description: 'A language.' }),
          custom: Type.Boolean({ description: 'Whether you have changed the template in it.' }),
          outOfDate: Type.Boolean({
            description: "Whether the template in the waitlist's language was edited after this one.",
          }),
          editedAt: timeOrNull('When you last edited it. `null`: it is the default.'),
        },
        { ...named('MailTemplateLanguage'), description: 'A template in one language.' },
      ),
      {
        description:
          "The waitlist's language first. In those that you have not changed, people get the default.",
      },
    ),
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

export const TemplateList = Type.Object(
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
    Type.String({
      ...IDENTIFIER,
      description: 'Email or phone of an entry to take values from. Default: an example.',
    }),
  ),
  language: Type.Optional(
    oneOf(LANGUAGES, {
      description: "Language to show. Default: the entry's, or for a draft the waitlist's.",
    }),
  ),
};
const EXAMPLE_TEXTS = { subject: 'Hello', body: 'You are number {{ position }}.' };

export const TemplateRequest = Type.Object(
  {
    subject,
    body,
    expectVersion: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The `version` that you edited. If there is another one by now, nothing is saved.',
      }),
    ),
  },
  {
    ...named('MailTemplateRequest'),
    ...closed,
    description: 'A template.',
    ...withExamples({ short: { summary: 'A short email', value: EXAMPLE_TEXTS } }),
  },
);

export const PreviewRequest = Type.Object(draft, {
  ...named('MailPreviewRequest'),
  ...closed,
  description: 'What to preview. Empty: the saved template with example values.',
  ...withExamples({ draft: { summary: 'An unsaved template', value: EXAMPLE_TEXTS } }),
});

export const TestRequest = Type.Object(
  { to: { ...emailInput, description: 'Where to send the test.' }, ...draft },
  {
    ...named('MailTestRequest'),
    ...closed,
    description: 'Where to send a test, and what.',
    ...withExamples({ you: { summary: 'To yourself', value: { to: 'grace@example.com' } } }),
  },
);

export const Preview = Type.Object(
  {
    subject: textOrNull('Subject. `null` if there are problems.'),
    html: textOrNull('HTML part.'),
    text: textOrNull('Text part.'),
    templateFailure,
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

export const SentTest = Type.Object(
  { id: mailFields.id, to: Type.String({ description: 'Where it is sent.' }) },
  { ...named('SentTestMail'), description: 'A test email. Look it up in the list of emails.' },
);

export const EXAMPLE_TEMPLATE = {
  kind: 'welcome',
  name: KIND_TEXTS.welcome.name,
  description: KIND_TEXTS.welcome.description,
  enabled: true,
  optional: true,
  language: 'en',
  custom: true,
  version: 7,
  languages: [
    { language: 'en', custom: true, outOfDate: false, editedAt: '2026-11-15T09:30:00.000Z' },
    { language: 'de', custom: false, outOfDate: false, editedAt: null },
  ],
  ...EXAMPLE_TEXTS,
  variables: [{ name: 'position', description: 'Place in line.', example: '42' }],
};
