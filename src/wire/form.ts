import Type, { type Static } from 'typebox';
import { withDefaults } from '../lib/setting.ts';
import type { Form } from '../waitlist/forms/form.ts';
import type { FormField } from '../waitlist/forms/form-fields.ts';
import { CAPTCHA_KEY_CHARACTERS_MAX, FORM_SETTINGS } from '../waitlist/forms/form-settings.ts';
import type { FormChanges } from '../waitlist/forms/update-form.ts';
import { limits, named, nullable } from './schema.ts';
import { settingSchemas } from './settings.ts';

const EXAMPLE_FORM_KEY = 'dlf_7Qa0Hx3Vb8NqT2mYz5KcR7wLs9PfJd4Ge1Au';

/** What an operator can set, as it is shown. */
export const formProperties = {
  enabled: Type.Boolean({ description: 'Whether the form and its page accept signups.' }),
  ...settingSchemas(FORM_SETTINGS),
};

const captcha = FORM_SETTINGS.captcha.schema;

export const captchaInput = Type.Unsafe<NonNullable<FormChanges['captcha']> | null>({
  ...captcha,
  properties: {
    ...(captcha.properties as object),
    secret: Type.String({
      ...limits({ maxLength: CAPTCHA_KEY_CHARACTERS_MAX }),
      description: 'Secret key. Required when the provider changes. Never shown.',
    }),
  },
});

export const FormSchema = Type.Object(
  {
    key: nullable<string>('string', {
      description: 'Public key of the form. `null` until the form is first configured.',
    }),
    url: Type.String({ description: 'Address of the hosted page.' }),
    ...formProperties,
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
  { ref, code }: { ref?: string; code?: string } = {},
): string {
  const query = new URLSearchParams({
    ...(environment === 'production' ? {} : { environment }),
    ...(ref === undefined ? {} : { ref }),
    ...(code === undefined ? {} : { code }),
  }).toString();
  return `${publicUrl}/w/${waitlist.id}${query === '' ? '' : `?${query}`}`;
}

export const EXAMPLE_FORM: Static<typeof FormSchema> = {
  key: EXAMPLE_FORM_KEY,
  url: 'https://waitlist.example.com/w/wl_acme',
  enabled: true,
  ...withDefaults(FORM_SETTINGS, {
    allowedOrigins: ['https://acme.example'],
    fields: [
      { name: 'company', label: 'Company', type: 'text', required: false },
      { name: 'plan', label: 'Plan', type: 'choice', options: ['Free', 'Pro'], required: true },
    ],
    consent: { text: 'Send me news about Acme.', version: '2026-11' },
    utm: true,
    acceptedUrl: 'https://app.acme.example/welcome',
    headline: 'Join the Acme waitlist',
    text: 'Be the first to try it.',
    buttonText: 'Join',
    blockDisposable: true,
  }),
};
