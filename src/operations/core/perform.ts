import { auditAs } from '../../operators/audit.ts';
import { requireAccess, requireFields } from '../../operators/duties.ts';
import { type Actor, referenceTo } from '../../operators/roles.ts';
import { DEFAULT_ENVIRONMENT, requireQueue } from '../../waitlist/queue/registry.ts';
import { requireEnvironment } from '../../waitlist/settings/environments.ts';
import { maskFor } from '../../wire/mask.ts';
import { type Operation, OtherAnswer } from './operation.ts';
import type { OperationParts } from './parts.ts';
import { recordRead } from './reading.ts';
import { hasEnvironment } from './scope.ts';

/** What a caller sends. The schemas of the operation have checked it. */
export interface Input {
  params: Readonly<Record<string, string>>;
  query: { readonly environment?: string | undefined };
  body: unknown;
  isOver?(): boolean;
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
  { params, query, body, isOver = () => false }: Input,
): Promise<Performed> {
  const { scope, shows, answer, otherwise } = operation;
  await requireAccess(parts.waitlists, actor, operation);
  await requireFields(parts.waitlists, actor, operation, body);
  const queue =
    scope === 'queue'
      ? await requireQueue(parts.waitlists, params.waitlistId ?? '', query.environment)
      : undefined;
  const environment = hasEnvironment(scope) ? (query.environment ?? DEFAULT_ENVIRONMENT) : undefined;
  if (scope === 'environment' && environment !== undefined)
    await requireEnvironment(parts.waitlists, environment);
  const mask = maskFor(actor.role);
  if (shows === 'people' && queue) await recordRead({ parts, actor, mask }, queue);
  const context = { ...parts.waitlists, audit: auditAs(parts.context, actor), actor: referenceTo(actor) };
  const found = await operation.run({
    ...{ context, parts, actor, mask, queue, environment, query, body, isOver },
    params: params as { waitlistId: string },
  });
  return found instanceof OtherAnswer
    ? { status: found.status ?? otherwise[0]?.status ?? 200, value: found.value }
    : { status: answer.status ?? 200, value: found };
}
