import Type, { type Static } from 'typebox';
import { formatId } from '../lib/ids.ts';
import { isoTime } from '../lib/time.ts';
import type { HourOfDeliveries } from '../outbox/delivery-health.ts';
import type { Entry } from '../waitlist/entries/entry.ts';
import { INTERVALS, type Interval, type Period } from '../waitlist/statistics/intervals.ts';
import { indexAt, type Statistics } from '../waitlist/statistics/read-statistics.ts';
import { EntrySchema } from './entry.ts';
import type { Mask } from './mask.ts';
import { arrayOrNull, named, oneOf, time } from './schema.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const ratio = (description: string) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], minimum: 0, description });
const duration = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, description });
const at = time('When the interval starts.');

export const IntervalSchema = oneOf<Interval>(INTERVALS, {
  ...named('Interval'),
  description: 'Length of an interval. Weeks start on Monday.',
});

const happened = {
  signups: count('New entries, at the time they joined.'),
  referred: count('Those of them that named a referrer on the waitlist.'),
  confirmed: count('Entries that confirmed their email.'),
  invited: count('Invites sent.'),
  accepted: count('Invites accepted.'),
};
const left = { removed: count('Entries removed.'), declined: count('Entries declined.') };

const Totals = Type.Object(
  {
    ...happened,
    expired: count('Invites expired.'),
    revoked: count('Invites revoked.'),
    ...left,
    downloads: count('How often people downloaded their own data.'),
    deletions: count('How many people deleted their own data.'),
    pending: count('Entries that are pending now.'),
    waiting: count('Entries that are waiting now.'),
    invitedNow: count('Entries that are invited now.'),
    joined: count('Entries that have joined by now.'),
  },
  { ...named('StatisticsTotals'), description: 'What happened in the whole period, and how things are now.' },
);

const SeriesItem = Type.Object(
  { at, ...happened, ...left },
  { ...named('StatisticsInterval'), description: 'What happened in one interval.' },
);

const Referrals = Type.Object(
  {
    share: ratio('Share of signups that were referred, from 0 to 1. `null` without signups.'),
    viralCoefficient: ratio(
      'Referred signups for each signup that came without a referral. `null` without the latter.',
    ),
    depth: Type.Array(
      Type.Object(
        {
          depth: count(
            'Length of the chain of referrals: 0 came without one, 1 was referred by one of those, and so on. ' +
              '10 stands for 10 and more.',
          ),
          signups: count('Signups with this depth.'),
        },
        { ...named('ReferralDepth'), description: 'Signups with one depth.' },
      ),
      { description: 'Signups by depth, without those that have none.' },
    ),
  },
  { ...named('ReferralStatistics'), description: 'How signups were referred.' },
);

const Invites = Type.Object(
  {
    sent: count('Invites sent.'),
    accepted: count('Invites accepted, whenever they were sent.'),
    open: count('Invites that are open now.'),
    expired: count('Invites expired.'),
    revoked: count('Invites revoked.'),
    acceptRate: ratio('Accepted divided by sent, at most 1. `null` if none were sent.'),
    timeToAccept: Type.Object(
      {
        medianMs: duration('Half of the accepted invites took at most this long.'),
        p90Ms: duration('90% of the accepted invites took at most this long.'),
      },
      {
        ...named('TimeToAccept'),
        description: 'Time from sending to accepting, estimated from a histogram. `null` without accepts.',
      },
    ),
  },
  { ...named('InviteStatistics'), description: 'What became of invites.' },
);

const TopReferrer = Type.Object(
  {
    entry: Type.Object(
      {
        id: EntrySchema.properties.id,
        email: EntrySchema.properties.email,
        phone: EntrySchema.properties.phone,
        referrals: EntrySchema.properties.referrals,
      },
      { ...named('ReferrerEntry'), description: 'The entry of the referrer.' },
    ),
  },
  { ...named('TopReferrer'), description: 'Somebody with many referrals.' },
);

const MetadataValues = Type.Object(
  {
    key: Type.String({ description: 'Metadata key: one of `metadataKeys` of the waitlist.' }),
    values: Type.Array(
      Type.Object(
        {
          value: Type.Unsafe<string | number | boolean>({
            type: ['string', 'number', 'boolean'],
            description: 'The value.',
          }),
          signups: count('Signups with this value.'),
        },
        { ...named('MetadataValue'), description: 'A value and how many had it.' },
      ),
      { description: 'Most frequent first, at most 200.' },
    ),
    other: count('Signups with any other value.'),
  },
  { ...named('MetadataStatistics'), description: 'Signups by the values of a metadata key.' },
);

