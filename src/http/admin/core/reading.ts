import { recordRead } from '../../../operations/core/reading.ts';
import type { Queue } from '../../../waitlist/queue/queue.ts';
import { maskFor } from '../../../wire/mask.ts';
import type { AdminParts, Caller } from './parts.ts';
import { requireQueue } from './waitlist-scope.ts';

interface ReadingRequest {
  params: { waitlistId: string };
  query: { environment?: string | undefined };
  caller: Caller;
}

/** For routes that show people. Who sees them unmasked leaves a record in the audit trail. */
export async function queueToRead(parts: AdminParts, request: ReadingRequest): Promise<Queue> {
  const { params, query, caller } = request;
  const queue = await requireQueue(parts, params, query);
  await recordRead({ parts, actor: caller.actor, mask: maskFor(caller.actor.role) }, queue);
  return queue;
}
