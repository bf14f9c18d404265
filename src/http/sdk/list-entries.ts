import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { listEntries, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, SORTS } from '../../waitlist/entries/entries.ts';
import { queueForKey, requireRead } from '../../waitlist/keys/server-keys.ts';
import { errorResponses, okResponse } from '../responses.ts';
import {
  CURSOR,
  described,
  Entry,
  EntryStatus,
  EXAMPLE_ENTRY,
  limits,
  named,
  oneOf,
  WaitlistId,
} from '../schemas.ts';
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
        description: 'Maximum number of entries to return.',
        examples: [100],
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        ...limits(CURSOR),
        description:
          'The `nextCursor` of the previous page. Only valid with the same `status` and `sort`; `limit` can change.',
        examples: ['AYjPZ1mXQmWw5c0'],
      }),
    ),
    status: Type.Optional({
      ...described(EntryStatus, 'Only return entries with this status.'),
      examples: ['waiting'],
    }),
    sort: Type.Optional(
      oneOf(SORTS, {
        default: 'joined',
        description:
          '`joined` returns entries in the order they joined, which never changes. `position` returns only waiting entries, front of the queue first.',
        examples: ['position'],
      }),
    ),
  },
  { additionalProperties: false },
);

const EntryPage = Type.Object(
  {
    entries: Type.Array(Entry, {
      maxItems: PAGE_LIMIT_MAX,
      description: 'The entries on this page, in the requested order.',
    }),
    total: Type.Integer({ minimum: 0, description: 'Number of entries on all pages.' }),
    nextCursor: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      ...CURSOR,
      description: 'Pass this as `cursor` to get the next page. `null` on the last page.',
    }),
  },
  { ...named('EntryPage'), description: 'One page of entries.' },
);

const schema = {
  operationId: 'listEntries',
  tags: ['Entries'],
  summary: 'List entries',
  description:
    'Returns a page of entries. To get all of them, pass `nextCursor` as `cursor` until it is `null`. ' +
    'When sorted by `joined`, every entry that existed when you started is returned exactly once, even if entries change in the meantime. ' +
    'Requires the `waitlist:read` grant.',
  security: [{ serverKey: [] }],
  params: Params,
  querystring: Query,
  response: {
    200: okResponse({
      description: 'A page of entries.',
      schema: EntryPage,
      examples: {
        first: {
          summary: 'There are more pages',
          value: { entries: [EXAMPLE_ENTRY], total: 1280, nextCursor: 'AYjPZ1mXQmWw5c0' },
        },
        last: { summary: 'The last page', value: { entries: [EXAMPLE_ENTRY], total: 1, nextCursor: null } },
      },
    }),
    ...errorResponses(['invalid_request', 'unauthorized', 'forbidden', 'not_found', 'rate_limited'], {
      invalid_request: {
        when: 'A query parameter is unknown or out of range, or the cursor is damaged or belongs to another query.',
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
