import { notFound } from '../lib/errors.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { type Flag, type Flags, requireText, textOr } from './command.ts';

export const QUEUE_FLAGS: Record<string, Flag> = {
  waitlist: { value: 'WAITLIST_ID', about: 'Waitlist.', required: true },
  env: { value: 'ENVIRONMENT', about: 'Environment (default: production).' },
};

export async function queueOf({ registry }: Context, flags: Flags): Promise<Queue> {
  const waitlistId = requireText(flags, 'waitlist');
  const environment = textOr(flags, 'env', 'production');
  const queue = await registry.queue(waitlistId, environment);
  if (!queue) throw notFound(`there is no waitlist ${waitlistId} in ${environment}`);
  return queue;
}
