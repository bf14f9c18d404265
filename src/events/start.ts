import type { Context } from '../waitlist/context.ts';
import { type DispatcherOptions, startDispatcher } from './outbox/dispatcher.ts';
import { startPruning } from './outbox/prune.ts';
import { allowList } from './webhooks/addresses.ts';
import { webhookChannel } from './webhooks/channel.ts';
import { createGuard } from './webhooks/guard.ts';
import { createSender, DEADLINE_MS } from './webhooks/send.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface OutboxSettings {
  webhookAllow: string[];
  webhookProxy: string | undefined;
  deliveryLogDays: number;
}

export interface Outbox {
  /** Looks for due deliveries now. */
  wake(): void;
  /** Waits, within bounds, for what is being sent. */
  stop(): Promise<void>;
}

/** Everything that happens on its own once events are recorded: deliveries leave, old ones are pruned. */
export async function startOutbox(
  context: Context,
  { webhookAllow, webhookProxy, deliveryLogDays }: OutboxSettings,
  options: DispatcherOptions & { deadlineMs?: number } = {},
): Promise<Outbox> {
  const { deadlineMs = DEADLINE_MS } = options;
  const sender = createSender(createGuard(allowList(webhookAllow)), { proxyUrl: webhookProxy, deadlineMs });
  const dispatcher = await startDispatcher(context, [webhookChannel(context, sender, deadlineMs)], options);
  const pruning = startPruning(context, deliveryLogDays * DAY_MS);
  return {
    wake: dispatcher.wake,
    stop: async () => {
      await Promise.all([dispatcher.stop(), pruning.stop()]);
    },
  };
}
