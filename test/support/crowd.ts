import { parseEmail } from '../../src/lib/email.ts';
import type { Identifier } from '../../src/waitlist/people/identity.ts';
import type { Metadata } from '../../src/waitlist/people/person.ts';
import type { Context } from '../../src/waitlist/queue/context.ts';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import { openSignups } from '../../src/waitlist/signup/signup.ts';

const BATCH = 5_000;

export const crowdEmail = (n: number) => `crowd${n}@example.com`;

interface Newcomer {
  email?: string;
  phone?: string;
  metadata?: Metadata;
  referrer?: Identifier;
}

/** Signs up many people faster than requests could, without the limits of a request. */
export async function fillQueue(
  context: Context,
  queue: Queue,
  count: number,
  make: (n: number) => Newcomer = (n) => ({ email: crowdEmail(n) }),
): Promise<void> {
  const signups = openSignups(context, Number.POSITIVE_INFINITY);
  for (let from = 0; from < count; from += BATCH) {
    const size = Math.min(BATCH, count - from);
    const batch = Array.from({ length: size }, (_, i) => make(from + i));
    await signups.submit(
      queue,
      batch.map(({ email, phone = null, metadata = null, referrer = null }) => ({
        email: email === undefined ? null : (parseEmail(email) ?? null),
        phone,
        metadata,
        referrer,
      })),
    );
  }
}
