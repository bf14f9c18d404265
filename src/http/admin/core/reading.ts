import { DoorlistError } from '../../../lib/errors.ts';
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
  const queue = await requireQueue(parts, request.params, request.query);
  await recordRead(parts, request, queue);
  return queue;
}

export async function recordRead(
  { recordReading }: AdminParts,
  { caller: { actor } }: Pick<ReadingRequest, 'caller'>,
  { waitlist, environment }: Queue,
): Promise<void> {
  if (!maskFor(actor.role).on) await recordReading(actor, 'entries.read', waitlist.id, environment);
}

/** A mask is worth nothing if questions about what it hides are answered. */
export async function refuseToViewers(
  { recordReading }: AdminParts,
  { caller: { actor } }: Pick<ReadingRequest, 'caller'>,
  { waitlist, environment }: Queue,
  field: string,
): Promise<void> {
  if (!maskFor(actor.role).on) return;
  await recordReading(actor, 'entries.read_refused', waitlist.id, environment);
  throw new DoorlistError('forbidden', `${field}: requires the support role, because it tells about people`);
}
