import type { Config } from '../config/config.ts';
import { sharedNow } from '../db/shared-clock.ts';
import { conflict } from '../lib/errors.ts';
import type { Confirmations } from '../mail/confirmations.ts';
import { mailableTo, NO_MAIL_SERVER, notEmailed } from '../mail/mailable.ts';
import type { MailSelection, Resent } from '../mail/resend.ts';
import { hasMailServer } from '../mail/sending.ts';
import { readEntry } from '../waitlist/entries/browse-entries.ts';
import { resendConfirmation } from '../waitlist/entries/confirm-entry.ts';
import type { Context } from '../waitlist/queue/context.ts';
import {
  type Command,
  type Flag,
  type Flags,
  type Outcome,
  parseSince,
  textOr,
  UsageProblem,
} from './command.ts';
import { entryIdOf } from './entry-id.ts';
import { requireKind } from './mails.ts';
import { QUEUE_FLAGS, queueOf } from './queue.ts';

const COMMON: Record<string, Flag> = {
  ...QUEUE_FLAGS,
  kind: { value: 'KIND', about: 'Only emails of this kind.' },
  since: { value: 'TIME', about: 'Only emails created since: an ISO 8601 time, or a duration such as 24h.' },
  'dry-run': { about: 'Show how many emails would be sent, without sending them.' },
};

export const mailResending: Command[] = [
  {
    name: 'mail resend',
    once: true,
    about: 'Resend emails: one, all of a kind, kept emails, or failed emails.',
    operands: ['[MAIL_ID]'],
    flags: {
      ...COMMON,
      kept: { about: 'Emails that were kept because no mail server was set.' },
      failed: { about: 'Emails that failed.' },
    },
    run: async (context, [mailId], flags, config) => {
      const states = (['kept', 'failed'] as const).filter((state) => flags[state] === true);
      if (mailId === undefined && flags.kind === undefined && states.length === 0)
        throw new UsageProblem('MAIL_ID, --kind, --kept or --failed is required');
      return resend(context, mailId, flags, states, config);
    },
  },
  {
    name: 'mail retry',
    once: true,
    about: 'Retry failed emails: one or all.',
    operands: ['[MAIL_ID]'],
    flags: COMMON,
    run: (context, [mailId], flags, config) => resend(context, mailId, flags, ['failed'], config),
  },
  {
    name: 'mail send-kept',
    once: 'job',
    about: 'Send the emails that were kept while there was no mail server. Outdated ones are given up.',
    flags: COMMON,
    run: async (context, _, flags, config) => {
      const { requireProduction, resendMails } = await import('../mail/resend.ts');
      const { sendKeptJob } = await import('../mail/resend-job.ts');
      const dryRun = flags['dry-run'] === true;
      const queue = await queueOf(context, flags);
      requireProduction(queue);
      if (!dryRun && !(await hasMailServer(context, config))) throw conflict(NO_MAIL_SERVER);
      const which = await whichOf(context, flags);
      const result = dryRun
        ? await resendMails(context, queue, { ...which, states: ['kept'] }, { dryRun: true })
        : await sendKeptJob.work(context, queue, which);
      return { json: { ...result, dryRun }, text: describe(result, dryRun) };
    },
  },
  {
    name: 'mail send-confirmations',
    once: ([entryId]) => (entryId === undefined ? 'job' : true),
    about: 'Send pending people another link to confirm their email: one or all who can be emailed.',
    operands: ['[WHO]'],
    flags: { ...QUEUE_FLAGS, 'dry-run': { about: 'Show who would get an email, without sending any.' } },
    run: async (context, [who], flags, config) => {
      const { countConfirmations, sendConfirmations } = await import('../mail/confirmations.ts');
      const queue = await queueOf(context, flags);
      const hasServer = await hasMailServer(context, config);
      if (who !== undefined) {
        const entryId = await entryIdOf(context, queue, who);
        await resendConfirmation(context, queue, entryId);
        const { email } = await readEntry(context, queue, entryId);
        const mailable = await mailableTo(context, queue, 'confirm', email, hasServer);
        return {
          json: { id: entryId, mailable },
          text: notEmailed(mailable) || 'Queued 1 email for sending.',
        };
      }
      const dryRun = flags['dry-run'] === true;
      const counts = dryRun
        ? await countConfirmations(context, queue)
        : await sendConfirmations(context, queue, hasServer);
      return { json: { ...counts, dryRun }, text: describeConfirmations(counts, dryRun) };
    },
  },
];

function describeConfirmations(
  { asked, withoutEmail, bounced, recent }: Confirmations,
  dryRun: boolean,
): string {
  const left = [
    withoutEmail > 0 ? `${withoutEmail} without an email address` : '',
    bounced > 0 ? `${bounced} whose address bounced` : '',
    recent > 0 ? `${recent} who got one within a day` : '',
  ].filter(Boolean);
  const note = left.length === 0 ? '' : ` Skipped: ${left.join(', ')}.`;
  const mails = `${asked} ${asked === 1 ? 'email' : 'emails'}`;
  return dryRun ? `Would send ${mails}.${note}` : `Queued ${mails} for sending.${note}`;
}

async function whichOf(context: Context, flags: Flags): Promise<Pick<MailSelection, 'kind' | 'since'>> {
  const kind = textOr(flags, 'kind', undefined);
  const since = textOr(flags, 'since', undefined);
  return {
    kind: kind === undefined ? undefined : requireKind(kind),
    since: since === undefined ? undefined : parseSince(since, 'since', await sharedNow(context)),
  };
}

async function resend(
  context: Context,
  mailId: string | undefined,
  flags: Flags,
  states: MailSelection['states'],
  config: Config,
): Promise<Outcome> {
  // Loads the mail code, so only if needed.
  const { resendMail, resendMails } = await import('../mail/resend.ts');
  const dryRun = flags['dry-run'] === true;
  const which = await whichOf(context, flags);
  if (mailId !== undefined && (which.kind !== undefined || which.since !== undefined))
    throw new UsageProblem('--kind and --since cannot be used with MAIL_ID');
  const queue = await queueOf(context, flags);
  const selection = { ...which, states };
  const result =
    mailId === undefined
      ? await resendMails(context, queue, selection, { dryRun })
      : await resendMail(context, queue, mailId, { states, dryRun });
  const kept = !(await hasMailServer(context, config));
  const note = kept && result.resent > 0 && !dryRun ? ` They stay in the mailbox: ${NO_MAIL_SERVER}.` : '';
  return { json: { ...result, dryRun }, text: describe(result, dryRun) + note };
}

function describe({ resent, skipped }: Resent, dryRun: boolean): string {
  const mails = `${resent} ${resent === 1 ? 'email' : 'emails'}`;
  const left = Object.entries(skipped).map(([reason, count]) => `${count} (${reason})`);
  const note = left.length === 0 ? '' : ` Skipped: ${left.join(', ')}.`;
  return dryRun ? `Would resend ${mails}.${note}` : `Queued ${mails} for sending.${note}`;
}
