import type { MailSelection, Resent } from '../mail/resend.ts';
import {
  type Command,
  type Flag,
  type Flags,
  type Outcome,
  parseSince,
  textOr,
  UsageProblem,
} from './command.ts';
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
    about: 'Resend emails: one, all of a kind, kept emails, or failed emails.',
    operands: ['[MAIL_ID]'],
    flags: {
      ...COMMON,
      kept: { about: 'Emails that were kept because no mail server was set.' },
      failed: { about: 'Emails that failed.' },
    },
    run: async (context, [mailId], flags) => {
      const states = (['kept', 'failed'] as const).filter((state) => flags[state] === true);
      if (mailId === undefined && flags.kind === undefined && states.length === 0)
        throw new UsageProblem('MAIL_ID, --kind, --kept or --failed is required');
      return resend(context, mailId, flags, states);
    },
  },
  {
    name: 'mail retry',
    about: 'Retry failed emails: one or all.',
    operands: ['[MAIL_ID]'],
    flags: COMMON,
    run: (context, [mailId], flags) => resend(context, mailId, flags, ['failed']),
  },
];

async function resend(
  context: Parameters<NonNullable<Command['run']>>[0],
  mailId: string | undefined,
  flags: Flags,
  states: MailSelection['states'],
): Promise<Outcome> {
  // Loads the mail code, so only if needed.
  const { resendMail, resendMails } = await import('../mail/resend.ts');
  const dryRun = flags['dry-run'] === true;
  const kind = textOr(flags, 'kind', undefined);
  const text = textOr(flags, 'since', undefined);
  const since = text === undefined ? undefined : parseSince(text, 'since', context.clock());
  if (mailId !== undefined && (kind !== undefined || since !== undefined))
    throw new UsageProblem('--kind and --since cannot be used with MAIL_ID');
  const queue = await queueOf(context, flags);
  const selection = { kind: kind === undefined ? undefined : requireKind(kind), states, since };
  const result =
    mailId === undefined
      ? await resendMails(context, queue, selection, dryRun)
      : await resendMail(context, queue, mailId, { states, dryRun });
  return { json: { ...result, dryRun }, text: describe(result, dryRun) };
}

function describe({ resent, skipped }: Resent, dryRun: boolean): string {
  const mails = `${resent} ${resent === 1 ? 'email' : 'emails'}`;
  const left = Object.entries(skipped).map(([reason, count]) => `${count} (${reason})`);
  const note = left.length === 0 ? '' : ` Skipped: ${left.join(', ')}.`;
  return dryRun ? `Would resend ${mails}.${note}` : `Queued ${mails} for sending.${note}`;
}
