import Type from 'typebox';
import { DoorlistError, invalid, notFound } from '../../lib/errors.ts';
import { mailableTo, signupMail } from '../../mail/mailable.ts';
import { mayActAs, referenceTo } from '../../operators/roles.ts';
import { browseEntries, isEntryId, readEntry } from '../../waitlist/entries/browse-entries.ts';
import { entriesBySeq, SORTS } from '../../waitlist/entries/entries.ts';
import { eraseEntry } from '../../waitlist/entries/erase-entry.ts';
import { updateEntry } from '../../waitlist/entries/update-entry.ts';
import { searchEntry } from '../../waitlist/finding/search-entry.ts';
import { removeEntry, restoreEntry } from '../../waitlist/invites/removal.ts';
import { mergeEntries, previewMerge } from '../../waitlist/merging/merge-entries.ts';
import { PHONE_CHARACTERS_MAX } from '../../waitlist/people/identity.ts';
import { METADATA_BYTES_MAX } from '../../waitlist/people/person.ts';
import { addPerson } from '../../waitlist/signup/signup.ts';
import { parsePerson } from '../../waitlist/signup/signup-input.ts';
import {
  AdminEntrySchema,
  EntryStatusSchema,
  EXAMPLE_ADMIN_ENTRY,
  presentAdminEntry,
} from '../../wire/entry.ts';
import {
  COUNT_MAX,
  described,
  EMAIL,
  IDENTIFIER,
  limits,
  named,
  nullable,
  oneOf,
  WORD,
  withExamples,
} from '../../wire/schema.ts';
import { EXAMPLE_MAILABLE, MailableSchema, presentMailable } from '../core/mailable.ts';
import { OtherAnswer, operation } from '../core/operation.ts';
import {
  formatCursor,
  nextCursorSchema,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  pageQuery,
  readCursor,
} from '../core/pages.ts';
import { refuseToViewers } from '../core/reading.ts';
import { closed, Deleted } from '../core/schemas.ts';
import { entryParams as params } from '../core/scope.ts';
import { agreedStatus, segmentOfQuery, segmentQuery } from '../core/segments.ts';

const tag = 'Entries';
const scope = 'queue';
/** Escaped, the metadata can take six times as much, and the rest of the body is small. */
const BODY_BYTES_MAX = 8 * METADATA_BYTES_MAX;

const listQuery = {
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
};

const EntryPage = Type.Object(
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

const EntryChange = Type.Object(
  {
    metadata: Type.Optional(
      nullable<Record<string, unknown>>('object', {
        additionalProperties: true,
        description: 'Replaces all metadata, with the same limits as at signup. `null` removes it.',
      }),
    ),
    position: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: COUNT_MAX,
        description:
          'Moves a waiting entry. 1 and the end are exact; in between, the nearest place that the order allows. ' +
          'Later referrals move it on from there.',
      }),
    ),
    status: Type.Optional(
      oneOf(['waiting', 'pending'] as const, {
        description:
          '`waiting` confirms a pending entry on behalf of its owner. `pending` goes with a new `email` of a waiting or pending entry: its owner gets ' +
          'an email to confirm it, and is out of line until then.',
      }),
    ),
    email: Type.Optional(
      Type.String({
        ...limits(EMAIL),
        description:
          'Another email address. Referrals, invites, the history, and that the person wants no emails go along. Somebody who was pending gets an email to confirm it. ' +
          'Links that were mailed to the former address to confirm, unsubscribe or leave no longer work.',
      }),
    ),
    phone: Type.Optional(
      nullable<string>('string', {
        ...limits({ maxLength: PHONE_CHARACTERS_MAX }),
        description: 'Another phone number in international format. `null` removes it, if there is an email.',
      }),
    ),
    referredBy: Type.Optional(
      nullable<string>('string', {
        ...IDENTIFIER,
        description:
          'Email, phone number or referral code of the person who referred them, as if they had said so when they joined. `null` for nobody.',
      }),
    ),
  },
  {
    ...named('EntryChange'),
    ...closed,
    ...limits({ minProperties: 1 }),
    description: 'What to change. At least one field.',
    ...withExamples({
      move: { summary: 'Move to the front', value: { position: 1 } },
      metadata: { summary: 'Replace the metadata', value: { metadata: { plan: 'pro' } } },
      confirm: { summary: 'Confirm the email', value: { status: 'waiting' } },
      email: {
        summary: 'Correct the email and have it confirmed',
        value: { email: 'ada@example.com', status: 'pending' },
      },
      referrer: { summary: 'Set who referred them', value: { referredBy: 'grace@example.com' } },
    }),
  },
);

const into = Type.String({
  ...WORD,
  description: 'Id of the entry that stays.',
  examples: [EXAMPLE_ADMIN_ENTRY.id],
});

