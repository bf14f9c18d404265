import Type, { type Static } from 'typebox';
import { isoTime, isoTimeOrNull } from '../lib/time.ts';
import { WARM_UP_MAX } from '../waitlist/sending/change-sending.ts';
import { LEAST_REPORTED, LEAST_SENT } from '../waitlist/sending/rates.ts';
import { type Sending, WAITING_MAX } from '../waitlist/sending/read-sending.ts';
import { limits, named, nullable, time, timeOrNull } from './schema.ts';
import { WaitlistIdSchema } from './waitlist.ts';

const atLeast = `Counts from ${LEAST_SENT} emails and ${LEAST_REPORTED} reports on. \`null\`: no limit.`;

/** What can be changed, besides the warm-up. */
export const limitFields = {
  bouncePercent: nullable<number>('number', {
    ...limits({ minimum: 0.01, maximum: 100 }),
    description: `Emails pause above this part of hard bounces. ${atLeast}`,
  }),
  complaintPercent: nullable<number>('number', {
    ...limits({ minimum: 0.01, maximum: 100 }),
    description: `Emails pause above this part of spam complaints. ${atLeast}`,
  }),
};

const daily = (description: string) =>
  Type.Integer({ ...limits({ minimum: 1, maximum: WARM_UP_MAX }), description });

export const warmUpFields = {
  start: daily('Emails on the first day.'),
  to: daily('Most emails a day, once it is reached.'),
};

const count = (description: string) => Type.Integer({ minimum: 0, description });
const rate = (description: string) =>
  nullable<number>('number', {
    description: `${description} \`null\` if fewer than ${LEAST_SENT} were sent.`,
  });

const WarmUp = Type.Object({
  ...warmUpFields,
  today: count(
    'How many may be sent today. It doubles after each day on which half were sent without a pause.',
  ),
  sentToday: count('How many were sent today, or are being sent. Those that people wait for count too.'),
  dayEndsAt: time('When the day ends, in UTC.'),
});

export const SendingSchema = Type.Object(
  {
    waitlistId: WaitlistIdSchema,
    since: time('Since when is counted: the last 7 days, or since an operator resumed sending.'),
    sent: count('Emails that a mail server took.'),
    bounced: count('Addresses that bounced for good after we had emailed them.'),
    complained: count('Addresses that reported an email of ours as spam.'),
    bounceRate: rate('Hard bounces in percent of the emails that were sent, at most 100.'),
    complaintRate: rate('Spam complaints in percent of the emails that were sent, at most 100.'),
    ...limitFields,
    paused: Type.Boolean({
      description: 'Whether emails that nobody waits for are paused: invites, reminders and news.',
    }),
    pausedAt: timeOrNull('Since when. `null` if they are not paused.'),
    pauseReason: nullable<string>('string', { description: 'Why. `null` if they are not paused.' }),
    waiting: Type.Integer({
      minimum: 0,
      maximum: WAITING_MAX,
      description: 'Emails that a pause or the warm-up holds back, up to 10,000.',
    }),
    warmUp: Type.Unsafe<Static<typeof WarmUp> | null>({
      ...WarmUp,
      type: ['object', 'null'],
      description: 'The daily number of emails, which rises by itself. `null`: no daily number.',
    }),
  },
  { ...named('MailSending'), description: 'How many emails bounce, and what follows from it.' },
);

export function presentSending(waitlistId: string, sending: Sending): Static<typeof SendingSchema> {
  const { since, pausedAt, warmUp, ...rest } = sending;
  return {
    waitlistId,
    ...rest,
    since: isoTime(since),
    paused: pausedAt !== null,
    pausedAt: isoTimeOrNull(pausedAt),
    warmUp: warmUp && { ...warmUp, dayEndsAt: isoTime(warmUp.dayEndsAt) },
  };
}
