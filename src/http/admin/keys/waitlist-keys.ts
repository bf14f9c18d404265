import Type from 'typebox';
import { createKey, revokeKey, rotateKey } from '../../../waitlist/keys/server-keys.ts';
import { named, withExamples } from '../../../wire/schema.ts';
import { presentCreatedKey } from '../../../wire/server-key.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import { pageQuery } from '../core/pages.ts';
import type { AdminParts } from '../core/parts.ts';
import { closed, Deleted } from '../core/schemas.ts';
import { parseTimeOrNull } from '../core/times.ts';
import { domainFor, environmentQuery, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';
import {
  CreatedKeyObject,
  EXAMPLE_KEY,
  EXAMPLE_SECRET,
  expiresAt,
  KeyPage,
  keyIdParam,
  noSuchKey,
  OVERLAP_MS,
  Rotation,
  readKeys,
} from './schemas.ts';

const tag = 'Server keys';

const KeyRequest = Type.Object(
  {
    canRead: Type.Optional(
      Type.Boolean({ description: 'Adds the `waitlist:read` grant. Default: `false`, for signups only.' }),
    ),
    expiresAt,
  },
  {
    ...named('WaitlistKeyRequest'),
    ...closed,
    description: 'A key to create.',
    ...withExamples({
      reading: { summary: 'A key that can also read entries', value: { canRead: true } },
      writing: { summary: 'A key for signups only', value: {} },
    }),
  },
);

const Params = Type.Object(waitlistParams);
const KeyParams = Type.Object({ ...waitlistParams, ...keyIdParam });
const EnvironmentQuery = Type.Object(environmentQuery, closed);
const unknownWaitlist = {
  not_found: {
    when: 'The waitlist or the environment does not exist.',
    message: 'there is no waitlist wl_acme',
  },
};
const invalidExpiry = { invalid_request: { message: 'expiresAt: must be in the future' } };
const created = { ...EXAMPLE_KEY, key: EXAMPLE_SECRET };

const listSchema = adminSchema({
  operationId: 'listWaitlistKeys',
  tag,
  summary: 'List the keys of a waitlist',
  description: 'Returns the keys of one environment, without the keys themselves.',
  role: 'admin',
  params: Params,
  querystring: Type.Object({ ...environmentQuery, ...pageQuery }, closed),
  answer: {
    description: 'A page of keys.',
    schema: KeyPage,
    example: { keys: [EXAMPLE_KEY], nextCursor: null },
  },
  errors: ['not_found'],
  special: unknownWaitlist,
});

const createSchema = adminSchema({
  operationId: 'createWaitlistKey',
  tag,
  summary: 'Create a key for a waitlist',
  description: 'Creates a server key for one environment and returns it, this once.',
  role: 'admin',
  params: Params,
  querystring: EnvironmentQuery,
  body: KeyRequest,
  answer: { status: 201, description: 'The key was created.', schema: CreatedKeyObject, example: created },
  errors: ['not_found'],
  special: { ...unknownWaitlist, ...invalidExpiry },
});

const rotateSchema = adminSchema({
  operationId: 'rotateWaitlistKey',
  tag,
  summary: 'Rotate a key of a waitlist',
  description: 'Creates a key with the same grants. The old key keeps working during the overlap.',
  role: 'admin',
  params: KeyParams,
  querystring: EnvironmentQuery,
  body: Rotation,
  answer: { status: 201, description: 'The new key.', schema: CreatedKeyObject, example: created },
  errors: ['not_found'],
  special: { ...noSuchKey, invalid_request: { message: 'overlapMs: must be an integer' } },
});

const revokeSchema = adminSchema({
  operationId: 'revokeWaitlistKey',
  tag,
  summary: 'Revoke a key of a waitlist',
  description: 'The key stops working at once. It stays in the list.',
  role: 'admin',
  params: KeyParams,
  querystring: EnvironmentQuery,
  answer: {
    description: 'The key was revoked.',
    schema: Deleted,
    example: { id: EXAMPLE_KEY.id, deleted: true },
  },
  errors: ['not_found'],
  special: noSuchKey,
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
    const { canRead = false, expiresAt: expiry = null } = request.body;
    const scope = await scopeOf(request.params, request.query);
    const input = { ...scope, canRead, expiresAt: parseTimeOrNull(expiry, 'expiresAt') };
    const key = presentCreatedKey(await createKey(domainFor(parts, request), input));
    reply.code(201);
    return key;
  });

  app.post('/waitlists/:waitlistId/keys/:keyId/rotate', { schema: rotateSchema }, async (request, reply) => {
    const { overlapMs = OVERLAP_MS } = request.body;
    const scope = await scopeOf(request.params, request.query);
    const { keyId } = request.params;
    const key = presentCreatedKey(await rotateKey(domainFor(parts, request), keyId, overlapMs, scope));
    reply.code(201);
    return key;
  });

  app.delete('/waitlists/:waitlistId/keys/:keyId', { schema: revokeSchema }, async (request) => {
    const { keyId: id } = request.params;
    await revokeKey(domainFor(parts, request), id, await scopeOf(request.params, request.query));
    return { id, deleted: true as const };
  });
}
