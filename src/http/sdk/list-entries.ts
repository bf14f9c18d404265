import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { STATUSES } from '../../db/tables.ts';
import { listEntries, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, SORTS } from '../../waitlist/entries/entries.ts';
import { queueForKey, requireRead } from '../../waitlist/keys/server-keys.ts';
import { errorResponses, okResponse } from '../responses.ts';
import { EXAMPLE_ENTRY, oneOf, ref, WaitlistId } from '../schemas.ts';
import type { SdkParts } from './parts.ts';

const Params = Type.Object({
  waitlistId: WaitlistId,
});

const Query = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PAGE_LIMIT_MAX,
        default: PAGE_LIMIT_DEFAULT,
        description: 'Most entries on a page.',
        examples: [100],
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        description:
          '`nextCursor` of the page before. Opaque, and good only for the query that it came from; `limit` may change.',
        examples: ['AYjPZ1mXQmWw5c0'],
      }),
    ),
    status: Type.Optional(
      oneOf(STATUSES, { description: 'Only entries of this status.', examples: ['waiting'] }),
    ),
    sort: Type.Optional(
      oneOf(SORTS, {
        default: 'joined',
        description:
          '`joined` lists in the order of joining, which never changes. `position` lists the waiting entries alone, front of the queue first.',
        examples: ['position'],
      }),
    ),
  },
  { additionalProperties: false },
);

const schema = {
  operationId: 'listEntries',
  tags: ['Entries'],
  summary: 'Page through entries',
  description:
    'Returns a page of the entries of a waitlist. Pass `nextCursor` back as `cursor` until it is `null`. ' +
    'A walk by `joined` to the end sees every entry that existed when it began exactly once, whatever moves meanwhile. ' +
    'Needs a server key with the grant `waitlist:read`.',
  security: [{ serverKey: [] }],
  params: Params,
  querystring: Query,
  response: {
    200: okResponse({
      description: 'A page of entries.',
      schema: Type.Object({
        entries: Type.Array(ref('Entry'), { description: 'The entries, in the order asked for.' }),
        total: Type.Integer({ minimum: 0, description: 'How many entries the query selects on all pages.' }),
        nextCursor: Type.Unsafe({
          type: ['string', 'null'],
          description: 'Where the next page begins; null on the last one.',
        }),
      }),
      examples: {
        first: {
          summary: 'There are more pages.',
          value: { entries: [EXAMPLE_ENTRY], total: 1280, nextCursor: 'AYjPZ1mXQmWw5c0' },
        },
        last: { summary: 'This is all.', value: { entries: [EXAMPLE_ENTRY], total: 1, nextCursor: null } },
      },
    }),
    ...errorResponses(['invalid_request', 'unauthorized', 'forbidden', 'not_found', 'rate_limited'], {
      invalid_request: {
        when: 'A query parameter is unknown or out of range, or the cursor is damaged or from another query.',
        message: 'cursor: does not belong to this query, or is damaged',
      },
    }),
  },
};

export function registerListEntries(app: FastifyInstance, { context, requireKey }: SdkParts): void {
  app.get('/:waitlistId/entries', {
    schema,
    onRequest: requireKey,
    handler: async (request) => {
      requireRead(request.serverKey);
      const { waitlistId } = request.params as Static<typeof Params>;
      const queue = await queueForKey(context, request.serverKey, waitlistId);
      const { limit = PAGE_LIMIT_DEFAULT, sort = 'joined', ...rest } = request.query as Static<typeof Query>;
      return listEntries(context, queue, { limit, sort, ...rest });
    },
  });
}
