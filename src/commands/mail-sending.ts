import { mailSending as operations } from '../operations/mails/sending.ts';
import { WARM_UP_MAX, WARM_UP_START } from '../waitlist/sending/change-sending.ts';
import type { presentSending } from '../wire/sending.ts';
import { type Flags, parseWhole, table, UsageProblem } from './command.ts';
import { commandsFor } from './command-of.ts';

type Sending = ReturnType<typeof presentSending>;

const command = commandsFor(operations);
const show = (sending: Sending) => ({ json: sending, text: inWords(sending) });

export const mailSending = [
  command<Sending>('updateMailSending', {
    name: 'mail sending resume',
    about: 'End a pause of emails. Counting starts anew.',
    fields: 'none',
    input: () => ({ paused: false }),
    show,
  }),
  command<Sending>('updateMailSending', {
    name: 'mail sending warm-up',
    about: 'Limit the emails of a day to a number that doubles by itself, or switch that off.',
    operands: { '[off]': false },
    fields: 'none',
    flags: {
      start: { value: 'N', about: `Emails on the first day (default: ${WARM_UP_START}).` },
      to: { value: 'N', about: 'Most emails a day, once it is reached.' },
    },
    input: (flags, _, [off]) => ({ warmUp: warmUpOf(flags, off) }),
    show,
  }),
  command<Sending>('updateMailSending', {
    name: 'mail sending',
    about: 'Show how many emails bounced, and whether they are paused. Change the limits with flags.',
    fields: {
      bouncePercent: { value: 'PERCENT', about: 'Pause above this part of hard bounces, or none.' },
      complaintPercent: { value: 'PERCENT', about: 'Pause above this part of spam complaints, or none.' },
      ...{ warmUp: false, paused: false },
    },
    show,
  }),
];

function warmUpOf(flags: Flags, off: string | undefined) {
  if (off !== undefined && off !== 'off') throw new UsageProblem(`unknown word ${off}: only off is known`);
  const range = { from: 1, to: WARM_UP_MAX };
  const start = parseWhole(flags, 'start', range) ?? WARM_UP_START;
  const to = parseWhole(flags, 'to', range);
  if (off === undefined && to === undefined) throw new UsageProblem('--to is required, or the word off');
  return to === undefined || off !== undefined ? null : { start, to };
}

function inWords(sending: Sending): string {
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
