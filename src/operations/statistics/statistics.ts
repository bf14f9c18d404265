import Type from 'typebox';
import { sharedNow } from '../../db/shared-clock.ts';
import { leaderboard } from '../../waitlist/entries/browse-entries.ts';
import { MAIL_CHANNEL } from '../../waitlist/sending/state.ts';
import { readTimeZone } from '../../waitlist/settings/instance-settings.ts';
import { MOST_INTERVALS, parsePeriod } from '../../waitlist/statistics/intervals.ts';
import { readStatistics } from '../../waitlist/statistics/read-statistics.ts';
import { WEBHOOK_CHANNEL } from '../../webhooks/listener.ts';
import { described, WORD } from '../../wire/schema.ts';
import { IntervalSchema, presentStatistics, StatisticsSchema } from '../../wire/statistics.ts';
import { operation } from '../core/operation.ts';
import { EXAMPLE_STATISTICS } from './example.ts';

const LEADERS = 10;
const CHANNELS = { webhooks: WEBHOOK_CHANNEL, emails: MAIL_CHANNEL };

const query = {
  interval: Type.Optional({
    ...described(IntervalSchema, 'Length of an interval. Default: `day`.'),
    examples: ['day'],
  }),
  from: Type.Optional(
    Type.String({
      ...WORD,
      description:
        'Start of the period: a date in the time zone, or a time. Rounded down to the start of its interval. ' +
        'Default: 24 hours, 30 days or 12 weeks before the end.',
      examples: ['2026-11-01'],
    }),
  ),
  to: Type.Optional(
    Type.String({
      ...WORD,
      description: 'End of the period, not included. Rounded up to the end of its interval. Default: now.',
      examples: ['2026-11-16'],
    }),
  ),
  timeZone: Type.Optional(
    Type.String({
      ...WORD,
      description: 'Name of an IANA time zone. Default: that of the installation.',
      examples: ['Europe/Berlin'],
    }),
  ),
};

const { hour, day, week } = MOST_INTERVALS;

export const statistics = [
  operation({
    id: 'getStatistics',
    at: 'GET /waitlists/:waitlistId/statistics',
    tag: 'Statistics',
    summary: 'Get statistics',
    description:
      'Returns signups, referrals, invites and deliveries over time. Days and weeks start in the given time zone, also when its clocks ' +
      `change. A period has at most ${hour.words} by hour, ${day.words} by day and ${week.words} by week. Removing an entry adds to \`removed\` ` +
      'and changes nothing else. Viewers see masked addresses and no `metadata`.',
    role: 'viewer',
    scope: 'queue',
    shows: 'people',
    query,
    answer: { description: 'The statistics.', schema: StatisticsSchema, example: EXAMPLE_STATISTICS },
    errors: {
      invalid_request: { message: 'timeZone: must be the name of a time zone, such as Europe/Berlin' },
    },
    run: async ({ context, queue, query, mask }) => {
      const timeZone = query.timeZone ?? (await readTimeZone(context));
      const period = parsePeriod({ ...query, timeZone }, await sharedNow(context));
      const reading = { ...context, db: await context.db.replica() };
      const [statistics, leaders] = await Promise.all([
        readStatistics(reading, queue, period),
        leaderboard(reading, queue, LEADERS),
      ]);
      return presentStatistics(period, statistics, leaders, CHANNELS, mask);
    },
  }),
];
