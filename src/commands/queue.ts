import { notFound } from '../lib/errors.ts';
import { COMMAND } from '../lib/root.ts';
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

/** A command for the same queue, to copy into a shell. */
export function commandOn({ waitlist, environment }: Queue, ...words: string[]): string {
  const scope = ['--waitlist', waitlist.id, ...(environment === 'production' ? [] : ['--env', environment])];
  return [COMMAND, ...[...words, ...scope].map(shellWord)].join(' ');
}

function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
