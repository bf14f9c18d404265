import type { Context } from '../src/waitlist/queue/context.ts';
import type { Queue } from '../src/waitlist/queue/queue.ts';
import { openSignups } from '../src/waitlist/signup/signup.ts';
import { parseSignupRequest } from '../src/waitlist/signup/signup-input.ts';

/** Signs up this many people with the given fields. Their messages stay pending. */
export async function signUp(
  context: Context,
  queue: Queue,
  count: number,
  beside: { metadata?: object } = {},
): Promise<void> {
  const signups = openSignups(context, 100_000);
  for (let first = 0; first < count; first += 100) {
    const entries = Array.from({ length: Math.min(100, count - first) }, (_, i) => ({
      email: `e${first + i}@example.com`,
      ...beside,
    }));
    await signups.submit(queue, parseSignupRequest({ waitlistId: queue.waitlist.id, entries }).entries);
  }
}

/** Resolves when the queue has no pending deliveries. */
export async function delivered({ db }: Context, queue: Queue): Promise<void> {
  for (;;) {
    const left = await db.query
      .selectFrom('delivery')
      .select('event_id')
      .where('queue_id', '=', queue.id)
      .where('due_at', 'is not', null)
      .limit(1)
      .execute();
    if (left.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
