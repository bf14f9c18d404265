import type { Texts } from '../../languages/texts.ts';
import { EMAIL_MAX_CHARACTERS } from '../../lib/email.ts';
import type { CodeOutcome } from '../../waitlist/codes/named-codes.ts';
import { newTimeToken } from '../../waitlist/forms/challenge.ts';
import type { LiveForm } from '../../waitlist/forms/form.ts';
import type { FormField } from '../../waitlist/forms/form-fields.ts';
import {
  codeIn,
  type FieldProblem,
  lineOf,
  TEXT_CHARACTERS_MAX,
  type Values,
} from '../../waitlist/forms/form-input.ts';
import { type Html, html } from '../docs/html.ts';
import { labelled, problemHtml } from '../pages/field.ts';
import { HONEYPOT } from './check-post.ts';

interface FilledForm {
  form: LiveForm;
  texts: Texts;
  values: Values;
  problems: ReadonlyMap<string, FieldProblem>;
  /** What was probably meant by the email. */
  suggestion?: string | undefined;
  now: number;
  /** Where it is sent, relative to the page. */
  action: string;
  /** What comes after it, where the page has no scripts. null for a page as it looks with them. */
  after: string | null;
}

/** The form without scripts: our page shows it, and anyone can paste something like it into theirs. */
export function formHtml({
  form,
  texts,
  values,
  problems,
  suggestion,
  now,
  action,
  after,
}: FilledForm): Html {
  const { settings } = form;
  const carried = ['ref', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'];
  const problem = (name: string) => {
    const found = problems.get(name);
    return found && problemText(texts, found, suggestion);
  };
  const { captcha } = settings;
  const { code } = codeIn(settings, values);
  return html`${captcha !== null && html`<p class="notice bad late">${texts.form.needsScripts}</p>`}
<form method="post" action="${action}?lang=${texts.tag}" novalidate${captcha !== null && html` hidden`}>
${labelled('email', texts.form.email, problem('email'), (attributes) => html`<input type="email" name="email" autocomplete="email" inputmode="email" required value="${lineOf(values.email)}" placeholder="${texts.form.emailExample}"${attributes}>`)}
${settings.fields.map((field) => fieldHtml(field, texts, values[field.name], problem(field.name)))}
${code !== undefined && labelled('code', html`${texts.form.code} <span class="soft">(${texts.form.optional})</span>`, undefined, (attributes) => html`<input name="code" dir="auto" autocomplete="off" value="${code}"${attributes}>`)}
${settings.consent !== null && checkbox('consent', settings.consent.text, true, values.consent, problem('consent'))}
<div class="trap" aria-hidden="true"><label for="dl-trap">${texts.form.leaveEmpty}</label><input id="dl-trap" name="${HONEYPOT}" tabindex="-1" autocomplete="off"></div>
${carried.map((name) => lineOf(values[name]) !== '' && html`<input type="hidden" name="${name}" value="${lineOf(values[name])}">`)}
<input type="hidden" name="lang" value="${texts.tag}">
<input type="hidden" name="token" value="${newTimeToken(form, now)}">
<input type="hidden" name="suggestedFor" value="${suggestion === undefined ? '' : lineOf(values.email)}">
<button>${settings.buttonText ?? texts.form.button}</button>
${
  // Not first in the form: Enter sends what is in the fields.
  suggestion !== undefined &&
  html`<button class="second" name="correctedEmail" value="${suggestion}">${texts.form.useInstead(suggestion)}</button>`
}
</form>
${captcha === null && after !== null && html`<p class="soft">${after}</p>`}`;
}

/** What became of the code that was entered. Somebody who is on the list already gains nothing by one. */
export function codeText({ joined }: Texts, code: CodeOutcome): string | null {
  if (code.used) return joined.code.counts(code.places);
  return code.reason === 'on_waitlist' ? null : joined.code.unusable;
}

export function problemText({ form }: Texts, problem: FieldProblem, suggestion = ''): string {
  if (problem === 'emailTooLong') return form.problems.tooLong(EMAIL_MAX_CHARACTERS);
  if (problem === 'tooLong') return form.problems.tooLong(TEXT_CHARACTERS_MAX);
  return problem === 'emailTypo' ? form.problems.emailTypo(suggestion) : form.problems[problem];
}

function fieldHtml(field: FormField, texts: Texts, given: unknown, problem: string | undefined): Html {
  const { name, label, type, options = [], required } = field;
  if (type === 'checkbox') return checkbox(name, label, required, given, problem);
  const value = lineOf(given);
  const shown = required ? html`${label}` : html`${label} <span class="soft">(${texts.form.optional})</span>`;
  if (type === 'text')
    return labelled(
      name,
      shown,
      problem,
      (attributes) =>
        html`<input name="${name}" dir="auto" value="${value}"${required && html` required`}${attributes}>`,
    );
  return labelled(
    name,
    shown,
    problem,
    (
      attributes,
    ) => html`<span class="choice"><select name="${name}"${required && html` required`}${attributes}><option value="">${texts.form.choose}</option>
${options.map((option) => html`<option${option === value && html` selected`}>${option}</option>`)}</select></span>`,
  );
}

function checkbox(
  name: string,
  label: string,
  required: boolean,
  given: unknown,
  problem: string | undefined,
): Html {
  const checked = given === 'on' || given === 'true' || given === true;
  return html`<div class="field"><label class="check"><input type="checkbox" name="${name}"${checked && html` checked`}${required && html` required`}${problem !== undefined && html` aria-invalid="true" aria-describedby="dl-${name}-problem"`}><span dir="auto">${label}</span></label>${problemHtml(name, problem)}</div>`;
}