const EntryMerge = Type.Object(
  { into },
  {
    ...named('EntryMerge'),
    ...closed,
    description: 'Which entry it is merged into.',
    ...withExamples({
      twins: { summary: 'Two entries of one person', value: { into: EXAMPLE_ADMIN_ENTRY.id } },
    }),
  },
);

const MERGE_CONFLICT = {
  when: 'One of them is removed or declined.',
  message: 'into: this entry is removed; put it back or erase it first',
};

const EntryRemoval = Type.Object(
  {
    confirm: Type.Optional(
      Type.String({ ...WORD, description: 'The id of the entry, to confirm `erase=true`.' }),
    ),
    neverJoined: Type.Optional(
      Type.Boolean({
        description:
          'With `erase=true`: removes the entry as if the person had never joined, such as a bot. It no longer counts as a signup, and those behind move up by one place. Default: `false`.',
      }),
    ),
  },
  {
    ...named('EntryRemoval'),
    ...closed,
    'x-optional': true,
    description: 'Only needed with `erase=true`.',
    ...withExamples({
      erase: { summary: 'Erase for good', value: { confirm: EXAMPLE_ADMIN_ENTRY.id } },
      bot: {
        summary: 'Remove a bot, as if it had never joined',
        value: { confirm: EXAMPLE_ADMIN_ENTRY.id, neverJoined: true },
      },
    }),
  },
);

const RemovedEntry = Type.Object(
  {
    ...Deleted.properties,
    erased: Type.Boolean({ description: 'Whether the personal data was erased.' }),
  },
  { ...named('RemovedEntry'), description: 'Confirms a removal.' },
);

const NewEntry = Type.Object(
  {
    email: Type.Optional(
      Type.String({ ...limits(EMAIL), description: 'Email address. Required unless `phone` is set.' }),
    ),
    phone: Type.Optional(
      Type.String({
        ...limits({ maxLength: PHONE_CHARACTERS_MAX }),
        description: 'Phone number in international format, such as `+14155550123`.',
      }),
    ),
    metadata: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description: 'Custom data about the person, with the same limits as at signup.',
      }),
    ),
    referredBy: Type.Optional(
      Type.String({
        ...IDENTIFIER,
        description:
          'Email, phone number or referral code of the person who referred them. Ignored if they are not on the waitlist.',
      }),
    ),
  },
  {
    ...named('NewEntry'),
    ...closed,
    description: 'A person to add: an `email`, a `phone`, or both.',
    ...withExamples({
      person: {
        summary: 'A person with a name',
        value: { email: 'ada@example.com', metadata: { name: 'Ada Lovelace' } },
      },
    }),
  },
);

const AddedEntry = Type.Object(
  {
    entry: AdminEntrySchema,
    created: Type.Boolean({ description: '`false` if the person was on the waitlist already.' }),
    mailable: Type.Union([MailableSchema, Type.Null()], {
      description:
        'Whether the person gets the email that a signup sends: to confirm the address, or to welcome them. `null` if they were known, because ' +
        'then there is none.',
    }),
  },
  { ...named('AddedEntry'), description: 'A person who was added by hand.' },
);

