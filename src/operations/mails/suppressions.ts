import Type from 'typebox';
import { invalid } from '../../lib/errors.ts';
import { presentSuppression } from '../../mail/present.ts';
import { findSuppressedPeople } from '../../waitlist/links/suppressed-people.ts';
import { pageSuppressions, SUPPRESSION_REASONS, unsuppress } from '../../waitlist/links/suppression.ts';
import { EMAIL, limits, named, oneOf, time } from '../../wire/schema.ts';
import { operation } from '../core/operation.ts';
import { nextCursorSchema, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, pageOf, pageQuery } from '../core/pages.ts';
import { Deleted } from '../core/schemas.ts';
import { tag, textOrNull } from './mail.ts';

const SuppressionPage = Type.Object(
  {
    suppressions: Type.Array(
      Type.Object(
        {
          hash: Type.String({ description: 'Beginning of the keyed hash of the address.' }),
          email: textOrNull(
            'The address, if it is on the waitlist or was invited. Otherwise, only its hash is stored.',
          ),
          entryId: textOrNull('The entry with this email. `null` if it is not on the waitlist.'),
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

export const suppressions = [
  operation({
    id: 'listSuppressions',
    at: 'GET /waitlists/:waitlistId/suppressions',
    tag,
    summary: 'List suppressed addresses',
    description:
      'Returns the addresses that get no emails. Only their hashes are stored: an address can be read while it is on the waitlist, or ' +
      'has an invite. Reading them is recorded in the audit trail, once per hour.',
    role: 'support',
    scope: 'queue',
    query: pageQuery,
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
    shows: 'people',
    run: async ({ context, queue, query: { limit = PAGE_LIMIT_DEFAULT, cursor } }) => {
      const after = cursor === undefined ? undefined : parseCursor(cursor);
      const found = await pageSuppressions(context, queue, { limit: limit + 1, after });
      const { items, nextCursor } = pageOf(found, limit, cursorOf);
      const people = await findSuppressedPeople(context, queue, items);
      return { suppressions: people.map(presentSuppression), nextCursor };
    },
  }),
  operation({
    id: 'removeSuppression',
    at: 'DELETE /waitlists/:waitlistId/suppressions/:email',
    tag,
    summary: 'Remove a suppressed address',
    description: 'The address gets emails again.',
    role: 'admin',
    scope: 'queue',
    params: {
      email: Type.String({ ...limits(EMAIL), description: 'Email address.', examples: ['ada@example.com'] }),
    },
    answer: {
      description: 'The address is no longer suppressed.',
      schema: Deleted,
      example: { id: 'ada@example.com', deleted: true },
    },
    errors: {
      not_found: { when: 'The address is not suppressed.', message: 'this address is not suppressed' },
    },
    run: async ({ context, queue, params: { email } }) => {
      await unsuppress(context, queue, email);
      return { id: email, deleted: true as const };
    },
  }),
];

function cursorOf({ emailHash, reason }: { emailHash: Uint8Array; reason: string }): string {
  return `${Buffer.from(emailHash).toString('base64url')}.${reason}`;
}

function parseCursor(cursor: string): { hash: Buffer; reason: string } {
  const [, hash, reason] = /^([A-Za-z0-9_-]{43})\.([a-z]+)$/.exec(cursor) ?? [];
  if (hash === undefined || reason === undefined)
    throw invalid('cursor: must be the nextCursor of the previous page');
  return { hash: Buffer.from(hash, 'base64url'), reason };
}
