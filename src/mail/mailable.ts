import { sharedNow } from '../db/shared-clock.ts';
import { parseEmail } from '../lib/email.ts';
import { whySuppressed } from '../waitlist/links/suppression.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { whyRefused } from '../waitlist/queue/mail-pause.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { allowanceAt, isPaused, readSending } from '../waitlist/sending/state.ts';
import { isAwaited, isEssential, isOn, KIND_TEXTS, type MailKind } from './templates/kinds.ts';
import { requireWaitlist } from './update-settings.ts';

/** Why an email does not go out, the person's own reasons first. */
export const UNMAILABLE_REASONS = [
  'no_address',
  'invalid_address',
  'bounced',
  'complained',
  'unsubscribed',
  'kind_off',
  'environment',
  'no_mail_server',
  'sending_paused',
  'warm_up',
] as const;
export type UnmailableReason = (typeof UNMAILABLE_REASONS)[number];

/** Whether an email goes out if it is recorded now. */
export interface Mailable {
  mailable: boolean;
  reason: UnmailableReason | null;
  /** What happens instead and what to do about it, in sentences. */
  message: string | null;
}

/** For what would be in vain without one. */
export const NO_MAIL_SERVER = 'there is no mail server: set DOORLIST_SMTP_URL and restart the server';

/** It is recorded and sent later, without anybody doing anything. */
export function waits({ reason }: Pick<Mailable, 'reason'>): boolean {
  return reason === 'sending_paused' || reason === 'warm_up';
}

const YES: Mailable = { mailable: true, reason: null, message: null };

/** Whether a kind of email goes out for a queue, whoever gets it. `hasServer`: whether servers run with a mail server. */
export async function mailableFrom(
  context: Context,
  queue: Queue,
  kind: MailKind,
  hasServer: boolean,
): Promise<Mailable> {
  const { kinds } = await requireWaitlist(context, queue.waitlist.id);
  if (!isOn(kind, kinds))
    return not(
      'kind_off',
      `The email "${KIND_TEXTS[kind].name}" is off for this waitlist. Turn it on under Emails.`,
    );
  return sendableFrom(context, queue, kind, hasServer);
}

/** The email that a signup sends. */
export async function signupMail(context: Context, queue: Queue): Promise<MailKind> {
  const { confirmEmails } = await requireWaitlist(context, queue.waitlist.id);
  return confirmEmails ? 'confirm' : 'welcome';
}

/** Whatever the kinds that are on. */
async function sendableFrom(
  context: Context,
  queue: Queue,
  kind: MailKind,
  hasServer: boolean,
): Promise<Mailable> {
  if (queue.environment !== 'production')
    return not('environment', `Emails in ${queue.environment} are kept and never sent.`);
  if (!hasServer)
    return not(
      'no_mail_server',
      'There is no mail server, so emails are kept. Set DOORLIST_SMTP_URL, restart the server, and send the kept emails.',
    );
  const pause = await whyRefused(context, queue);
  if (pause === undefined) return isAwaited(kind) ? YES : duringLimits(context, queue);
  return not('sending_paused', `Sending is paused: ${pause}. Emails wait and are sent once it works again.`);
}

/** Whether an email that nobody waits for is sent. */
async function duringLimits(context: Context, queue: Queue): Promise<Mailable> {
  const state = await readSending(context.db.query, queue);
  if (isPaused(state))
    return not(
      'sending_paused',
      `Sending is paused: ${state.pause_reason}. Emails wait until the rate is below the limit or an operator resumes sending.`,
    );
  const allowance = allowanceAt(state, await sharedNow(context));
  if (!allowance || allowance.taken < allowance.number) return YES;
  return not(
    'warm_up',
    `The warm-up has no emails left for today (${allowance.number}). Others wait, and are sent from midnight UTC on, up to the number of each day.`,
  );
}

/** How many emails that nobody waits for are still sent today. null without a warm-up. */
export async function leftToday(context: Context, queue: Queue): Promise<number | null> {
  const state = await readSending(context.db.query, queue);
  const allowance = allowanceAt(state, await sharedNow(context));
  return allowance ? Math.max(0, allowance.number - allowance.taken) : null;
}

/** The same for one person. */
export async function mailableTo(
  context: Context,
  queue: Queue,
  kind: MailKind,
  email: string | null,
  hasServer: boolean,
): Promise<Mailable> {
  return (await notTo(context, queue, kind, email)) ?? mailableFrom(context, queue, kind, hasServer);
}

/** The same for an email that is recorded already: it can be sent again although its kind was turned off. */
export async function resendableTo(
  context: Context,
  queue: Queue,
  kind: MailKind,
  email: string | null,
  hasServer: boolean,
): Promise<Mailable> {
  return (await notTo(context, queue, kind, email)) ?? sendableFrom(context, queue, kind, hasServer);
}

async function notTo(
  context: Context,
  queue: Queue,
  kind: MailKind,
  email: string | null,
): Promise<Mailable | undefined> {
  if (email === null) return not('no_address', 'There is no email address.');
  if (!parseEmail(email))
    return not('invalid_address', 'The address contains characters that are no longer accepted.');
  const suppressed = await whySuppressed(context, queue, email, isEssential(kind));
  if (suppressed === 'bounced')
    return not(
      'bounced',
      'The address bounced, so it gets no emails. If it works again, lift the suppression.',
    );
  if (suppressed === 'complained')
    return not(
      'complained',
      'The person reported an email as spam. They only get invites, emails to confirm their address, and links to their data that they ask for.',
    );
  if (suppressed === 'unsubscribed')
    return not(
      'unsubscribed',
      'The person unsubscribed. They only get invites, emails to confirm their address, and links to their data that they ask for.',
    );
  return undefined;
}

function not(reason: UnmailableReason, message: string): Mailable {
  return { mailable: false, reason, message };
}

interface MailWarning {
  code: 'confirmation_not_sent';
  message: string;
}

/** What the settings of a waitlist lead to that nobody can want. */
export async function mailWarnings(
  context: Context,
  waitlistId: string,
  hasServer: boolean,
): Promise<MailWarning[]> {
  const { kinds, confirmEmails } = await requireWaitlist(context, waitlistId);
  if (!confirmEmails) return [];
  const message = !hasServer
    ? 'New people stay pending: they have to confirm their email address, but there is no mail server, so the email with the link is kept.'
    : kinds.includes('confirm')
      ? undefined
      : 'New people stay pending: they have to confirm their email address, but the email with the link is off. Only people who use the form get it.';
  return message === undefined ? [] : [{ code: 'confirmation_not_sent', message }];
}

/** What a person reads after something was done that sends an email. Empty if it is sent. */
export function notEmailed(mailable: Mailable): string {
  if (mailable.mailable) return '';
  return `${waits(mailable) ? 'The email waits.' : 'Not emailed.'} ${mailable.message}`;
}
