import { DAY_MS } from '../lib/time.ts';
import type { Channel } from './channel.ts';
import { DispatchLoop, type DispatchOptions, type DispatchParts } from './dispatch-loop.ts';
import type { WakeUps } from './message.ts';

/**
 * A delivery may wait here for one deadline (15 s) and run for another; the rest is for recording the
 * outcome.
 */
const LEASE_MS = 45_000;
/** Longer than any attempt takes. */
const DRAIN_MS = 20_000;

/** A server's scheduler also finds what no wake-up announced, together with all other work. */
const POLL_MS = DAY_MS;

export type DispatcherOptions = Partial<DispatchOptions>;

interface Dispatcher {
  /** Looks for due deliveries now. */
  wake(): void;
  /** Stops claiming, waits for running attempts, and records their outcomes. */
  stop(): Promise<void>;
}

/** Delivers due messages through these channels. Any number of processes can do this on one database. */
export async function startDispatcher(
  { wakeUps, ...parts }: DispatchParts & { readonly wakeUps: WakeUps },
  channels: readonly Channel[],
  options: DispatcherOptions = {},
): Promise<Dispatcher> {
  const defaults = { leaseMs: LEASE_MS, pollMs: POLL_MS, drainMs: DRAIN_MS, random: Math.random };
  const loop = new DispatchLoop(parts, channels, { ...defaults, ...options });
  const endNotifications = await parts.db.listen(() => loop.lookAgain());
  const endWakeUps = wakeUps.listen((targets) => loop.wake(targets));
  const running = loop.run();
  return {
    wake: () => loop.lookAgain(),
    stop: async () => {
      endWakeUps();
      loop.stop();
      for (const channel of channels) channel.stopping?.();
      await Promise.all([endNotifications(), running]);
      await loop.drain();
      await Promise.all(channels.map((channel) => channel.close()));
    },
  };
}
