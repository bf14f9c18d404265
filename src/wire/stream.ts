import Type, { type Static } from 'typebox';
import type { ChannelHealth } from '../outbox/delivery-health.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import type { readCounters } from '../waitlist/queue/tally.ts';
import { EXAMPLE_JOB } from './job.ts';
import { nullable } from './schema.ts';
import { EXAMPLE_WAITLIST } from './waitlist.ts';

type Counters = NonNullable<Awaited<ReturnType<typeof readCounters>>>;

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** Which queue an event is about: a stream may watch several. */
const about = {
  waitlistId: nullable<string>('string', { description: 'Waitlist. `null`: the whole installation.' }),
  environment: nullable<string>('string', { description: 'Its environment.' }),
};

function presentQueue(queue: Queue | undefined) {
  return { waitlistId: queue?.waitlist.id ?? null, environment: queue?.environment ?? null };
}

const CountersEvent = Type.Object({
  ...about,
  pending: count('Entries that must confirm their email.'),
  waiting: count('Entries that wait.'),
  invited: count('Entries with an open invite.'),
  joined: count('Entries that accepted an invite.'),
  removed: count('Entries that left or were removed.'),
  declined: count('Entries that were declined.'),
  signups: count('All entries that there ever were.'),
});

const Backlog = Type.Object({
  pending: count('Deliveries that wait for their next attempt.'),
  failed: count('Deliveries that were given up.'),
});

const DeliveryEvent = Type.Object({ ...about, webhooks: Backlog, emails: Backlog });

export function presentCounters(queue: Queue, counters: Counters): Static<typeof CountersEvent> {
  const { pending, waiting, invited, joined, removed, declined, signups } = counters;
  return { ...presentQueue(queue), pending, waiting, invited, joined, removed, declined, signups };
}

/** `emailChannels` are the channels that send emails. */
export function presentDeliveryHealth(
  queue: Queue | undefined,
  health: readonly ChannelHealth[],
  emailChannels: readonly string[],
): Static<typeof DeliveryEvent> {
  const of = (names: readonly string[]) => {
    const own = health.filter(({ channel }) => names.includes(channel));
    const sum = (what: 'pending' | 'failed') => own.reduce((total, each) => total + each[what], 0);
    return { pending: sum('pending'), failed: sum('failed') };
  };
  return { ...presentQueue(queue), webhooks: of(['webhook']), emails: of(emailChannels) };
}

const EXAMPLE_QUEUE = { waitlistId: EXAMPLE_WAITLIST.id, environment: 'production' };
const EXAMPLE_COUNTERS: Static<typeof CountersEvent> = {
  ...EXAMPLE_QUEUE,
  pending: 0,
  waiting: 41,
  invited: 3,
  joined: 12,
  removed: 1,
  declined: 0,
  signups: 57,
};
const EXAMPLE_DELIVERY: Static<typeof DeliveryEvent> = {
  ...EXAMPLE_QUEUE,
  webhooks: { pending: 0, failed: 0 },
  emails: { pending: 2, failed: 0 },
};

/** One event of each name, as sent. */
export const EXAMPLE_STREAM: string = Object.entries({
  counters: EXAMPLE_COUNTERS,
  delivery: EXAMPLE_DELIVERY,
  job: EXAMPLE_JOB,
})
  .map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
  .join('');
