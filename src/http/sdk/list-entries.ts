import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { STATUSES } from '../../db/tables.ts';
import { listEntries, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, SORTS } from '../../waitlist/entries.ts';
import { queueForKey, requireRead } from '../../waitlist/server-keys.ts';
import { EXAMPLE_ENTRY, errorResponses, okResponse, oneOf, ref } from '../schemas.ts';
import type { SdkParts } from './parts.ts';

const Params = Type.Object({
  waitlistId: Type.String({ description: 'Short waitlist id.', examples: ['wl_acme'] }),
});

const Query = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PAGE_LIMIT_MAX,
        default: PAGE_LIMIT_DEFAULT,
        description: 'Entries a page.',
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        description: '`nextCursor` of the page before. Good only for the query that it came from.',
      }),
    ),
    status: Type.Optional(oneOf(STATUSES, { description: 'Only entries of this status.' })),
    sort: Type.Optional(
      oneOf(SORTS, {
        default: 'joined',
        description:
          '`joined`: the order of joining, which never changes. `position`: the waiting entries, front of the queue first.',
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
    'A walk by `joined` to the end sees every entry that existed when it began exactly once, whatever moves meanwhile.',
  security: [{ serverKey: [] }],
  params: Params,
  querystring: Query,
  response: {
    200: okResponse(
      'A page of entries.',
      Type.Object(
        {
          entries: Type.Array(ref('Entry')),
          total: Type.Integer({ minimum: 0, description: 'How many entries the query selects in all.' }),
          nextCursor: Type.Unsafe({ type: ['string', 'null'], description: 'null on the last page.' }),
        },
        { additionalProperties: false },
      ),
      { page: { entries: [EXAMPLE_ENTRY], total: 1, nextCursor: null } },
    ),
    ...errorResponses('invalid_request', 'unauthorized', 'forbidden', 'not_found', 'rate_limited'),
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
