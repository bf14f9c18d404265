import type { FastifyRequest } from 'fastify';
import { type ErrorWords, methodOf, type Operation, pathOf } from '../../../operations/core/operation.ts';
import { type Input, perform } from '../../../operations/core/perform.ts';
import { paramsOf, queryOf } from '../../../operations/core/scope.ts';
import { rateLimiter } from '../../plugins/rate-limit.ts';
import type { TypedApp } from '../../typed-app.ts';
import type { AdminParts } from './admin-parts.ts';
import { adminSchema } from './operation.ts';

/** Turns operations into routes: schema, call, answer. */
export function serveOperations(app: TypedApp, parts: AdminParts, operations: readonly Operation[]): void {
  for (const operation of operations) {
    const { perMinute } = operation;
    const limiter = perMinute && rateLimiter(perMinute.name, perMinute.limit, parts.waitlists);
    app.route({
      method: methodOf(operation),
      url: pathOf(operation),
      schema: knownSchema(operation),
      ...(operation.bodyBytesMax === undefined ? {} : { bodyLimit: operation.bodyBytesMax }),
      ...(operation.takesTurns ? { config: { takesTurns: true } } : {}),
      ...(mayLackBody(operation) ? { preValidation: addEmptyBody } : {}),
      handler: async (request, reply) => {
        const { actor } = request.caller;
        limiter?.take(`${actor.kind} ${actor.id}`, reply);
        const { params, query, body } = request as Input;
        const isOver = () => reply.raw.destroyed;
        const { status, value } = await perform(operation, parts, actor, { params, query, body, isOver });
        reply.code(status as 200);
        return value as never; // Not sent yet: what is held commits before, and settings get their ETag.
      },
    });
  }
}

const known = new WeakMap<Operation, ReturnType<typeof schemaOf>>();

/** Routes are also added for a single request, to change in its transaction. */
function knownSchema(operation: Operation) {
  const schema = known.get(operation) ?? schemaOf(operation);
  known.set(operation, schema);
  return schema;
}

function schemaOf(operation: Operation) {
  const { id, tag, summary, description, role, body, answer, otherwise } = operation;
  const { harmless, settings, showsSettings, support } = operation;
  const [params, query] = [paramsOf(operation), queryOf(operation)];
  const missing = missingWords(operation);
  const errors = { ...(missing ? { not_found: missing } : {}), ...operation.errors };
  return adminSchema({
    ...{ operationId: id, tag, summary, description, role, answer },
    ...(isEmpty(params) ? {} : { params }),
    ...(isEmpty(query) ? {} : { querystring: query }),
    ...(body ? { body } : {}),
    ...(support ? { support } : {}),
    ...(harmless ? { harmless } : {}),
    ...(settings ? { settings } : {}),
    ...(showsSettings ? { showsSettings } : {}),
    write: methodOf(operation) !== 'GET',
    also: otherwise,
    errors: Object.keys(errors) as (keyof typeof errors)[],
    special: errors,
  });
}

function mayLackBody({ body }: Operation): boolean {
  return (body as { 'x-optional'?: boolean } | undefined)?.['x-optional'] === true;
}

async function addEmptyBody(request: FastifyRequest): Promise<void> {
  request.body ??= {};
}

function isEmpty({ properties }: { properties: object }): boolean {
  return Object.keys(properties).length === 0;
}

const SCOPES = {
  installation: undefined,
  environment: { name: 'environment', example: 'staging' },
  waitlist: { name: 'waitlist', example: 'wl_acme' },
  queue: { name: 'waitlist', example: 'wl_acme' },
} as const;

/** What can be missing: what it is about, and what the parameters of the path are about, such as `waveId`. */
export function missingWords({ scope, params }: Operation): ErrorWords | undefined {
  const about = SCOPES[scope] ? [SCOPES[scope]] : [];
  const named = Object.entries(params).map(thingOf);
  const last = named.at(-1) ?? about[0];
  if (!last) return undefined;
  const things = scope === 'environment' ? [...named, ...about] : [...about, ...named];
  const names = inWords(things.map(({ name }) => `the ${name}`));
  return {
    when: `${names.charAt(0).toUpperCase()}${names.slice(1)} does not exist.`,
    message: `there is no ${last.name} ${last.example}`,
  };
}

function inWords(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** `waveId` is about a wave, `mailEventKeyId` about a mail event key. */
function thingOf([parameter, schema]: [string, { examples?: readonly unknown[] }]) {
  const name = parameter.replace(/Id$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return { name, example: String(schema.examples?.[0] ?? '') };
}