const outcomes = {
  delivered: count('Deliveries that succeeded.'),
  failed: count('Deliveries given up.'),
  retried: count('Attempts that failed and were to be repeated.'),
};
const mails = {
  sent: count('Emails that the mail server accepted.'),
  failed: count('Emails given up.'),
  kept: count('Emails kept in the mailbox, because no mail server is configured.'),
};
const byInterval = { description: 'The same by interval.' };
const Webhooks = Type.Object(
  {
    ...outcomes,
    series: Type.Array(
      Type.Object({ at, ...outcomes }, { ...named('WebhookInterval'), description: 'One interval.' }),
      byInterval,
    ),
  },
  { ...named('WebhookStatistics'), description: 'How webhook deliveries went.' },
);
const Emails = Type.Object(
  {
    ...mails,
    series: Type.Array(
      Type.Object({ at, ...mails }, { ...named('EmailInterval'), description: 'One interval.' }),
      byInterval,
    ),
  },
  { ...named('EmailStatistics'), description: 'How emails went.' },
);

export const StatisticsSchema = Type.Object(
  {
    from: time('Start of the first interval.'),
    to: time('End of the last interval.'),
    interval: IntervalSchema,
    timeZone: Type.String({ description: 'Time zone in which days and weeks start.' }),
    totals: Totals,
    series: Type.Array(SeriesItem, {
      description: 'One item for each interval, also for those without events.',
    }),
    referrals: Referrals,
    invites: Invites,
    topReferrers: Type.Array(TopReferrer, { description: 'Those with the most referrals of all time.' }),
    metadata: arrayOrNull(MetadataValues, {
      description: 'One item for each of the chosen metadata keys. `null` for viewers.',
    }),
    webhooks: Webhooks,
    emails: Emails,
  },
  { ...named('Statistics'), description: 'Statistics of a waitlist in one environment.' },
);

export function presentStatistics(
  { from, to, interval, timeZone, starts }: Period,
  statistics: Statistics,
  leaders: readonly Entry[],
  channels: { webhooks: string; emails: string },
  mask: Mask,
): Static<typeof StatisticsSchema> {
  const { totals, series, depths, acceptTime, openInvites, entries, metadata, deliveries } = statistics;
  const { signups, referred, invited, accepted, expired, revoked } = totals;
  const { pending, waiting, joined } = entries;
  const healthIn = <T extends object>(channel: string, show: (sum: Health) => T) => {
    const rows = deliveries.filter((row) => row.channel === channel);
    const sums = starts.map(noDeliveries);
    for (const row of rows) add(sums[indexAt(starts, row.hour)] as Health, row);
    const total = noDeliveries();
    for (const sum of sums) add(total, sum);
    return {
      ...show(total),
      series: sums.map((sum, index) => ({ at: isoTime(starts[index] as number), ...show(sum) })),
    };
  };
  return {
    ...{ from: isoTime(from), to: isoTime(to), interval, timeZone },
    totals: { ...totals, pending, waiting, invitedNow: entries.invited, joined },
    series: series.map(({ signups, referred, confirmed, invited, accepted, removed, declined }, index) => ({
      at: isoTime(starts[index] as number),
      ...{ signups, referred, confirmed, invited, accepted, removed, declined },
    })),
    referrals: {
      share: divide(referred, signups),
      viralCoefficient: divide(referred, signups - referred),
      depth: depths.map((each) => ({ ...each })),
    },
    invites: {
      ...{ sent: invited, accepted, open: openInvites, expired, revoked },
      acceptRate: divide(Math.min(accepted, invited), invited),
      timeToAccept: acceptTime,
    },
    topReferrers: leaders.map(({ id, email, phone, referrals }) => ({
      entry: { id: formatId('ent', id), email: mask.email(email), phone: mask.phone(phone), referrals },
    })),
    metadata: mask.secret([...metadata]),
    webhooks: healthIn(channels.webhooks, ({ delivered, failed, retried }) => ({
      delivered,
      failed,
      retried,
    })),
    emails: healthIn(channels.emails, ({ delivered, failed, kept }) => ({ sent: delivered, failed, kept })),
  };
}

type Health = Omit<HourOfDeliveries, 'channel' | 'hour'>;

function noDeliveries(): Health {
  return { delivered: 0, kept: 0, failed: 0, retried: 0 };
}

function add(sum: Health, { delivered, kept, failed, retried }: Health): void {
  sum.delivered += delivered;
  sum.kept += kept;
  sum.failed += failed;
  sum.retried += retried;
}

function divide(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}
