import { COMMAND } from '../lib/root.ts';
import { shellWord } from '../lib/text.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { DEFAULT_ENVIRONMENT, requireQueue } from '../waitlist/queue/registry.ts';
import { type Flag, type Flags, requireText, textOr } from './command.ts';

export const QUEUE_FLAGS: Record<string, Flag> = {
  waitlist: { value: 'WAITLIST_ID', about: 'Waitlist.', required: true },
  env: { value: 'ENVIRONMENT', about: 'Environment (default: production).' },
};

export function queueOf(context: Context, flags: Flags): Promise<Queue> {
  return requireQueue(context, requireText(flags, 'waitlist'), textOr(flags, 'env', undefined));
}

/** A command for the same queue, to copy into a shell. */
export function commandOn({ waitlist, environment }: Queue, ...words: string[]): string {
  const scope = [
    '--waitlist',
    waitlist.id,
    ...(environment === DEFAULT_ENVIRONMENT ? [] : ['--env', environment]),
  ];
  return [COMMAND, ...[...words, ...scope].map(shellWord)].join(' ');
}
