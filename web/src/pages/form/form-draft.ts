import type { Schemas } from '../../api/client.ts';
import type { MailSettings } from '../emails/mails.ts';
import { type FieldDraft, fieldDraftOf, fieldOf } from './field-draft.ts';
import type { Form, FormChanges } from './form-query.ts';

export type CaptchaChoice = 'none' | NonNullable<Form['captcha']>['provider'];

/** The form as the page holds it: texts, as people type them. */
export interface Draft {
  headline: string;
  text: string;
  buttonText: string;
  redirectUrl: string;
  acceptedUrl: string;
  shareImageUrl: string;
  colour: string;
  fields: FieldDraft[];
  asksConsent: boolean;
  consentText: string;
  consentVersion: string;
  utm: boolean;
  blockDisposable: boolean;
  blockRoleAddresses: boolean;
  captcha: CaptchaChoice;
  siteKey: string;
  secret: string;
}

/** What the page changes: the form, and the look that its waitlist shares with its emails. */
interface Saved {
  form: Form;
  look: MailSettings;
}

type Changes = FormChanges & { colour?: string | null };

export function draftOf({ form, look }: Saved): Draft {
  return {
    headline: form.headline ?? '',
    text: form.text ?? '',
    buttonText: form.buttonText ?? '',
    redirectUrl: form.redirectUrl ?? '',
    acceptedUrl: form.acceptedUrl ?? '',
    shareImageUrl: form.shareImageUrl ?? '',
    colour: look.colour ?? '',
    fields: form.fields.map(fieldDraftOf),
    asksConsent: form.consent !== null,
    consentText: form.consent?.text ?? '',
    consentVersion: form.consent?.version ?? '1',
    utm: form.utm,
    blockDisposable: form.blockDisposable,
    blockRoleAddresses: form.blockRoleAddresses,
    captcha: form.captcha?.provider ?? 'none',
    siteKey: form.captcha?.siteKey ?? '',
    secret: '',
  };
}

const textOrNull = (text: string) => (text.trim() === '' ? null : text.trim());

export const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function settingsOf(draft: Draft) {
  return {
    headline: textOrNull(draft.headline),
    text: textOrNull(draft.text),
    buttonText: textOrNull(draft.buttonText),
    redirectUrl: textOrNull(draft.redirectUrl),
    acceptedUrl: textOrNull(draft.acceptedUrl),
    shareImageUrl: textOrNull(draft.shareImageUrl),
    fields: draft.fields.map(fieldOf),
    consent: draft.asksConsent
      ? { text: draft.consentText.trim(), version: draft.consentVersion.trim() }
      : null,
    utm: draft.utm,
    blockDisposable: draft.blockDisposable,
    blockRoleAddresses: draft.blockRoleAddresses,
    captcha: draft.captcha === 'none' ? null : { provider: draft.captcha, siteKey: draft.siteKey.trim() },
  };
}

/** Only what differs, so that two operators do not undo each other's changes. */
export function changesOf({ form, look }: Saved, draft: Draft): Changes {
  const settings = settingsOf(draft);
  const names = Object.keys(settings) as (keyof typeof settings)[];
  const differing = names.filter((name) => JSON.stringify(settings[name]) !== JSON.stringify(form[name]));
  const changes: Changes = Object.fromEntries(differing.map((name) => [name, settings[name]]));
  const secret = draft.secret.trim();
  if (settings.captcha && secret !== '') changes.captcha = { ...settings.captcha, secret };
  const colour = textOrNull(draft.colour);
  if (colour !== look.colour) changes.colour = colour;
  return changes;
}

/** What the preview shows. What is not complete yet is left out, because the server would refuse it. */
export function previewOf(draft: Draft): Schemas['FormDraft'] {
  const { headline, text, buttonText, fields, consent } = settingsOf(draft);
  const colour = textOrNull(draft.colour);
  return {
    headline,
    text,
    buttonText,
    fields: fields.filter(({ name, label, options }) => name !== '' && label !== '' && options?.length !== 0),
    consent: consent && consent.text !== '' && consent.version !== '' ? consent : null,
    ...(colour === null || /^#[0-9a-f]{6}$/i.test(colour) ? { colour } : {}),
  };
}
