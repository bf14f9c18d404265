import { OPERATOR_MAIL_CHANNEL } from '../../../operator-mail/target.ts';
import {
  type ChannelHealth,
  readDeliveryHealth,
  readInstallationHealth,
} from '../../../outbox/delivery-health.ts';
import type { Context } from '../../../waitlist/queue/context.ts';
import { readCounters } from '../../../waitlist/queue/counters.ts';
import type { Queue } from '../../../waitlist/queue/directory.ts';
import type { Feed, StreamState } from '../core/stream-hub.ts';

/** Its cost grows with the number of queues. */
const INSTALLATION_EVERY_MS = 5_000;

export function queueFeed({ db }: Context, queue: Queue): Feed {
  return {
    name: `queue ${queue.id}`,
    read: async () => {
      const [counters, health] = await Promise.all([
        readCounters(db, queue.id),
        readDeliveryHealth(db, queue.id),
      ]);
      if (!counters) return undefined;
      return [{ slot: 'counters', event: 'counters', data: presentCounters(counters) }, delivery(health)];
    },
  };
}

export function installationFeed({ db }: Context): Feed {
  return {
    name: 'installation',
    everyMs: INSTALLATION_EVERY_MS,
    read: async () => [delivery(await readInstallationHealth(db))],
  };
}

function presentCounters({ pending, waiting, invited, joined, removed, signups }: CountersRead) {
  return { pending, waiting, invited, joined, removed, signups };
}

type CountersRead = NonNullable<Awaited<ReturnType<typeof readCounters>>>;

function delivery(health: readonly ChannelHealth[]): StreamState {
  const of = (...names: string[]) => {
    const own = health.filter(({ channel }) => names.includes(channel));
    const sum = (what: 'pending' | 'failed') => own.reduce((total, each) => total + each[what], 0);
    return { pending: sum('pending'), failed: sum('failed') };
  };
  return {
    slot: 'delivery',
    event: 'delivery',
    data: { webhooks: of('webhook'), emails: of('email', OPERATOR_MAIL_CHANNEL) },
  };
}