export const entries = [
  operation({
    id: 'listEntries',
    at: 'GET /waitlists/:waitlistId/entries',
    tag,
    summary: 'List or search entries',
    description:
      'Returns a page of entries: everyone, one status, or a segment. Viewers get masked entries, and are refused `where`, saved ' +
      'segments with it, and any `search` except by id. Reading unmasked entries is recorded in the audit trail, once per hour, and so are refused questions.',
    role: 'viewer',
    shows: 'people',
    takesTurns: true,
    scope,
    query: listQuery,
    answer: {
      description: 'A page of entries.',
      schema: EntryPage,
      example: { entries: [EXAMPLE_ADMIN_ENTRY], total: 1280, nextCursor: 'AYjPZ1mXQmWw5c0' },
    },
    errors: {
      forbidden: {
        when: 'The role is not sufficient, or a viewer sent `where` or a `search` that is not an id.',
        message: 'where: requires the support role, because it tells about people',
      },
    },
    run: async (call) => {
      const { context, parts, actor, queue, mask, query } = call;
      const {
        limit = PAGE_LIMIT_DEFAULT,
        cursor,
        at,
        sort = 'joined',
        status,
        search,
        ...conditions
      } = query;
      if (query.where !== undefined) await refuseToViewers(call, queue, 'where');
      if (search !== undefined) {
        if (!isEntryId(search)) await refuseToViewers(call, queue, 'search');
        const other = Object.keys(query).find((name) => !['search', 'environment', 'limit'].includes(name));
        if (other !== undefined) throw invalid(`search: cannot be combined with ${other}`);
        const found = await searchEntry(context, queue, search);
        const entries = found ? [mask.entry(presentAdminEntry(found))] : [];
        return { entries, total: entries.length, nextCursor: null };
      }
      const { status: only, ...segment } = await segmentOfQuery(context, queue, conditions);
      if (segment.pairs && query.where === undefined) await refuseToViewers(call, queue, 'saved');
      return parts.pageTurn(referenceTo(actor), async () => {
        const page = await browseEntries(context, queue, {
          ...{ limit, sort, status: agreedStatus(only, status), at, segment },
          cursor: readCursor(cursor),
        });
        const entries = page.entries.map((entry) => mask.entry(presentAdminEntry(entry)));
        return { entries, total: page.total, nextCursor: formatCursor(page.next) };
      });
    },
  }),
  operation({
    id: 'getEntry',
    at: 'GET /waitlists/:waitlistId/entries/:entryId',
    tag,
    summary: 'Get an entry',
    description: 'Returns one entry.',
    role: 'viewer',
    shows: 'people',
    scope,
    params,
    answer: { description: 'The entry.', schema: AdminEntrySchema, example: EXAMPLE_ADMIN_ENTRY },
    run: async ({ context, queue, mask, params: { entryId } }) =>
      mask.entry(presentAdminEntry(await readEntry(context, queue, entryId))),
  }),
  operation({
    id: 'updateEntry',
    at: 'PATCH /waitlists/:waitlistId/entries/:entryId',
    tag,
    summary: 'Change an entry',
    description:
      'Changes what is stored about a person, moves them, or confirms a pending entry. All of it or nothing. An `email` or `phone` that ' +
      'another entry has is refused, and the message says which one. With another `referredBy`, credits and positions are as if it had been so ' +
      'from the start, by the cap and the rule for shared mailboxes.',
    role: 'admin',
    support: {
      ...{ metadata: 'repair', email: 'repair', phone: 'repair', referredBy: 'repair' },
      ...{ position: 'move', status: 'confirm' },
    },
    scope,
    params,
    body: EntryChange,
    bodyBytesMax: BODY_BYTES_MAX,
    answer: {
      description: 'The entry as it is now.',
      schema: AdminEntrySchema,
      example: { ...EXAMPLE_ADMIN_ENTRY, position: 1 },
    },
    errors: {
      conflict: {
        when: 'The status of the entry does not allow it, another entry has this email or phone, or referrals would form a circle.',
        message:
          'email: already belongs to ent_06gxx2p9r1yn1vp1ryss481fhw, which is waiting; merge the two if they are one person',
      },
    },
    run: async ({ context, queue, params: { entryId }, body }) => {
      if (Object.keys(body).length === 0) throw invalid('body: names nothing to change');
      await updateEntry(context, queue, entryId, body);
      return presentAdminEntry(await readEntry(context, queue, entryId));
    },
  }),
  operation({
    id: 'previewMerge',
    at: 'GET /waitlists/:waitlistId/entries/:entryId/merge',
    tag,
    summary: 'Preview a merge',
    description:
      'Returns what would become of two entries if they were merged, without the position. Changes nothing.',
    role: 'admin',
    support: 'repair',
    shows: 'people',
    scope,
    params,
    query: { into },
    answer: {
      description: 'The entry as it would be.',
      schema: AdminEntrySchema,
      example: { ...EXAMPLE_ADMIN_ENTRY, position: null },
    },
    errors: { conflict: MERGE_CONFLICT },
    run: async ({ context, queue, mask, params: { entryId }, query }) =>
      mask.entry(presentAdminEntry(await previewMerge(context, queue, entryId, query.into))),
  }),
  operation({
    id: 'mergeEntries',
    at: 'POST /waitlists/:waitlistId/entries/:entryId/merge',
    tag,
    summary: 'Merge two entries of one person',
    description:
      'Makes one entry of two, in one transaction. It has the id of `into`, the place and the signup time of whoever joined first, the status that is further, ' +
      'the referrals of both within the cap, and all invites. Email, phone and metadata are those of `into`, and of the other where it has none. ' +
      'Somebody who unsubscribed with either address stays unsubscribed. The other one counts as if it had never joined; its referral code goes on to work.',
    role: 'admin',
    support: 'repair',
    scope,
    params,
    body: EntryMerge,
    answer: {
      description: 'The entry as it is now.',
      schema: AdminEntrySchema,
      example: EXAMPLE_ADMIN_ENTRY,
    },
    errors: { conflict: MERGE_CONFLICT },
    run: async ({ context, queue, params: { entryId }, body }) => {
      await mergeEntries(context, queue, entryId, body.into);
      return presentAdminEntry(await readEntry(context, queue, body.into));
    },
  }),
  operation({
    id: 'restoreEntry',
    at: 'POST /waitlists/:waitlistId/entries/:entryId/restore',
    tag,
    summary: 'Put a removed entry back',
    description:
      'Takes a removal back, up to 30 days after it and unless the entry was erased. The entry gets its place in the ' +
      'joining order again, and its referrer the credit. Revoked invites stay revoked, so an entry that was `invited` is `waiting`, ' +
      'unless the waitlist leaves entries of revoked invites `invited`. Any other status is what it was.',
    role: 'admin',
    support: 'restore',
    scope,
    params,
    answer: {
      description: 'The entry as it is now.',
      schema: AdminEntrySchema,
      example: EXAMPLE_ADMIN_ENTRY,
    },
    errors: {
      conflict: {
        when: 'The entry is not removed, was erased, or was removed too long ago.',
        message: 'this entry was removed more than 30 days ago',
      },
    },
    run: async ({ context, queue, params: { entryId } }) => {
      await restoreEntry(context, queue, entryId);
      return presentAdminEntry(await readEntry(context, queue, entryId));
    },
  }),
  operation({
    id: 'removeEntry',
    at: 'DELETE /waitlists/:waitlistId/entries/:entryId',
    tag,
    summary: 'Remove an entry',
    description:
      'Takes an entry off the waitlist and revokes its open invites. It stays visible as `removed`, can be put back for 30 days, and the same person cannot sign up again. ' +
      'With `erase=true`, all personal data is erased for good, also from webhooks and emails that were not sent yet, and the person can sign up again. ' +
      'Either way, the place in the queue stays counted, unless `neverJoined` says that there was no such person. Support never erases: it can ask for it.',
    role: 'admin',
    support: 'remove',
    scope,
    params,
    query: {
      erase: Type.Optional(
        oneOf(['true', 'false'] as const, {
          description: '`true` erases all personal data. The body must repeat the id as `confirm`.',
          examples: ['true'],
        }),
      ),
    },
    body: EntryRemoval,
    answer: {
      description: 'The entry was removed.',
      schema: RemovedEntry,
      example: { id: EXAMPLE_ADMIN_ENTRY.id, deleted: true, erased: false },
    },
    errors: {
      forbidden: {
        when: 'The role is not sufficient, or support sent `erase=true`.',
        message: 'erase: requires the admin role; ask for an erasure instead',
      },
    },
    run: async ({ context, actor, queue, params: { entryId: id }, query, body }) => {
      const { confirm, neverJoined = false } = body;
      const erased = query.erase === 'true';
      if (erased && !mayActAs(actor.role, 'admin'))
        throw new DoorlistError('forbidden', 'erase: requires the admin role; ask for an erasure instead');
      if (neverJoined && !erased) throw invalid('neverJoined: requires erase=true, because nothing is kept');
      if (!erased) await removeEntry(context, queue, id);
      else if (confirm !== id) throw invalid('confirm: to erase the entry, repeat its id in the body');
      else {
        await readEntry(context, queue, id); // By its id only, not by an email or phone number.
        await eraseEntry(context, queue, id, { neverJoined });
      }
      return { id, deleted: true as const, erased };
    },
  }),
];

