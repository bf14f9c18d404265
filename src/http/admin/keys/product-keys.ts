import Type from 'typebox';
import { closed } from '../../../operations/core/schemas.ts';
import { parseTimeOrNull } from '../../../operations/core/times.ts';
import { createKey, revokeKey, rotateKey } from '../../../waitlist/keys/server-keys.ts';
import { DEFAULT_ENVIRONMENT } from '../../../waitlist/queue/registry.ts';
import { requireEnvironment } from '../../../waitlist/settings/environments.ts';
import { named, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { domainFor } from '../core/waitlist-scope.ts';
import { answerCreated, creation, invalidExpiry, listing, revocation, rotation } from './operations.ts';
import { EXAMPLE_KEY, expiresAt, keyIdParam, keyName, OVERLAP_MS, readKeys } from './schemas.ts';

const EXAMPLE = { ...EXAMPLE_KEY, waitlistId: null };

const KeyRequest = Type.Object(
  { name: keyName, expiresAt },
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
const unknownEnvironment = {
  not_found: { when: 'The environment does not exist.', message: 'there is no environment staging' },
};

const listSchema = adminSchema({
  ...listing(EXAMPLE),
  operationId: 'listProductKeys',
  summary: 'List product keys',
  description: 'Returns the product keys of one environment, without the keys themselves.',
  special: unknownEnvironment,
});

const createSchema = adminSchema({
  ...creation(EXAMPLE),
  operationId: 'createProductKey',
  summary: 'Create a product key',
  description:
    'Creates a key that writes to and reads from every waitlist in one environment, and returns it, this once.',
  body: KeyRequest,
  special: { ...unknownEnvironment, ...invalidExpiry },
});

const rotateSchema = adminSchema({
  ...rotation(EXAMPLE),
  operationId: 'rotateProductKey',
  summary: 'Rotate a product key',
  description: 'Creates a new product key. The old key keeps working during the overlap.',
  params: KeyParams,
});

const revokeSchema = adminSchema({
  ...revocation,
  operationId: 'revokeProductKey',
  write: true,
  summary: 'Revoke a product key',
  description: 'The key stops working at once. It stays in the list.',
  params: KeyParams,
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
    const { name, expiresAt: expiry = null } = request.body;
    const scope = await scopeOf(request.query);
    const input = { ...scope, name, canRead: true, expiresAt: parseTimeOrNull(expiry, 'expiresAt') };
    return answerCreated(reply, createKey(domainFor(parts, request), input));
  });

  app.post('/keys/:keyId/rotate', { schema: rotateSchema }, async (request, reply) => {
    const { overlapMs = OVERLAP_MS } = request.body;
    const { keyId } = request.params;
    const scope = await scopeOf(request.query);
    return answerCreated(reply, rotateKey(domainFor(parts, request), keyId, overlapMs, scope));
  });

  app.delete('/keys/:keyId', { schema: revokeSchema }, async (request) => {
    const { keyId: id } = request.params;
    await revokeKey(domainFor(parts, request), id, await scopeOf(request.query));
    return { id, deleted: true as const };
  });
}
