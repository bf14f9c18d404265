import type { Language } from '../../languages/languages.ts';
import { EMAIL_MAX_CHARACTERS, parseEmail } from '../../lib/email.ts';
import { isLonger, isTooLong } from '../../lib/text.ts';
import { isoTime } from '../../lib/time.ts';
import { parseReferrer } from '../people/identity.ts';
import type { Metadata } from '../people/person.ts';
import { NAMED_CODE_CHARACTERS_MAX, type Signup } from '../signup/signup-input.ts';
import type { FormField } from './form-fields.ts';
import type { FormSettings } from './form-settings.ts';

export const TEXT_CHARACTERS_MAX = 500;
const UTM_CHARACTERS_MAX = 200;
const UTM = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'];

/** What is wrong with a field. Pages say it in the person's language. */
export type FieldProblem =
  | 'emailRequired'
  | 'emailInvalid'
  | 'emailTooLong'
  | 'emailRole'
  | 'emailTypo'
  | 'required'
  | 'choiceInvalid'
  | 'tooLong'
  | 'consentRequired';

export type Values = Readonly<Record<string, unknown>>;

interface FormInput {
  signup: Signup;
  problems: Map<string, FieldProblem>;
}

/** Reads what a person entered. The signup is usable only if there are no problems. */
export function readFormInput(
  settings: FormSettings,
  values: Values,
  { now, language }: { now: number; language: Language },
): FormInput {
  const problems = new Map<string, FieldProblem>();
  const metadata: Metadata = {};
  const typed = lineOf(values.email);
  const email = parseEmail(typed);
  if (!email) problems.set('email', emailProblem(typed));
  for (const field of settings.fields) {
    const { value, problem } = readField(field, values[field.name]);
    if (problem) problems.set(field.name, problem);
    else if (value !== undefined) metadata[field.name] = value;
  }
  if (settings.consent) {
    if (isChecked(values.consent)) metadata.consent = { version: settings.consent.version, at: isoTime(now) };
    else problems.set('consent', 'consentRequired');
  }
  if (settings.utm) {
    for (const name of UTM) {
      const value = lineOf(values[name]).slice(0, UTM_CHARACTERS_MAX).toWellFormed();
      if (value !== '') metadata[name] = value;
    }
  }
  const signup: Signup = {
    email: email ?? null,
    phone: null,
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
    referrer: parseReferrer(lineOf(values.ref)) ?? null,
    ...codeIn(settings, values),
    language,
    byForm: true,
  };
  return { signup, problems };
}

/** Of a form that has a field of its own with this name, it is that. */
export function codeIn({ fields }: Pick<FormSettings, 'fields'>, values: Values): { code?: string } {
  const code = lineOf(values.code).slice(0, NAMED_CODE_CHARACTERS_MAX);
  return code === '' || fields.some(({ name }) => name === 'code') ? {} : { code };
}

function emailProblem(typed: string): FieldProblem {
  if (typed === '') return 'emailRequired';
  return isTooLong(typed, EMAIL_MAX_CHARACTERS) ? 'emailTooLong' : 'emailInvalid';
}

function readField(
  { type, options = [], required }: FormField,
  given: unknown,
): { value?: string | boolean; problem?: FieldProblem } {
  if (type === 'checkbox') {
    const value = isChecked(given);
    return required && !value ? { problem: 'required' } : { value };
  }
  const value = lineOf(given);
  if (value === '') return required ? { problem: 'required' } : {};
  if (type === 'choice') return options.includes(value) ? { value } : { problem: 'choiceInvalid' };
  return isLonger(value, TEXT_CHARACTERS_MAX) ? { problem: 'tooLong' } : { value };
}

/** Browsers send `on` for a checked box, and nothing for another. */
function isChecked(value: unknown): boolean {
  return value === true || value === 'on' || value === 'true' || value === '1';
}

/** One line of text, without control characters. */
export function lineOf(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\p{Cc}+/gu, ' ').trim() : '';
}
