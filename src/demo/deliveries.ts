import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { type Outbox, startOutbox } from '../installation/start-outbox.ts';
import { type Clock, DAY_MS } from '../lib/time.ts';
import type { Context } from '../waitlist/queue/context.ts';

/** Longer than the story: its clock may move by hours while something is being sent, which must not be sent again then. */
const LEASE_MS = 365 * DAY_MS;
const LOOK_EVERY_MS = 5;
/** The first retry comes after five seconds. */
const RETRY_MS = 6_000;

export interface Deliveries {
  /** Delivers everything that is due, and then what failed and is due again. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

export async function startDeliveries(
  context: Context,
  config: Config,
  timeline: Timeline,
): Promise<Deliveries> {
  const outbox = await startOutbox(context, config, { leaseMs: LEASE_MS });
  return {
    settle: async () => {
      await drain(context, outbox);
      timeline.moveTo(timeline.clock() + RETRY_MS);
      await drain(context, outbox);
    },
    stop: () => outbox.stop(),
  };
}

/** A delivery under way is due when its lease ends, and a retry much sooner. */
async function drain({ db, clock }: Context, outbox: Outbox): Promise<void> {
  outbox.wake();
  for (;;) {
    const open = await db.query
      .selectFrom('delivery')
      .select('event_id')
      .where((e) => e.or([e('due_at', '<=', clock()), e('due_at', '>', clock() + LEASE_MS / 2)]))
      .limit(1)
      .executeTakeFirst();
    if (!open) return;
    await pause(LOOK_EVERY_MS);
  }
}

/** A clock that stands still until it is moved. */
export interface Timeline {
  readonly clock: Clock;
  moveTo(time: number): void;
}

export function createTimeline(start: number): Timeline {
  let now = start;
  return {
    clock: () => now,
    moveTo: (time) => {
      now = Math.max(now, time);
    },
  };
}
