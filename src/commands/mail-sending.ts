import type { Context } from '../waitlist/queue/context.ts';
import { changeSending, WARM_UP_MAX, WARM_UP_START } from '../waitlist/sending/change-sending.ts';
import { type Sending, showSending } from '../waitlist/sending/read-sending.ts';
import { presentSending } from '../wire/sending.ts';
import { type Command, type Flags, parseWhole, requireText, table, textOr, UsageProblem } from './command.ts';
import { queueOf } from './queue.ts';

const FLAGS = { waitlist: { value: 'WAITLIST_ID', about: 'Waitlist.', required: true } };

type Shown = ReturnType<typeof presentSending>;

const shownAfter = async (context: Context, flags: Flags) => {
  const sending = await showSending(context, await queueOf(context, flags));
  const json = presentSending(requireText(flags, 'waitlist'), sending);
  return { json, text: inWords(json) };
};

export const mailSending: Command[] = [
  {
    name: 'mail sending resume',
    about: 'End a pause of emails. Counting starts anew.',
    flags: FLAGS,
    run: async (context, _, flags) => {
      await changeSending(context, await queueOf(context, flags), { paused: false });
      return shownAfter(context, flags);
    },
  },
  {
    name: 'mail sending warm-up',
    about: 'Limit the emails of a day to a number that doubles by itself, or switch that off.',
    operands: ['[off]'],
    flags: {
      ...FLAGS,
      start: { value: 'N', about: `Emails on the first day (default: ${WARM_UP_START}).` },
      to: { value: 'N', about: 'Most emails a day, once it is reached.' },
    },
    run: async (context, [off], flags) => {
      if (off !== undefined && off !== 'off')
        throw new UsageProblem(`unknown word ${off}: only off is known`);
      const range = { from: 1, to: WARM_UP_MAX };
      const start = parseWhole(flags, 'start', range) ?? WARM_UP_START;
      const to = parseWhole(flags, 'to', range);
      if (off === undefined && to === undefined) throw new UsageProblem('--to is required, or the word off');
      const warmUp = to === undefined || off !== undefined ? null : { start, to };
      await changeSending(context, await queueOf(context, flags), { warmUp });
      return shownAfter(context, flags);
    },
  },
  {
    name: 'mail sending',
    about: 'Show how many emails bounced, and whether they are paused. Change the limits with flags.',
    flags: {
      ...FLAGS,
      'bounce-percent': { value: 'PERCENT', about: 'Pause above this part of hard bounces, or none.' },
      'complaint-percent': { value: 'PERCENT', about: 'Pause above this part of spam complaints, or none.' },
    },
    run: async (context, _, flags) => {
      const limits = {
        bouncePercent: parsePercent(flags, 'bounce-percent'),
        complaintPercent: parsePercent(flags, 'complaint-percent'),
      };
      if (Object.values(limits).some((limit) => limit !== undefined))
        await changeSending(context, await queueOf(context, flags), limits);
      return shownAfter(context, flags);
    },
  },
];

function parsePercent(flags: Flags, name: string): number | null | undefined {
  const text = textOr(flags, name, undefined);
  if (text === undefined) return undefined;
  if (text === 'none') return null;
  if (!/^\d{1,3}(\.\d{1,2})?$/.test(text))
    throw new UsageProblem(`--${name}: must be a percentage such as 0.5, or none`);
  return Number(text);
}

function inWords(sending: Shown): string {
  const { sent, bounced, complained, since, pauseReason, waiting, warmUp } = sending;
  const limit = (percent: Sending['bouncePercent']) => (percent === null ? 'none' : `${percent}%`);
  const rate = (percent: number | null) => (percent === null ? '-' : `${percent}%`);
  const rows = [
    ['Sent', String(sent), '', ''],
    ['Hard bounces', String(bounced), rate(sending.bounceRate), limit(sending.bouncePercent)],
    ['Spam complaints', String(complained), rate(sending.complaintRate), limit(sending.complaintPercent)],
  ];
  const lines = [
    table([`SINCE ${since.slice(0, 10)}`, 'EMAILS', 'RATE', 'LIMIT'], rows),
    '',
    pauseReason === null ? 'Not paused.' : `Paused: ${pauseReason}.`,
    `${waiting} waiting.`,
    warmUp
      ? `Warm-up: ${warmUp.sentToday} of ${warmUp.today} today, up to ${warmUp.to} a day.`
      : 'No warm-up.',
  ];
  return lines.join('\n');
}
