import { DoorlistError } from '../../lib/errors.ts';
import type { Actor } from '../../operators/roles.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import type { Mask } from '../../wire/mask.ts';
import type { OperationParts } from './parts.ts';

interface Reading {
  parts: OperationParts;
  actor: Actor;
  mask: Mask;
}

/** Who sees people unmasked leaves a record in the audit trail. `shows` does so for every call of an operation. */
export async function recordRead(
  { parts, actor, mask }: Reading,
  { waitlist, environment }: Queue,
): Promise<void> {
  if (!mask.on) await parts.recordReading(actor, 'entries.read', waitlist.id, environment);
}

/** A mask is worth nothing if questions about what it hides are answered. */
export async function refuseToViewers(
  { parts, actor, mask }: Reading,
  { waitlist, environment }: Queue,
  field: string,
): Promise<void> {
  if (!mask.on) return;
  await parts.recordReading(actor, 'entries.read_refused', waitlist.id, environment);
  throw new DoorlistError('forbidden', `${field}: requires the support role, because it tells about people`);
}
