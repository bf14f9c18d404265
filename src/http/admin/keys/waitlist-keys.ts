import Type from 'typebox';
import { closed } from '../../../operations/core/schemas.ts';
import { parseTimeOrNull } from '../../../operations/core/times.ts';
import { createKey, revokeKey, rotateKey } from '../../../waitlist/keys/server-keys.ts';
import { named, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { domainFor, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';
import { answerCreated, creation, invalidExpiry, listing, revocation, rotation } from './operations.ts';
import { EXAMPLE_KEY, expiresAt, keyIdParam, keyName, OVERLAP_MS, readKeys } from './schemas.ts';

const KeyRequest = Type.Object(
  {
    canRead: Type.Optional(
      Type.Boolean({ description: 'Adds the `waitlist:read` grant. Default: `false`, for signups only.' }),
    ),
    name: keyName,
    expiresAt,
  },
  {
    ...named('WaitlistKeyRequest'),
    ...closed,
    description: 'A key to create.',
    ...withExamples({
      reading: {
        summary: 'A key that can also read entries',
        value: { name: 'Website backend', canRead: true },
      },
      writing: { summary: 'A key for signups only', value: {} },
    }),
  },
);

const Params = Type.Object(waitlistParams);
const KeyParams = Type.Object({ ...waitlistParams, ...keyIdParam });
const unknownWaitlist = {
  not_found: {
    when: 'The waitlist or the environment does not exist.',
    message: 'there is no waitlist wl_acme',
  },
};

const listSchema = adminSchema({
  ...listing(EXAMPLE_KEY),
  operationId: 'listWaitlistKeys',
  summary: 'List the keys of a waitlist',
  description: 'Returns the keys of one environment, without the keys themselves.',
  params: Params,
  special: unknownWaitlist,
});

const createSchema = adminSchema({
  ...creation(EXAMPLE_KEY),
  operationId: 'createWaitlistKey',
  summary: 'Create a key for a waitlist',
  description: 'Creates a server key for one environment and returns it, this once.',
  params: Params,
  body: KeyRequest,
  special: { ...unknownWaitlist, ...invalidExpiry },
});

const rotateSchema = adminSchema({
  ...rotation(EXAMPLE_KEY),
  operationId: 'rotateWaitlistKey',
  summary: 'Rotate a key of a waitlist',
  description: 'Creates a key with the same grants. The old key keeps working during the overlap.',
  params: KeyParams,
});

const revokeSchema = adminSchema({
  ...revocation,
  operationId: 'revokeWaitlistKey',
  write: true,
  summary: 'Revoke a key of a waitlist',
  description: 'The key stops working at once. It stays in the list.',
  params: KeyParams,
});

export function registerWaitlistKeys(app: TypedApp, parts: AdminParts): void {
  const scopeOf = async (params: { waitlistId: string }, query: { environment?: string | undefined }) => {
    const { waitlist, environment } = await requireQueue(parts, params, query);
    return { waitlistId: waitlist.id, environment };
  };

  app.get('/waitlists/:waitlistId/keys', { schema: listSchema }, async ({ params, query }) =>
    readKeys(parts.waitlists, await scopeOf(params, query), query),
  );

  app.post('/waitlists/:waitlistId/keys', { schema: createSchema }, async (request, reply) => {
    const { canRead = false, name, expiresAt: expiry = null } = request.body;
    const scope = await scopeOf(request.params, request.query);
    const input = { ...scope, name, canRead, expiresAt: parseTimeOrNull(expiry, 'expiresAt') };
    return answerCreated(reply, createKey(domainFor(parts, request), input));
  });

  app.post('/waitlists/:waitlistId/keys/:keyId/rotate', { schema: rotateSchema }, async (request, reply) => {
    const { overlapMs = OVERLAP_MS } = request.body;
    const scope = await scopeOf(request.params, request.query);
    const { keyId } = request.params;
    return answerCreated(reply, rotateKey(domainFor(parts, request), keyId, overlapMs, scope));
  });

  app.delete('/waitlists/:waitlistId/keys/:keyId', { schema: revokeSchema }, async (request) => {
    const { keyId: id } = request.params;
    await revokeKey(domainFor(parts, request), id, await scopeOf(request.params, request.query));
    return { id, deleted: true as const };
  });
}
