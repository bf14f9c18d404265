import { paramsOf, queryOf } from '../../../operations/core/input.ts';
import { methodOf, type Operation, pathOf } from '../../../operations/core/operation.ts';
import { type Input, perform } from '../../../operations/core/perform.ts';
import { missingWords } from '../../../operations/core/words.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from './operation.ts';
import type { AdminParts } from './parts.ts';

/** Turns operations into routes: schema, call, answer. */
export function serveOperations(app: TypedApp, parts: AdminParts, operations: readonly Operation[]): void {
  for (const operation of operations)
    app.route({
      method: methodOf(operation),
      url: pathOf(operation),
      schema: schemaOf(operation),
      handler: async (request, reply) => {
        const { status, value } = await perform(operation, parts, request.caller.actor, request as Input);
        reply.code(status as 200);
        return value as never; // Not sent yet: what is held commits before, and settings get their ETag.
      },
    });
}

function schemaOf(operation: Operation) {
  const { id, tag, summary, description, role, body, answer, otherwise } = operation;
  const { harmless, settings, showsSettings } = operation;
  const [params, query] = [paramsOf(operation), queryOf(operation)];
  const missing = missingWords(operation);
  const errors = { ...(missing ? { not_found: missing } : {}), ...operation.errors };
  return adminSchema({
    ...{ operationId: id, tag, summary, description, role, answer },
    ...(isEmpty(params) ? {} : { params }),
    ...(isEmpty(query) ? {} : { querystring: query }),
    ...(body ? { body } : {}),
    ...(harmless ? { harmless } : {}),
    ...(settings ? { settings } : {}),
    ...(showsSettings ? { showsSettings } : {}),
    write: methodOf(operation) !== 'GET',
    also: otherwise ? [otherwise] : [],
    errors: Object.keys(errors) as (keyof typeof errors)[],
    special: errors,
  });
}

function isEmpty({ properties }: { properties: object }): boolean {
  return Object.keys(properties).length === 0;
}
