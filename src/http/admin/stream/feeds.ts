import { OPERATOR_MAIL_CHANNEL } from '../../../mail/operators/notices.ts';
import {
  type ChannelHealth,
  readDeliveryHealth,
  readInstallationHealth,
} from '../../../outbox/delivery-health.ts';
import { type JobSummary, listJobs, listNewestJobs } from '../../../waitlist/jobs/find-jobs.ts';
import type { Context } from '../../../waitlist/queue/context.ts';
import type { Queue } from '../../../waitlist/queue/queue.ts';
import { readCounters } from '../../../waitlist/queue/tally.ts';
import { presentJob } from '../../../wire/job.ts';
import type { Mask } from '../../../wire/mask.ts';
import { presentCounters, presentDeliveryHealth } from '../../../wire/stream.ts';
import type { Feed, StreamState } from '../core/stream-topic.ts';

/** Its cost grows with the number of queues. */
const HEALTH_EVERY_MS = 5_000;

const EMAIL_CHANNELS = ['email', OPERATOR_MAIL_CHANNEL];

/** Dashboards show running work and what has just ended. */
const JOBS_SHOWN = 20;

export function queueFeed(context: Context, queue: Queue, mask: Mask): Feed {
  const { db } = context;
  return {
    name: `queue ${queue.id}${mask.on ? ' masked' : ''}`,
    read: async () => {
      if (!(await context.registry.queueById(queue.id))) return undefined; // Its waitlist was deleted.
      const [counters, health, { jobs }] = await Promise.all([
        readCounters(db, queue.id),
        readDeliveryHealth(db, queue.id),
        listJobs(context, queue, { limit: JOBS_SHOWN }),
      ]);
      if (!counters) return undefined;
      const counted = { slot: 'counters', event: 'counters', data: presentCounters(queue, counters) };
      return [counted, delivery(queue, health), ...jobs.toReversed().map((job) => jobState(job, mask))];
    },
  };
}

export function installationFeed(context: Context, mask: Mask): Feed {
  let health: { at: number; state: StreamState } | undefined;
  return {
    name: mask.on ? 'installation masked' : 'installation',
    read: async () => {
      const at = performance.now();
      if (!health || at - health.at >= HEALTH_EVERY_MS)
        health = { at, state: delivery(undefined, await readInstallationHealth(context.db)) };
      const jobs = await listNewestJobs(context, JOBS_SHOWN);
      return [health.state, ...jobs.toReversed().map((job) => jobState(job, mask))];
    },
  };
}

function jobState(job: JobSummary, mask: Mask): StreamState {
  const data = presentJob(job, mask);
  return { slot: data.id, event: 'job', data };
}

function delivery(queue: Queue | undefined, health: readonly ChannelHealth[]): StreamState {
  return { slot: 'delivery', event: 'delivery', data: presentDeliveryHealth(queue, health, EMAIL_CHANNELS) };
}
