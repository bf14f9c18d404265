import { DoorlistError } from '../../lib/errors.ts';
import { auditAs } from '../../operators/audit.ts';
import { type Actor, mayActAs, referenceTo } from '../../operators/roles.ts';
import { requireQueue } from '../../waitlist/queue/registry.ts';
import { maskFor } from '../../wire/mask.ts';
import { type Operation, OtherAnswer } from './operation.ts';
import type { OperationParts } from './parts.ts';

/** What a caller sends. The schemas of the operation have checked it. */
export interface Input {
  params: Readonly<Record<string, string>>;
  query: { readonly environment?: string | undefined };
  body: unknown;
}

export interface Performed {
  status: number;
  value: unknown;
}

/** The one way to an operation: role, queue, record of the reading, and then what it does. */
export async function perform(
  operation: Operation,
  parts: OperationParts,
  actor: Actor,
  { params, query, body }: Input,
): Promise<Performed> {
  const { role, scope, shows, answer, otherwise } = operation;
  if (!mayActAs(actor.role, role)) throw new DoorlistError('forbidden', `this requires the ${role} role`);
  const queue =
    scope === 'queue'
      ? await requireQueue(parts.waitlists, params.waitlistId ?? '', query.environment)
      : undefined;
  const mask = maskFor(actor.role);
  if (shows === 'people' && queue && !mask.on)
    await parts.recordReading(actor, 'entries.read', queue.waitlist.id, queue.environment);
  const context = { ...parts.waitlists, audit: auditAs(parts.context, actor), actor: referenceTo(actor) };
  const found = await operation.run({
    ...{ context, parts, actor, mask, queue, query, body },
    params: params as { waitlistId: string },
  });
  return found instanceof OtherAnswer
    ? { status: otherwise?.status ?? 200, value: found.value }
    : { status: answer.status ?? 200, value: found };
}
