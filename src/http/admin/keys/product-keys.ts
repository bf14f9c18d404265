import Type from 'typebox';
import { createKey, revokeKey, rotateKey } from '../../../waitlist/keys/server-keys.ts';
import { requireEnvironment } from '../../../waitlist/settings/environments.ts';
import { named, withExamples } from '../../../wire/schema.ts';
import { presentCreatedKey } from '../../../wire/server-key.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import { pageQuery } from '../core/pages.ts';
import type { AdminParts } from '../core/parts.ts';
import { closed, Deleted } from '../core/schemas.ts';
import { parseTimeOrNull } from '../core/times.ts';
import { DEFAULT_ENVIRONMENT, domainFor, environmentQuery } from '../core/waitlist-scope.ts';
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
const EXAMPLE = { ...EXAMPLE_KEY, waitlistId: null };

const KeyRequest = Type.Object(
  { expiresAt },
  {
    ...named('ProductKeyRequest'),
    ...closed,
    description: 'A product key to create.',
    ...withExamples({
      lasting: { summary: 'A key that does not expire', value: {} },
      expiring: { summary: 'A key that expires', value: { expiresAt: '2027-02-13T09:30:00.000Z' } },
    }),
  },
);

const KeyParams = Type.Object(keyIdParam);
const EnvironmentQuery = Type.Object(environmentQuery, closed);
const unknownEnvironment = {
  not_found: { when: 'The environment does not exist.', message: 'there is no environment staging' },
};
const created = { ...EXAMPLE, key: EXAMPLE_SECRET };

const listSchema = adminSchema({
  operationId: 'listProductKeys',
  tag,
  summary: 'List product keys',
  description: 'Returns the product keys of one environment, without the keys themselves.',
  role: 'admin',
  querystring: Type.Object({ ...environmentQuery, ...pageQuery }, closed),
  answer: { description: 'A page of keys.', schema: KeyPage, example: { keys: [EXAMPLE], nextCursor: null } },
  errors: ['not_found'],
  special: unknownEnvironment,
});

const createSchema = adminSchema({
  operationId: 'createProductKey',
  tag,
  summary: 'Create a product key',
  description:
    'Creates a key that writes to and reads from every waitlist in one environment, and returns it, this once.',
  role: 'admin',
  querystring: EnvironmentQuery,
  body: KeyRequest,
  answer: { status: 201, description: 'The key was created.', schema: CreatedKeyObject, example: created },
  errors: ['not_found'],
  special: { ...unknownEnvironment, invalid_request: { message: 'expiresAt: must be in the future' } },
});

const rotateSchema = adminSchema({
  operationId: 'rotateProductKey',
  tag,
  summary: 'Rotate a product key',
  description: 'Creates a new product key. The old key keeps working during the overlap.',
  role: 'admin',
  params: KeyParams,
  querystring: EnvironmentQuery,
  body: Rotation,
  answer: { status: 201, description: 'The new key.', schema: CreatedKeyObject, example: created },
  errors: ['not_found'],
  special: { ...noSuchKey, invalid_request: { message: 'overlapMs: must be an integer' } },
});

const revokeSchema = adminSchema({
  operationId: 'revokeProductKey',
  tag,
  summary: 'Revoke a product key',
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

export function registerProductKeys(app: TypedApp, parts: AdminParts): void {
  const scopeOf = async ({ environment = DEFAULT_ENVIRONMENT }: { environment?: string | undefined }) => {
    await requireEnvironment(parts.waitlists, environment);
    return { waitlistId: null, environment };
  };

  app.get('/keys', { schema: listSchema }, async ({ query }) =>
    readKeys(parts.waitlists, await scopeOf(query), query),
  );

  app.post('/keys', { schema: createSchema }, async (request, reply) => {
    const { expiresAt: expiry = null } = request.body;
    const scope = await scopeOf(request.query);
    const input = { ...scope, canRead: true, expiresAt: parseTimeOrNull(expiry, 'expiresAt') };
    const key = presentCreatedKey(await createKey(domainFor(parts, request), input));
    reply.code(201);
    return key;
  });

  app.post('/keys/:keyId/rotate', { schema: rotateSchema }, async (request, reply) => {
    const { overlapMs = OVERLAP_MS } = request.body;
    const { keyId } = request.params;
    const scope = await scopeOf(request.query);
    const key = presentCreatedKey(await rotateKey(domainFor(parts, request), keyId, overlapMs, scope));
    reply.code(201);
    return key;
  });

  app.delete('/keys/:keyId', { schema: revokeSchema }, async (request) => {
    const { keyId: id } = request.params;
    await revokeKey(domainFor(parts, request), id, await scopeOf(request.query));
    return { id, deleted: true as const };
  });
}
