import Type, { type Static } from 'typebox';
import { invalid } from '../../lib/errors.ts';
import { formatId, parseId } from '../../lib/ids.ts';
import { DAY_MS } from '../../lib/time.ts';
import { type KeyScope, listKeys } from '../../waitlist/keys/list-keys.ts';
import { createKey, revokeKey, rotateKey } from '../../waitlist/keys/server-keys.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { presentCreatedKey, presentKey } from '../../wire/keys.ts';
import { named, withExamples } from '../../wire/schema.ts';
import { operation } from '../core/operation.ts';
import { PAGE_LIMIT_DEFAULT, pageOf, pageQuery } from '../core/pages.ts';
import { closed, Deleted } from '../core/schemas.ts';
import { parseTimeOrNull } from '../core/times.ts';
import {
  CreatedKeyObject,
  EXAMPLE_KEY,
  EXAMPLE_SECRET,
  expiresAt,
  KeyPage,
  type KeyShape,
  keyId,
  keyName,
  Rotation,
} from './server-key-schemas.ts';

/** Long enough to deploy the new key everywhere. */
const OVERLAP_MS = DAY_MS;
const EXAMPLE_PRODUCT_KEY = { ...EXAMPLE_KEY, waitlistId: null };

const WaitlistKeyRequest = Type.Object(
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
const ProductKeyRequest = Type.Object(
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

const every = { tag: 'Server keys', role: 'admin' } as const;
const listing = (example: KeyShape) =>
  ({
    ...every,
    query: pageQuery,
    answer: {
      description: 'A page of keys.',
      schema: KeyPage,
      example: { keys: [example], nextCursor: null },
    },
  }) as const;
const created = (description: string, example: KeyShape) =>
  ({
    status: 201,
    description,
    schema: CreatedKeyObject,
    example: { ...example, key: EXAMPLE_SECRET },
  }) as const;
const invalidExpiry = { invalid_request: { message: 'expiresAt: must be in the future' } };
const noSuchKey = {
  not_found: {
    when: 'There is no such key, or it has expired or was revoked.',
    message: `there is no active key ${EXAMPLE_KEY.id}`,
  },
};
const rotation = (example: KeyShape) =>
  ({
    ...every,
    params: { keyId },
    body: Rotation,
    answer: created('The new key.', example),
    errors: { ...noSuchKey, invalid_request: { message: 'overlapMs: must be an integer' } },
  }) as const;
const revocation = {
  ...every,
  description: 'The key stops working at once. It stays in the list.',
  params: { keyId },
  answer: {
    description: 'The key was revoked.',
    schema: Deleted,
    example: { id: EXAMPLE_KEY.id, deleted: true },
  },
  errors: noSuchKey,
} as const;

export const waitlistKeys = [
  operation({
    ...listing(EXAMPLE_KEY),
    id: 'listWaitlistKeys',
    at: 'GET /waitlists/:waitlistId/keys',
    summary: 'List the keys of a waitlist',
    description: 'Returns the keys of one environment, without the keys themselves.',
    scope: 'queue',
    run: ({ context, queue, query }) => readPage(context, scopeOf(queue), query),
  }),
  operation({
    ...every,
    id: 'createWaitlistKey',
    at: 'POST /waitlists/:waitlistId/keys',
    summary: 'Create a key for a waitlist',
    description: 'Creates a server key for one environment and returns it, this once.',
    scope: 'queue',
    body: WaitlistKeyRequest,
    answer: created('The key was created.', EXAMPLE_KEY),
    errors: invalidExpiry,
    run: ({ context, queue, body: { canRead = false, ...rest } }) =>
      create(context, { ...scopeOf(queue), canRead }, rest),
  }),
  operation({
    ...rotation(EXAMPLE_KEY),
    id: 'rotateWaitlistKey',
    at: 'POST /waitlists/:waitlistId/keys/:keyId/rotate',
    summary: 'Rotate a key of a waitlist',
    description: 'Creates a key with the same grants. The old key keeps working during the overlap.',
    scope: 'queue',
    run: ({ context, queue, params, body }) => rotate(context, params, body, scopeOf(queue)),
  }),
  operation({
    ...revocation,
    id: 'revokeWaitlistKey',
    at: 'DELETE /waitlists/:waitlistId/keys/:keyId',
    summary: 'Revoke a key of a waitlist',
    scope: 'queue',
    run: ({ context, queue, params }) => revoke(context, params, scopeOf(queue)),
  }),
];

export const productKeys = [
  operation({
    ...listing(EXAMPLE_PRODUCT_KEY),
    id: 'listProductKeys',
    at: 'GET /keys',
    summary: 'List product keys',
    description: 'Returns the product keys of one environment, without the keys themselves.',
    scope: 'environment',
    run: ({ context, environment, query }) => readPage(context, { waitlistId: null, environment }, query),
  }),
  operation({
    ...every,
    id: 'createProductKey',
    at: 'POST /keys',
    summary: 'Create a product key',
    description:
      'Creates a key that writes to and reads from every waitlist in one environment, and returns it, this once.',
    scope: 'environment',
    body: ProductKeyRequest,
    answer: created('The key was created.', EXAMPLE_PRODUCT_KEY),
    errors: invalidExpiry,
    run: ({ context, environment, body }) =>
      create(context, { waitlistId: null, environment, canRead: true }, body),
  }),
  operation({
    ...rotation(EXAMPLE_PRODUCT_KEY),
    id: 'rotateProductKey',
    at: 'POST /keys/:keyId/rotate',
    summary: 'Rotate a product key',
    description: 'Creates a new product key. The old key keeps working during the overlap.',
    scope: 'environment',
    run: ({ context, environment, params, body }) =>
      rotate(context, params, body, { waitlistId: null, environment }),
  }),
  operation({
    ...revocation,
    id: 'revokeProductKey',
    at: 'DELETE /keys/:keyId',
    summary: 'Revoke a product key',
    scope: 'environment',
    run: ({ context, environment, params }) => revoke(context, params, { waitlistId: null, environment }),
  }),
];

function scopeOf({ waitlist, environment }: Queue): KeyScope {
  return { waitlistId: waitlist.id, environment };
}

async function readPage(
  context: Context,
  scope: KeyScope,
  { limit = PAGE_LIMIT_DEFAULT, cursor }: { limit?: number; cursor?: string },
): Promise<Static<typeof KeyPage>> {
  if (cursor !== undefined && !parseId('key', cursor)) throw invalid('cursor: is not from this list');
  const found = await listKeys(context, { scope, after: cursor, limit: limit + 1 });
  const page = pageOf(found, limit, ({ id }) => formatId('key', id));
  return { keys: page.items.map(presentKey), nextCursor: page.nextCursor };
}

async function create(
  context: Context,
  scope: KeyScope & { canRead: boolean },
  { name, expiresAt = null }: Static<typeof ProductKeyRequest>,
) {
  const input = { ...scope, name, expiresAt: parseTimeOrNull(expiresAt, 'expiresAt') };
  return presentCreatedKey(await createKey(context, input));
}

interface KeyParams {
  keyId: string;
}

async function rotate(
  context: Context,
  { keyId }: KeyParams,
  { overlapMs = OVERLAP_MS }: Static<typeof Rotation>,
  scope: KeyScope,
) {
  return presentCreatedKey(await rotateKey(context, keyId, overlapMs, scope));
}

async function revoke(context: Context, { keyId: id }: KeyParams, scope: KeyScope) {
  await revokeKey(context, id, scope);
  return { id, deleted: true as const };
}
