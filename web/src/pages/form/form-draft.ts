import type { Schemas } from '../../api/client.ts';
import { changedFields } from '../../ui/changed-fields.ts';
import { asIs, draftsOf, lineOrNull } from '../../ui/drafts.ts';
import type { Labels } from '../../ui/use-settings.ts';
import type { MailSettings } from '../emails/mails.ts';
import { type FieldDraft, fieldDraftOf, fieldOf } from './field-draft.ts';
import type { Form, FormChanges } from './form-query.ts';

export type CaptchaChoice = 'none' | NonNullable<Form['captcha']>['provider'];

const simple = draftsOf({
  headline: lineOrNull,
  text: lineOrNull,
  buttonText: lineOrNull,
  redirectUrl: lineOrNull,
  acceptedUrl: lineOrNull,
  shareImageUrl: lineOrNull,
  fields: {
    show: (fields: Form['fields']) => fields.map(fieldDraftOf),
    read: (fields: FieldDraft[]): Form['fields'] => fields.map(fieldOf),
  },
  utm: asIs<boolean>(),
  blockDisposable: asIs<boolean>(),
  blockRoleAddresses: asIs<boolean>(),
});

/** The form as the page holds it: texts, as people type them. */
export type Draft = ReturnType<typeof draftOf>;

/** What the page changes: the form, and the look that its waitlist shares with its emails. */
interface Saved {
  form: Form;
  look: MailSettings;
}

type Changes = FormChanges & { colour?: string | null };

export function draftOf({ form, look }: Saved) {
  return {
    ...simple.draftOf(form),
    colour: look.colour ?? '',
    asksConsent: form.consent !== null,
    consentText: form.consent?.text ?? '',
    consentVersion: form.consent?.version ?? '1',
    captcha: (form.captcha?.provider ?? 'none') as CaptchaChoice,
    siteKey: form.captcha?.siteKey ?? '',
    secret: '',
  };
}

const CAPTCHA_NAMES: Record<CaptchaChoice, string> = {
  none: 'None',
  turnstile: 'Turnstile',
  hcaptcha: 'hCaptcha',
};

export const LABELS: Labels<Draft> = {
  headline: 'Headline',
  text: 'Text',
  buttonText: 'Button',
  redirectUrl: 'After joining',
  acceptedUrl: 'After accepting an invite',
  shareImageUrl: 'Picture',
  fields: { label: 'Fields', words: (fields) => fields.map(fieldInWords).join('\n') || 'None' },
  utm: 'Keep campaign parameters',
  blockDisposable: 'Block disposable email addresses',
  blockRoleAddresses: 'Block role addresses',
  colour: 'Color',
  asksConsent: 'Ask for consent',
  consentText: 'Text of the consent',
  consentVersion: 'Version of the consent',
  captcha: { label: 'CAPTCHA', words: (provider) => CAPTCHA_NAMES[provider] },
  siteKey: 'Site key',
  secret: 'Secret key',
};

function fieldInWords({ name, label, type, options, required }: FieldDraft): string {
  const choices = type === 'choice' ? `: ${linesOf(options).join(', ')}` : '';
  return `${label} (${name}, ${type}${required ? ', required' : ''})${choices}`;
}

export const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const settingsOf = (draft: Draft) => ({
  ...simple.settingsOf(draft),
  consent: draft.asksConsent
    ? { text: draft.consentText.trim(), version: draft.consentVersion.trim() }
    : null,
  captcha: draft.captcha === 'none' ? null : { provider: draft.captcha, siteKey: draft.siteKey.trim() },
});

/** Only what differs, so that two operators do not undo each other's changes. */
export function changesOf({ form, look }: Saved, draft: Draft): Changes {
  const settings = settingsOf(draft);
  const changes: Changes = changedFields(form, settings);
  const secret = draft.secret.trim();
  if (settings.captcha && secret !== '') changes.captcha = { ...settings.captcha, secret };
  const colour = lineOrNull.read(draft.colour);
  if (colour !== look.colour) changes.colour = colour;
  return changes;
}

/** What the preview shows. What is not complete yet is left out, because the server would refuse it. */
export function previewOf(draft: Draft): Schemas['FormDraft'] {
  const { headline, text, buttonText, fields, consent } = settingsOf(draft);
  const colour = lineOrNull.read(draft.colour);
  return {
    headline,
    text,
    buttonText,
    fields: fields.filter(({ name, label, options }) => name !== '' && label !== '' && options?.length !== 0),
    consent: consent && consent.text !== '' && consent.version !== '' ? consent : null,
    ...(colour === null || /^#[0-9a-f]{6}$/i.test(colour) ? { colour } : {}),
  };
}
