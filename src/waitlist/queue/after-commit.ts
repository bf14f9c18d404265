import type { Context } from './context.ts';

/** For work that must not be part of the change before it: now, unless the change is committed later. */
export async function afterCommit(
  context: Context,
  work: (context: Context) => Promise<void>,
): Promise<void> {
  if (context.held) context.held.afterCommit(work);
  else await work(context);
}
