import { knownSharedNow } from '../../db/shared-clock.ts';
import type { Texts } from '../../languages/texts.ts';
import { newChallenge } from '../../waitlist/forms/challenge.ts';
import type { LiveForm } from '../../waitlist/forms/form.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { askToConfirm, type FormParts } from './form-parts.ts';

/** What the web component needs, and anyone who builds a form of their own. */
export async function presentPublicForm(parts: FormParts, form: LiveForm, texts: Texts) {
  const { context } = parts;
  const { queue, settings } = form;
  const { name } = queue.waitlist;
  return {
    waitlist: { id: queue.waitlist.id, name },
    closed: await isClosed(context, queue),
    language: texts.tag,
    headline: settings.headline,
    text: settings.text,
    fields: settings.fields,
    consent: settings.consent && { text: settings.consent.text, version: settings.consent.version },
    captcha: settings.captcha,
    redirectUrl: settings.redirectUrl,
    texts: formTexts(texts, name, settings.buttonText, askToConfirm(parts, queue, texts)),
    challenge: await newChallenge(form, knownSharedNow(context)),
  };
}

/** Only what the component shows. What depends on the person comes with the answer. */
function formTexts(
  { form, joined, errors, share, stop }: Texts,
  waitlist: string,
  buttonText: string | null,
  confirm: { title: string; text: string },
) {
  return {
    email: form.email,
    code: form.code,
    emailExample: form.emailExample,
    button: buttonText ?? form.button,
    sending: form.sending,
    optional: form.optional,
    choose: form.choose,
    leaveEmpty: form.leaveEmpty,
    captchaRequired: form.problems.captchaRequired,
    refused: form.refused.title + stop + form.refused.text,
    closed: form.closed.title + stop + form.closed.text,
    rateLimited: errors.rateLimited,
    error: errors.title + stop + errors.other,
    joined: joined.title,
    joinedText: joined.text(waitlist),
    seeStatus: joined.seeStatus,
    checkInbox: confirm.title,
    checkInboxText: confirm.text,
    linkLabel: share.linkLabel,
    copy: share.copy,
    copied: share.copied,
    share: share.share,
  };
}

export async function isClosed({ db }: Context, { waitlist }: Queue): Promise<boolean> {
  const row = await db.query
    .selectFrom('waitlist')
    .select('closed_at')
    .where('id', '=', waitlist.internalId)
    .executeTakeFirst();
  return row?.closed_at !== null;
}
