import Type from 'typebox';
import { invalid } from '../../../lib/errors.ts';
import { presentSuppression } from '../../../mail/present.ts';
import {
  nextCursorSchema,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  pageQuery,
} from '../../../operations/core/pages.ts';
import { closed, Deleted } from '../../../operations/core/schemas.ts';
import { findSuppressedPeople } from '../../../waitlist/links/suppressed-people.ts';
import { pageSuppressions, SUPPRESSION_REASONS, unsuppress } from '../../../waitlist/links/suppression.ts';
import { EMAIL, limits, named, nullable, oneOf, time } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { queueToRead } from '../core/reading.ts';
import { domainFor, environmentQuery, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';
import { EnvironmentQuery, NO_WAITLIST, tag, WaitlistParams } from './scope.ts';

const SuppressionPage = Type.Object(
  {
    suppressions: Type.Array(
      Type.Object(
        {
          hash: Type.String({ description: 'Beginning of the keyed hash of the address.' }),
          email: nullable<string>('string', {
            description:
              'The address, if it is on the waitlist or was invited. Otherwise, only its hash is stored.',
          }),
          entryId: nullable<string>('string', {
            description: 'The entry with this email. `null` if it is not on the waitlist.',
          }),
          reason: oneOf(SUPPRESSION_REASONS, {
            description:
              'Why it gets no emails. `complained`: the person reported an email as spam, and counts as unsubscribed.',
          }),
          since: time('Since when.'),
        },
        { ...named('Suppression'), description: 'An address that gets no emails.' },
      ),
      { maxItems: PAGE_LIMIT_MAX, description: 'In no meaningful order.' },
    ),
    nextCursor: nextCursorSchema,
  },
  { ...named('SuppressionPage'), description: 'One page of suppressed addresses.' },
);

const SuppressionParams = Type.Object({
  ...waitlistParams,
  email: Type.String({ ...limits(EMAIL), description: 'Email address.', examples: ['ada@example.com'] }),
});

const listSchema = adminSchema({
  operationId: 'listSuppressions',
  tag,
  summary: 'List suppressed addresses',
  description:
    'Returns the addresses that get no emails. Only their hashes are stored: an address can be read while it is on the waitlist, or ' +
    'has an invite. Reading them is recorded in the audit trail, once per hour.',
  role: 'support',
  params: WaitlistParams,
  querystring: Type.Object({ ...environmentQuery, ...pageQuery }, closed),
  answer: {
    description: 'A page of suppressed addresses.',
    schema: SuppressionPage,
    example: {
      suppressions: [
        {
          hash: '9f2c4b1a7d3e5f60',
          email: 'ada@example.com',
          entryId: 'ent_06gxx2p9r1yn1vp1ryss481fhw',
          reason: 'bounced',
          since: '2026-11-15T09:30:00.000Z',
        },
      ],
      nextCursor: null,
    },
  },
  errors: ['not_found'],
  special: NO_WAITLIST,
});

const removeSchema = adminSchema({
  operationId: 'removeSuppression',
  write: true,
  tag,
  summary: 'Remove a suppressed address',
  description: 'The address gets emails again.',
  role: 'admin',
  params: SuppressionParams,
  querystring: EnvironmentQuery,
  answer: {
    description: 'The address is no longer suppressed.',
    schema: Deleted,
    example: { id: 'ada@example.com', deleted: true },
  },
  errors: ['not_found'],
  special: {
    not_found: { when: 'The address is not suppressed.', message: 'this address is not suppressed' },
  },
});

export function registerSuppressions(app: TypedApp, parts: AdminParts): void {
  const path = '/waitlists/:waitlistId/suppressions';
  app.get(path, { schema: listSchema }, async (request) => {
    const { query } = request;
    const queue = await queueToRead(parts, request);
    const { limit = PAGE_LIMIT_DEFAULT, cursor } = query;
    const after = cursor === undefined ? undefined : parseCursor(cursor);
    const found = await pageSuppressions(parts.waitlists, queue, { limit: limit + 1, after });
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return {
      suppressions: (await findSuppressedPeople(parts.waitlists, queue, page)).map(presentSuppression),
      nextCursor: last ? cursorOf(last.emailHash, last.reason) : null,
    };
  });

  app.delete(`${path}/:email`, { schema: removeSchema }, async (request) => {
    const { params, query } = request;
    const queue = await requireQueue(parts, params, query);
    await unsuppress(domainFor(parts, request), queue, params.email);
    return { id: params.email, deleted: true as const };
  });
}

function cursorOf(hash: Uint8Array, reason: string): string {
  return `${Buffer.from(hash).toString('base64url')}.${reason}`;
}

function parseCursor(cursor: string): { hash: Buffer; reason: string } {
  const [, hash, reason] = /^([A-Za-z0-9_-]{43})\.([a-z]+)$/.exec(cursor) ?? [];
  if (hash === undefined || reason === undefined)
    throw invalid('cursor: must be the nextCursor of the previous page');
  return { hash: Buffer.from(hash, 'base64url'), reason };
}
