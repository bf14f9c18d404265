import Type, { type Static } from 'typebox';
import {
  type EntryPage,
  listEntries,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  SORTS,
} from '../../waitlist/entries/entries.ts';
import { queueForKey, requireRead } from '../../waitlist/keys/find-key.ts';
import { EntrySchema, EntryStatusSchema, EXAMPLE_ENTRY, presentEntry } from '../../wire/entry.ts';
import { described, limits, named, nullable, oneOf } from '../../wire/schema.ts';
import { WaitlistIdSchema } from '../../wire/waitlist.ts';
import { errorResponses, okResponse } from '../responses.ts';
import type { TypedApp } from '../typed-app.ts';
import type { SdkParts } from './sdk-parts.ts';

const CURSOR = { pattern: '^[A-Za-z0-9_-]+$', maxLength: 2_048 };

const Params = Type.Object({
  waitlistId: WaitlistIdSchema,
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
      ...described(EntryStatusSchema, 'Only return entries with this status.'),
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

const EntryPageSchema = Type.Object(
  {
    entries: Type.Array(EntrySchema, {
      maxItems: PAGE_LIMIT_MAX,
      description: 'The entries on this page, in the requested order.',
    }),
    total: Type.Integer({ minimum: 0, description: 'Number of entries on all pages.' }),
    nextCursor: nullable<string>('string', {
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
      schema: EntryPageSchema,
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
        message: 'cursor: is invalid or belongs to a different query',
      },
    }),
  },
};

export function registerListEntries(app: TypedApp, { context, requireKey, pageTurn }: SdkParts): void {
  app.get('/:waitlistId/entries', {
    schema,
    config: { takesTurns: true },
    onRequest: requireKey,
    handler: async (request) => {
      requireRead(request.serverKey);
      const { waitlistId } = request.params;
      const queue = await queueForKey(context, request.serverKey, waitlistId);
      const { limit = PAGE_LIMIT_DEFAULT, sort = 'joined', status, cursor } = request.query;
      const after = cursor === undefined ? undefined : readCursor(cursor);
      return pageTurn(request.serverKey.publicId, async () =>
        presentPage(await listEntries(context, queue, { limit, sort, status, cursor: after })),
      );
    },
  });
}

export type PresentedPage = Static<typeof EntryPageSchema>;

function presentPage({ entries, total, next }: EntryPage): PresentedPage {
  const nextCursor = next && Buffer.from(next).toString('base64url');
  return { entries: entries.map(presentEntry), total, nextCursor };
}

/**
 * Text that `presentPage` cannot have written becomes an empty cursor, which fails to open like a damaged
 * one.
 */
function readCursor(text: string): Uint8Array {
  const cursor = Buffer.from(text, 'base64url');
  return cursor.toString('base64url') === text ? cursor : Buffer.alloc(0);
}
