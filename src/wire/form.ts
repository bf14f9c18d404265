import Type, { type Static } from 'typebox';
import {
  BUTTON_CHARACTERS_MAX,
  CAPTCHA_KEY_CHARACTERS_MAX,
  FIELDS_MAX,
  LABEL_CHARACTERS_MAX,
  LINE_CHARACTERS_MAX,
  OPTIONS_MAX,
  ORIGIN_CHARACTERS_MAX,
  ORIGINS_MAX,
  TEXT_CHARACTERS_MAX,
  URL_CHARACTERS_MAX,
  VERSION_CHARACTERS_MAX,
} from '../waitlist/forms/check-settings.ts';
import { CAPTCHA_PROVIDERS, FIELD_TYPES, type Form, type FormField } from '../waitlist/forms/form.ts';
import { limits, METADATA_KEY, named, nullable, oneOf } from './schema.ts';

const EXAMPLE_FORM_KEY = 'dlf_7Qa0Hx3Vb8NqT2mYz5KcR7wLs9PfJd4Ge1Au';
const closed = { additionalProperties: false };

const text = (description: string, maxLength: number) =>
  nullable<string>('string', { ...limits({ maxLength }), description });

const FormFieldSchema = Type.Object(
  {
    name: Type.String({
      ...METADATA_KEY,
      description: 'Key in the metadata of the entry.',
      examples: ['company'],
    }),
    label: Type.String({ ...limits({ maxLength: LABEL_CHARACTERS_MAX }), description: 'What people see.' }),
    type: oneOf(FIELD_TYPES, {
      description: '`text` is one line, `choice` one of `options`, `checkbox` true or false.',
    }),
    options: Type.Optional(
      Type.Array(Type.String(limits({ maxLength: LABEL_CHARACTERS_MAX })), {
        ...limits({ maxItems: OPTIONS_MAX }),
        description: 'For a `choice`: what to choose from.',
      }),
    ),
    required: Type.Boolean({ description: 'Whether people must fill it in.' }),
  },
  { ...named('FormField'), ...closed, description: 'A field beside the email.' },
);

const consentProperties = {
  text: Type.String({ ...limits({ maxLength: TEXT_CHARACTERS_MAX }), description: 'What people agree to.' }),
  version: Type.String({
    ...limits({ maxLength: VERSION_CHARACTERS_MAX }),
    description: 'Stored with the entry. Change it when the text changes.',
  }),
};

/** What an operator can set, for requests and responses. */
export const formProperties = {
  enabled: Type.Boolean({ description: 'Whether the form and its page accept signups.' }),
  allowedOrigins: Type.Array(Type.String(limits({ maxLength: ORIGIN_CHARACTERS_MAX })), {
    ...limits({ maxItems: ORIGINS_MAX }),
    description: 'Origins whose pages may contain the form, such as `https://example.com`.',
  }),
  fields: Type.Array(FormFieldSchema, {
    ...limits({ maxItems: FIELDS_MAX }),
    description: 'Fields beside the email, in order.',
  }),
  consent: Type.Unsafe<{ text: string; version: string } | null>({
    type: ['object', 'null'],
    properties: consentProperties,
    required: ['text', 'version'],
    ...closed,
    description: 'A box that people must check. `null` for none.',
  }),
  utm: Type.Boolean({ description: 'Whether `utm_…` parameters are stored as metadata.' }),
  redirectUrl: text('Where people go after joining. `null` to show their position.', URL_CHARACTERS_MAX),
  acceptedUrl: text(
    'Where the hosted join page leads after an invite was accepted. `null` for nowhere.',
    URL_CHARACTERS_MAX,
  ),
  headline: text(
    'Heading of the hosted page. `null` for the default, which has the name of the waitlist.',
    LINE_CHARACTERS_MAX,
  ),
  text: text('Text below the heading. `null` for the default.', TEXT_CHARACTERS_MAX),
  buttonText: text('Label of the button. `null` for the default.', BUTTON_CHARACTERS_MAX),
  shareImageUrl: text(
    'HTTPS picture that social networks show beside a link to the hosted pages, best 1200 by 630 pixels. `null` for the logo.',
    URL_CHARACTERS_MAX,
  ),
  blockDisposable: Type.Boolean({ description: 'Whether disposable email addresses are turned away.' }),
  blockRoleAddresses: Type.Boolean({
    description: 'Whether addresses of a task instead of a person, such as `info@`, are turned away.',
  }),
};

const captchaProperties = {
  provider: oneOf(CAPTCHA_PROVIDERS, { description: 'Who checks.' }),
  siteKey: Type.String({
    ...limits({ maxLength: CAPTCHA_KEY_CHARACTERS_MAX }),
    description: 'Public key of your site.',
  }),
};

const captchaDescription = 'A CAPTCHA in addition to the built-in checks. `null` for none.';

const captchaOutput = Type.Unsafe<Form['settings']['captcha']>({
  type: ['object', 'null'],
  properties: captchaProperties,
  required: ['provider', 'siteKey'],
  ...closed,
  description: captchaDescription,
});

export const captchaInput = Type.Unsafe<
  (NonNullable<Form['settings']['captcha']> & { secret?: string }) | null
>({
  type: ['object', 'null'],
  properties: {
    ...captchaProperties,
    secret: Type.String({
      ...limits({ maxLength: CAPTCHA_KEY_CHARACTERS_MAX }),
      description: 'Secret key. Required when the provider changes. Never shown.',
    }),
  },
  required: ['provider', 'siteKey'],
  ...closed,
  description: captchaDescription,
});

export const FormSchema = Type.Object(
  {
    key: nullable<string>('string', {
      description: 'Public key of the form. `null` until the form is first configured.',
    }),
    url: Type.String({ description: 'Address of the hosted page.' }),
    ...formProperties,
    captcha: captchaOutput,
  },
  { ...named('Form'), description: 'The public form of a waitlist in one environment.' },
);

export function presentForm(
  { queue, key, enabled, settings }: Form,
  publicUrl: string,
): Static<typeof FormSchema> {
  return {
    key,
    url: hostedUrl(publicUrl, queue),
    enabled,
    ...settings,
    fields: settings.fields.map(presentField),
  };
}

function presentField({ name, label, type, options, required }: FormField): FormField {
  return { name, label, type, ...(options ? { options } : {}), required };
}

export function hostedUrl(
  publicUrl: string,
  { waitlist, environment }: { waitlist: { id: string }; environment: string },
  ref?: string,
): string {
  const query = new URLSearchParams({
    ...(environment === 'production' ? {} : { environment }),
    ...(ref === undefined ? {} : { ref }),
  }).toString();
  return `${publicUrl}/w/${waitlist.id}${query === '' ? '' : `?${query}`}`;
}

export const EXAMPLE_FORM: Static<typeof FormSchema> = {
  key: EXAMPLE_FORM_KEY,
  url: 'https://waitlist.example.com/w/wl_acme',
  enabled: true,
  allowedOrigins: ['https://acme.example'],
  fields: [
    { name: 'company', label: 'Company', type: 'text', required: false },
    { name: 'plan', label: 'Plan', type: 'choice', options: ['Free', 'Pro'], required: true },
  ],
  consent: { text: 'Send me news about Acme.', version: '2026-11' },
  utm: true,
  redirectUrl: null,
  acceptedUrl: 'https://app.acme.example/welcome',
  headline: 'Join the Acme waitlist',
  text: 'Be the first to try it.',
  buttonText: 'Join',
  shareImageUrl: null,
  blockDisposable: true,
  blockRoleAddresses: false,
  captcha: null,
};
