import type { MailSelection, Resent } from '../mail/resend.ts';
import {
  type Command,
  type Flag,
  type Flags,
  type Outcome,
  parseDuration,
  parseTime,
  textOr,
  UsageProblem,
} from './command.ts';
import { requireKind } from './mails.ts';
import { QUEUE_FLAGS, queueOf } from './queue.ts';

const COMMON: Record<string, Flag> = {
  ...QUEUE_FLAGS,
  kind: { value: 'KIND', about: 'Only mails of this kind.' },
  since: { value: 'TIME', about: 'Only mails recorded since: an ISO 8601 time, or a duration such as 24h.' },
  'dry-run': { about: 'Say how many mails that would be, and send none.' },
};

export const mailResending: Command[] = [
  {
    name: 'mail resend',
    about: 'Sends mails again: one, all of a kind, those that were kept, or those that failed.',
    operands: ['[MAIL_ID]'],
    flags: {
      ...COMMON,
      kept: { about: 'Mails that were kept because no mail server was set.' },
      failed: { about: 'Mails that failed.' },
    },
    run: async (context, [mailId], flags) => {
      const states = (['kept', 'failed'] as const).filter((state) => flags[state] === true);
      if (mailId === undefined && flags.kind === undefined && states.length === 0)
        throw new UsageProblem('give a MAIL_ID, --kind, --kept or --failed');
      return resend(context, mailId, flags, states);
    },
  },
  {
    name: 'mail retry',
    about: 'Sends mails again that failed: one, or all of them.',
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
  const { resendMail, resendMails } = await import('../mail/resend.ts'); // With all that makes mails: only where needed.
  const dryRun = flags['dry-run'] === true;
  const kind = textOr(flags, 'kind', undefined);
  const since = parseSince(flags, context.clock());
  if (mailId !== undefined && (kind !== undefined || since !== undefined))
    throw new UsageProblem('give either a MAIL_ID or --kind and --since');
  const queue = await queueOf(context, flags);
  const selection = { kind: kind === undefined ? undefined : requireKind(kind), states, since };
  const result =
    mailId === undefined
      ? await resendMails(context, queue, selection, dryRun)
      : await resendMail(context, queue, mailId, { states, dryRun });
  return { json: { ...result, dryRun }, text: describe(result, dryRun) };
}

function describe({ resent, skipped }: Resent, dryRun: boolean): string {
  const mails = `${resent} ${resent === 1 ? 'mail' : 'mails'}`;
  const left = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`);
  const note = left.length === 0 ? '' : ` Skipped: ${left.join(', ')}.`;
  return dryRun ? `Would resend ${mails}.${note}` : `Queued ${mails} for sending.${note}`;
}

function parseSince(flags: Flags, now: number): number | undefined {
  const text = textOr(flags, 'since', undefined);
  if (text !== undefined && /^[0-9]+[a-z]$/.test(text)) return now - parseDuration(text, 'since');
  return parseTime(flags, 'since');
}
