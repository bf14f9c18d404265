import Type from 'typebox';
import { pageQuery } from '../../../operations/core/pages.ts';
import { closed, Deleted } from '../../../operations/core/schemas.ts';
import type { CreatedKey } from '../../../waitlist/keys/server-keys.ts';
import { presentCreatedKey } from '../../../wire/server-key.ts';
import { environmentQuery } from '../core/waitlist-scope.ts';
import {
  CreatedKeyObject,
  EXAMPLE_KEY,
  EXAMPLE_SECRET,
  KeyPage,
  type KeyShape,
  noSuchKey,
  Rotation,
} from './schemas.ts';

// What waitlist keys and product keys have in common.

const every = { tag: 'Server keys', role: 'admin', errors: ['not_found'] } as const;
const EnvironmentQuery = Type.Object(environmentQuery, closed);

export const listing = (example: KeyShape) =>
  ({
    ...every,
    querystring: Type.Object({ ...environmentQuery, ...pageQuery }, closed),
    answer: {
      description: 'A page of keys.',
      schema: KeyPage,
      example: { keys: [example], nextCursor: null },
    },
  }) as const;

const createdKey = (description: string, example: KeyShape) =>
  ({
    status: 201,
    description,
    schema: CreatedKeyObject,
    example: { ...example, key: EXAMPLE_SECRET },
  }) as const;

export const creation = (example: KeyShape) =>
  ({ ...every, querystring: EnvironmentQuery, answer: createdKey('The key was created.', example) }) as const;

export const invalidExpiry = { invalid_request: { message: 'expiresAt: must be in the future' } };

export const rotation = (example: KeyShape) =>
  ({
    ...every,
    querystring: EnvironmentQuery,
    body: Rotation,
    answer: createdKey('The new key.', example),
    special: { ...noSuchKey, invalid_request: { message: 'overlapMs: must be an integer' } },
  }) as const;

export const revocation = {
  ...every,
  querystring: EnvironmentQuery,
  answer: {
    description: 'The key was revoked.',
    schema: Deleted,
    example: { id: EXAMPLE_KEY.id, deleted: true },
  },
  special: noSuchKey,
} as const;

export async function answerCreated(
  reply: { code(status: 201): unknown },
  creating: Promise<CreatedKey>,
): Promise<ReturnType<typeof presentCreatedKey>> {
  const key = presentCreatedKey(await creating);
  reply.code(201);
  return key;
}
