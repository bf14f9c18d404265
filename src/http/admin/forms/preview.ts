import Type from 'typebox';
import { checkSettings } from '../../../lib/setting.ts';
import { MAIL_SETTINGS } from '../../../mail/templates/settings.ts';
import { closed } from '../../../operations/core/schemas.ts';
import { draftForm } from '../../../waitlist/forms/update-form.ts';
import { formProperties } from '../../../wire/form.ts';
import { described, named, withExamples } from '../../../wire/schema.ts';
import { settingSchemas } from '../../../wire/settings.ts';
import { previewFormPage } from '../../form/hosted-page.ts';
import type { TypedApp } from '../../typed-app.ts';
import type { AdminParts } from '../core/admin-parts.ts';
import { adminSchema } from '../core/operation.ts';
import { environmentQuery, queueOfRequest, waitlistParams } from '../core/waitlist-scope.ts';

const { enabled: _enabled, captcha: _captcha, ...drafted } = formProperties;

const FormDraft = Type.Object(
  {
    ...Type.Partial(Type.Object(drafted)).properties,
    colour: Type.Optional(
      described(settingSchemas(MAIL_SETTINGS).colour, 'Color of the email settings, such as `#0f766e`.'),
    ),
  },
  {
    ...named('FormDraft'),
    ...closed,
    description: 'Settings to try out. Omitted ones are as they are stored.',
    ...withExamples({ texts: { summary: 'Another headline', value: { headline: 'Be the first' } } }),
  },
);

const schema = adminSchema({
  operationId: 'previewForm',
  harmless: 'reads',
  tag: 'Form',
  summary: 'Preview the form',
  description:
    'Returns the hosted page as these settings would make it, without a CAPTCHA and without scripts. Changes nothing.',
  role: 'admin',
  params: Type.Object(waitlistParams),
  querystring: Type.Object(environmentQuery, closed),
  body: FormDraft,
  answer: {
    description: 'The page.',
    schema: Type.Object(
      {
        html: Type.String({ description: 'The page as HTML.' }),
        defaults: Type.Object(
          {
            headline: Type.String({ description: 'Heading.' }),
            text: Type.String({ description: 'Text below the heading.' }),
            buttonText: Type.String({ description: 'Label of the button.' }),
          },
          {
            ...named('FormDefaults'),
            description: 'What the page says where a setting is `null`, in the language of the waitlist.',
          },
        ),
      },
      { ...named('FormPreview'), description: 'How the hosted page would look.' },
    ),
    example: {
      html: '<!doctype html>…',
      defaults: {
        headline: 'Join the Acme waitlist',
        text: 'Leave your email and we’ll let you know when it’s your turn.',
        buttonText: 'Join the waitlist',
      },
    },
  },
  errors: ['not_found'],
  special: {
    not_found: { when: 'The waitlist does not exist.', message: 'there is no waitlist wl_acme' },
    invalid_request: { message: 'colour: must look like #0f766e' },
  },
});

export function registerFormPreview(app: TypedApp, parts: AdminParts): void {
  const { waitlists: context, publicUrl } = parts;
  app.post(
    '/waitlists/:waitlistId/form/preview',
    { schema, bodyLimit: 64 * 1024 },
    async ({ params, query, body }) => {
      const queue = await queueOfRequest(parts, params, query);
      const { colour, ...changes } = body;
      if (colour !== undefined) checkSettings({ colour: MAIL_SETTINGS.colour }, { colour });
      const form = await draftForm(context, queue, changes);
      const look = colour === undefined ? {} : { colour };
      return previewFormPage({ context, publicUrl }, form, look);
    },
  );
}
