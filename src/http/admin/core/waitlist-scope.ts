import Type from 'typebox';
import { notFound } from '../../../lib/errors.ts';
import { referenceTo } from '../../../operators/actor.ts';
import { auditAs } from '../../../operators/audit.ts';
import type { Context } from '../../../waitlist/queue/context.ts';
import { isEnvironmentName, isWaitlistId, type Queue } from '../../../waitlist/queue/queue.ts';
import { WaitlistIdSchema } from '../../../wire/waitlist.ts';
import type { AdminParts, Caller } from './parts.ts';

export const DEFAULT_ENVIRONMENT = 'production';

/** For `params` of every route below a waitlist. */
export const waitlistParams = { waitlistId: WaitlistIdSchema };

/** For `querystring` of every route that concerns one environment of a waitlist. */
export const environmentQuery = {
  environment: Type.Optional(
    Type.String({
      description: 'Environment of the waitlist. Default: `production`.',
      examples: ['development'],
    }),
  ),
};

/** The domain, with everything it changes recorded in the audit trail as done by the caller. */
export function domainFor({ waitlists, context }: AdminParts, { caller }: { caller: Caller }): Context {
  return { ...waitlists, audit: auditAs(context, caller.actor), actor: referenceTo(caller.actor) };
}

/** One waitlist in one environment, or a 404 that says which of the two is unknown. */
export async function requireQueue(
  { waitlists }: AdminParts,
  { waitlistId }: { waitlistId: string },
  { environment = DEFAULT_ENVIRONMENT }: { environment?: string | undefined },
): Promise<Queue> {
  const { registry } = waitlists;
  if (!isWaitlistId(waitlistId)) throw notFound(`there is no waitlist ${waitlistId}`);
  const queue = isEnvironmentName(environment) ? await registry.queue(waitlistId, environment) : undefined;
  if (queue) return queue;
  const known = await registry.queue(waitlistId, DEFAULT_ENVIRONMENT);
  throw notFound(known ? `there is no environment ${environment}` : `there is no waitlist ${waitlistId}`);
}
