import Type from 'typebox';
import { invalid } from '../../../lib/errors.ts';
import { formatCursor, readCursor } from '../../../operations/core/cursors.ts';
import {
  nextCursorSchema,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  pageQuery,
} from '../../../operations/core/pages.ts';
import { closed } from '../../../operations/core/schemas.ts';
import { agreedStatus, segmentOfQuery, segmentQuery } from '../../../operations/core/segments.ts';
import { browseEntries, isEntryId } from '../../../waitlist/entries/browse-entries.ts';
import { SORTS } from '../../../waitlist/entries/entries.ts';
import { searchEntry } from '../../../waitlist/finding/search-entry.ts';
import {
  AdminEntrySchema,
  EntryStatusSchema,
  EXAMPLE_ADMIN_ENTRY,
  presentAdminEntry,
} from '../../../wire/entry.ts';
import { maskFor } from '../../../wire/mask.ts';
import { COUNT_MAX, described, IDENTIFIER, named, nullable, oneOf } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { recordRead, refuseToViewers } from '../core/reading.ts';
import { environmentQuery, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';

const Query = Type.Object(
  {
    ...environmentQuery,
    ...pageQuery,
    at: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: COUNT_MAX,
        description:
          'Start with this entry, counted from 0, instead of a cursor: the nth in line with `sort=position`, or the nth that joined. ' +
          'Takes no longer for the millionth than for the first.',
        examples: [1000],
      }),
    ),
    sort: Type.Optional(
      oneOf(SORTS, {
        description:
          '`joined`, the default, is the order in which entries joined. `position` returns the waiting entries, front of the queue first.',
        examples: ['position'],
      }),
    ),
    status: Type.Optional({
      ...described(EntryStatusSchema, 'Only entries with this status.'),
      examples: ['waiting'],
    }),
    ...segmentQuery,
    search: Type.Optional(
      Type.String({
        ...IDENTIFIER,
        description:
          'Find one entry by its exact email, phone number, referral code or id, or by a link that the person has: to confirm, to their ' +
          'status, to accept an invite, or to share. Cannot be combined with other conditions. ' +
          'Viewers can only search by id.',
        examples: ['ada@example.com'],
      }),
    ),
  },
  closed,
);

const Page = Type.Object(
  {
    entries: Type.Array(AdminEntrySchema, {
      maxItems: PAGE_LIMIT_MAX,
      description: 'The entries on this page, in the requested order.',
    }),
    total: nullable<number>('integer', {
      minimum: 0,
      description:
        'Number of entries on all pages. `null` if more than 10,000 meet the conditions of a segment.',
    }),
    nextCursor: nextCursorSchema,
  },
  { ...named('EntryPage'), description: 'One page of entries.' },
);

const schema = adminSchema({
  operationId: 'listEntries',
  tag: 'Entries',
  summary: 'List or search entries',
  description:
    'Returns a page of entries: everyone, one status, or a segment. Viewers get masked entries, and are refused `where`, saved ' +
    'segments with it, and any `search` except by id. Reading unmasked entries is recorded in the audit trail, once per hour, and so are refused questions.',
  role: 'viewer',
  params: Type.Object(waitlistParams),
  querystring: Query,
  answer: {
    description: 'A page of entries.',
    schema: Page,
    example: { entries: [EXAMPLE_ADMIN_ENTRY], total: 1280, nextCursor: 'AYjPZ1mXQmWw5c0' },
  },
  errors: ['not_found'],
  special: {
    forbidden: {
      when: 'The role is not sufficient, or a viewer sent `where` or a `search` that is not an id.',
      message: 'where: requires the support role, because it tells about people',
    },
    not_found: { when: 'The waitlist does not exist.', message: 'there is no waitlist wl_acme' },
  },
});

export function registerListEntries(app: TypedApp, parts: AdminParts): void {
  const { waitlists } = parts;
  app.get('/waitlists/:waitlistId/entries', { schema, config: { takesTurns: true } }, async (request) => {
    const { params, query, caller } = request;
    const queue = await requireQueue(parts, params, query);
    const { environment, limit = PAGE_LIMIT_DEFAULT, cursor, at, sort = 'joined', status, ...rest } = query;
    const { search, ...conditions } = rest;
    const mask = maskFor(caller.actor.role);
    if (query.where !== undefined) await refuseToViewers(parts, request, queue, 'where');
    if (search !== undefined && !isEntryId(search)) await refuseToViewers(parts, request, queue, 'search');
    await recordRead(parts, request, queue);
    if (search !== undefined) {
      const other = Object.keys(query).find((name) => !['search', 'environment', 'limit'].includes(name));
      if (other !== undefined) throw invalid(`search: cannot be combined with ${other}`);
      const found = await searchEntry(waitlists, queue, search);
      const entries = found ? [mask.entry(presentAdminEntry(found))] : [];
      return { entries, total: entries.length, nextCursor: null };
    }
    const { status: only, ...segment } = await segmentOfQuery(waitlists, queue, conditions);
    if (segment.pairs && query.where === undefined) await refuseToViewers(parts, request, queue, 'saved');
    const { kind, id } = caller.actor;
    return parts.pageTurn(`${kind} ${id}`, async () => {
      const page = await browseEntries(waitlists, queue, {
        ...{ limit, sort, status: agreedStatus(only, status), at, segment },
        cursor: readCursor(cursor),
      });
      const entries = page.entries.map((entry) => mask.entry(presentAdminEntry(entry)));
      return { entries, total: page.total, nextCursor: formatCursor(page.next) };
    });
  });
}
