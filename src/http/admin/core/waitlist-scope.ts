import Type from 'typebox';
import { referenceTo } from '../../../operators/actor.ts';
import { auditAs } from '../../../operators/audit.ts';
import type { Context } from '../../../waitlist/queue/context.ts';
import type { Queue } from '../../../waitlist/queue/queue.ts';
import { requireQueue as findQueue } from '../../../waitlist/queue/registry.ts';
import { WORD } from '../../../wire/schema.ts';
import { WaitlistIdSchema } from '../../../wire/waitlist.ts';
import type { AdminParts, Caller } from './parts.ts';

/** For `params` of every route below a waitlist. */
export const waitlistParams = { waitlistId: WaitlistIdSchema };

/** For `querystring` of every route that concerns one environment of a waitlist. */
export const environmentQuery = {
  environment: Type.Optional(
    Type.String({
      ...WORD,
      description: 'Environment of the waitlist. Default: `production`.',
      examples: ['development'],
    }),
  ),
};

/** The domain, with everything it changes recorded in the audit trail as done by the caller. */
export function domainFor({ waitlists, context }: AdminParts, { caller }: { caller: Caller }): Context {
  return { ...waitlists, audit: auditAs(context, caller.actor), actor: referenceTo(caller.actor) };
}

/** The queue that a route is about, or a 404. */
export function requireQueue(
  { waitlists }: AdminParts,
  { waitlistId }: { waitlistId: string },
  { environment }: { environment?: string | undefined },
): Promise<Queue> {
  return findQueue(waitlists, waitlistId, environment);
}
