import { auditAs } from '../../../operators/audit.ts';
import { referenceTo } from '../../../operators/roles.ts';
import type { Context } from '../../../waitlist/queue/context.ts';
import type { Queue } from '../../../waitlist/queue/queue.ts';
import { requireQueue } from '../../../waitlist/queue/registry.ts';
import type { AdminParts, Caller } from './admin-parts.ts';

export { environmentQuery, waitlistParams } from '../../../operations/core/scope.ts';

/** The domain, with everything it changes recorded in the audit trail as done by the caller. */
export function domainFor({ waitlists, context }: AdminParts, { caller }: { caller: Caller }): Context {
  return { ...waitlists, audit: auditAs(context, caller.actor), actor: referenceTo(caller.actor) };
}

/** The queue that a route is about, or a 404. */
export function queueOfRequest(
  { waitlists }: AdminParts,
  { waitlistId }: { waitlistId: string },
  { environment }: { environment?: string | undefined },
): Promise<Queue> {
  return requireQueue(waitlists, waitlistId, environment);
}
