import type { Channel } from './channel.ts';
import { DispatchLoop, type DispatchOptions, type DispatchParts } from './dispatch-loop.ts';
import type { WakeUps } from './wake-up.ts';

/**
 * Longer than a delivery may wait here until it is begun (one deadline of 15 s) and then be attempted (another),
 * with room to write down how it went.
 */
const LEASE_MS = 45_000;
/** Longer than any attempt takes. */
const DRAIN_MS = 20_000;

export type DispatcherOptions = Partial<DispatchOptions>;

export interface Dispatcher {
  /** Looks for due deliveries now. */
  wake(): void;
  /** Claims nothing more, waits for the attempts under way, and writes down how they went. */
  stop(): Promise<void>;
}

/** Sends what is due, through these channels. Any number of processes may do so on one database. */
export async function startDispatcher(
  { db, clock, log, wakeUps }: DispatchParts & { readonly wakeUps: WakeUps },
  channels: readonly Channel[],
  options: DispatcherOptions = {},
): Promise<Dispatcher> {
  const defaults = { leaseMs: LEASE_MS, pollMs: db.pollMs, drainMs: DRAIN_MS, random: Math.random };
  const loop = new DispatchLoop({ db, clock, log }, channels, { ...defaults, ...options });
  const endNotifications = await db.listen(() => loop.lookAgain());
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