export const addEntry = operation({
  id: 'addEntry',
  at: 'POST /waitlists/:waitlistId/entries',
  tag,
  summary: 'Add a person',
  description:
    'Adds one person, exactly as a signup does: they join at the end of the line, and get the same email. A person who is on the ' +
    'waitlist already is not changed.',
  role: 'support',
  shows: 'people',
  scope,
  body: NewEntry,
  bodyBytesMax: BODY_BYTES_MAX,
  answer: {
    status: 201,
    description: 'The person was added.',
    schema: AddedEntry,
    example: { entry: EXAMPLE_ADMIN_ENTRY, created: true, mailable: EXAMPLE_MAILABLE },
  },
  otherwise: {
    status: 200,
    description: 'The person was on the waitlist already.',
    schema: AddedEntry,
    example: { entry: EXAMPLE_ADMIN_ENTRY, created: false, mailable: null },
  },
  errors: { waitlist_closed: {}, invalid_request: { message: 'email: not an email address' } },
  run: async ({ context, parts, queue, body }) => {
    const { seq, created } = await addPerson(context, queue, parsePerson(body));
    const found = (await entriesBySeq(context, queue, [seq])).get(seq);
    if (!found) throw notFound('there is no such waitlist'); // Deleted in the meantime.
    const entry = presentAdminEntry(found);
    if (!created) return new OtherAnswer({ entry, created, mailable: null });
    const kind = await signupMail(context, queue);
    const mailable = await mailableTo(context, queue, kind, found.email, parts.emails.smtp);
    return { entry, created, mailable: presentMailable(mailable) };
  },
});
