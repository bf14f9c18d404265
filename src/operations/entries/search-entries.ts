import Type from 'typebox';
import { invalid } from '../../lib/errors.ts';
import { referenceTo } from '../../operators/roles.ts';
import { FOUND_MAX, LOOKED_MAX, lookThrough } from '../../waitlist/finding/look-through.ts';
import { AdminEntrySchema, EXAMPLE_ADMIN_ENTRY, presentAdminEntry } from '../../wire/entry.ts';
import { COUNT_MAX, named } from '../../wire/schema.ts';
import { operation } from '../core/operation.ts';
import { formatCursor, nextCursorSchema, pageQuery, readCursor } from '../core/pages.ts';

export const SEARCH_CHARACTERS_MAX = 200;
/** Of pages. Nobody who asks for one after the other gets there. */
const PAGES_PER_MINUTE = 3_000;

const count = (description: string) => Type.Integer({ minimum: 0, maximum: COUNT_MAX, description });

const SearchedEntries = Type.Object(
  {
    entries: Type.Array(AdminEntrySchema, {
      maxItems: FOUND_MAX + 1,
      description:
        'Who was found on this page, in join order; on the first page, an exact match comes first.',
    }),
    looked: count('How many people this search has looked at so far, on all its pages.'),
    unreadable: count('How many of them could not be decrypted, and were skipped.'),
    total: count('How many people were on the waitlist when the search began.'),
    nextCursor: {
      ...nextCursorSchema,
      description:
        'Pass this as `cursor`, with the same `q`, to go on where this page stopped. `null` once everybody was looked at.',
    },
  },
  { ...named('SearchedEntries'), description: 'One page of a search, which can have found nobody.' },
);

/** Who looks, and their latest page. */
const latest = new Map<string, symbol>();

export const searchEntries = operation({
  id: 'searchEntries',
  at: 'GET /waitlists/:waitlistId/entries/search',
  tag: 'Entries',
  summary: 'Search through entries',
  description:
    'Finds people by parts of what is stored about them: of an email, a domain, a name or any other metadata value, an imported code, or the ' +
    'last digits of a phone number. Every word of `q` must occur, in any of these; case and accents do not matter. The data is encrypted ' +
    `and nothing of it is indexed, so everybody is decrypted and compared, in join order: up to ${LOOKED_MAX.toLocaleString('en')} people or ` +
    `${FOUND_MAX} matches on each page. Go on with \`nextCursor\`; a page that found nobody can have one. Those who join meanwhile are not looked at. ` +
    'An exact email, phone number, referral code or id, or a link that somebody has, is found at once, and first. Other requests go first, and the ' +
    'latest page that you ask for ends your others early. Recorded in the audit trail once for each search, without the text.',
  role: 'support',
  shows: 'people',
  takesTurns: true,
  perMinute: { name: 'search', limit: PAGES_PER_MINUTE },
  scope: 'queue',
  query: {
    q: Type.String({
      minLength: 1,
      maxLength: SEARCH_CHARACTERS_MAX,
      description: 'What to look for.',
      examples: ['lovelace'],
    }),
    cursor: pageQuery.cursor,
  },
  answer: {
    description: 'A page of the search.',
    schema: SearchedEntries,
    example: {
      entries: [EXAMPLE_ADMIN_ENTRY],
      looked: 10_000,
      unreadable: 0,
      total: 25_000,
      nextCursor: 'AYjPZ1mXQmWw5c0',
    },
  },
  errors: { invalid_request: { message: 'q: is required' } },
  run: async ({ context, parts, actor, queue, query: { q, cursor }, isOver }) => {
    const text = q.trim();
    if (text === '') throw invalid('q: is required');
    const caller = referenceTo(actor);
    const page = Symbol();
    latest.set(caller, page);
    try {
      const found = await lookThrough(
        context,
        queue,
        { text, caller, cursor: readCursor(cursor) },
        {
          inTurn: (step) => parts.searchTurn(caller, step),
          goesOn: () => latest.get(caller) === page && !isOver(),
          willLook: () =>
            context.db.transaction(async (trx) =>
              context.audit?.(trx, {
                action: 'entries.searched',
                object: { kind: 'waitlist', id: `${queue.waitlist.id}/${queue.environment}` },
              }),
            ),
        },
      );
      const { entries, looked, unreadable, total, next } = found;
      return {
        ...{ entries: entries.map(presentAdminEntry), looked, unreadable, total },
        nextCursor: formatCursor(next),
      };
    } finally {
      if (latest.get(caller) === page) latest.delete(caller);
    }
  },
});
