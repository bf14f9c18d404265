import Type from 'typebox';
import { invalid, notFound } from '../../lib/errors.ts';
import { mailWarnings } from '../../mail/mailable.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import { isWaitlistId } from '../../waitlist/queue/queue.ts';
import { deleteWaitlist } from '../../waitlist/settings/delete-waitlist.ts';
import { updateWaitlist } from '../../waitlist/settings/update-waitlist.ts';
import {
  countEntries,
  createWaitlist,
  listWaitlists,
  NO_COUNTS,
  readWaitlist,
  type WaitlistSummary,
} from '../../waitlist/settings/waitlists.ts';
import { named, WORD, withExamples } from '../../wire/schema.ts';
import {
  EXAMPLE_WAITLIST,
  EXAMPLE_WAITLIST_OBJECT,
  presentWaitlistWithCounts,
  WaitlistIdSchema,
  WaitlistObject,
  waitlistSettings,
} from '../../wire/waitlist.ts';
import { warnings } from '../core/mailable.ts';
import { operation } from '../core/operation.ts';
import { nextCursorSchema, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, pageOf, pageQuery } from '../core/pages.ts';
import { closed, Deleted } from '../core/schemas.ts';
import { waitlistParams } from '../core/scope.ts';

const tag = 'Waitlists';

const WaitlistPage = Type.Object(
  {
    waitlists: Type.Array(WaitlistObject, { maxItems: PAGE_LIMIT_MAX, description: 'Sorted by id.' }),
    nextCursor: nextCursorSchema,
  },
  { ...named('WaitlistPage'), description: 'One page of waitlists.' },
);

const { name, ...settings } = waitlistSettings;

const UpdatedWaitlist = Type.Object(
  { ...WaitlistObject.properties, warnings },
  { ...named('UpdatedWaitlist'), description: 'A waitlist, and what its settings lead to.' },
);

const WaitlistRequest = Type.Object(
  { id: WaitlistIdSchema, name, ...Type.Partial(Type.Object(settings)).properties },
  {
    ...named('WaitlistRequest'),
    ...closed,
    description: 'A waitlist to create.',
    ...withExamples({
      minimal: { summary: 'With the default settings', value: EXAMPLE_WAITLIST },
      settings: {
        summary: 'With double opt-in, and invites that expire after 7 days',
        value: { ...EXAMPLE_WAITLIST, confirmEmails: true, inviteExpiryMs: 604_800_000 },
      },
    }),
  },
);

const WaitlistUpdate = Type.Object(
  {
    ...Type.Partial(Type.Object(waitlistSettings)).properties,
    closed: Type.Optional(
      Type.Boolean({ description: '`true` stops accepting signups, `false` accepts them again.' }),
    ),
  },
  {
    ...named('WaitlistUpdate'),
    ...closed,
    description: 'Settings to change. What you omit stays as it is.',
    ...withExamples({
      close: { summary: 'Stop accepting signups', value: { closed: true } },
      boost: { summary: 'Reward referrals more', value: { boost: 10, referralCap: 50 } },
    }),
  },
);

const Confirmation = Type.Object(
  { confirm: Type.String({ ...WORD, description: 'Id of the waitlist, again.' }) },
  {
    ...named('WaitlistDeletion'),
    ...closed,
    description: 'Confirms that you mean this waitlist.',
    ...withExamples({ confirm: { summary: 'Delete wl_acme', value: { confirm: EXAMPLE_WAITLIST.id } } }),
  },
);

const invalidBoost = { invalid_request: { message: 'boost: must be a whole number from 0 to 1000' } };

/** Not about an opened queue: they work although the keys of one are damaged. */
export const waitlists = [
  operation({
    id: 'listWaitlists',
    at: 'GET /waitlists',
    tag,
    summary: 'List waitlists',
    description: 'Returns the waitlists with their settings and counts.',
    role: 'viewer',
    scope: 'environment',
    query: pageQuery,
    answer: {
      description: 'A page of waitlists.',
      schema: WaitlistPage,
      example: { waitlists: [EXAMPLE_WAITLIST_OBJECT], nextCursor: null },
    },
    errors: { invalid_request: { message: 'limit: must be <= 200' } },
    run: async ({ context, environment, query: { limit = PAGE_LIMIT_DEFAULT, cursor } }) => {
      if (cursor !== undefined && !isWaitlistId(cursor)) throw invalid('cursor: is not from this list');
      const found = await listWaitlists(context, { after: cursor, limit: limit + 1 });
      const { items, nextCursor } = pageOf(found, limit, ({ id }) => id);
      return { waitlists: await withCounts(context, items, environment), nextCursor };
    },
  }),
  operation({
    id: 'createWaitlist',
    at: 'POST /waitlists',
    tag,
    summary: 'Create a waitlist',
    description: 'Creates the waitlist in every environment. Its id cannot be changed later.',
    role: 'admin',
    scope: 'environment',
    body: WaitlistRequest,
    answer: {
      status: 201,
      description: 'The waitlist was created.',
      schema: WaitlistObject,
      example: { ...EXAMPLE_WAITLIST_OBJECT, counts: NO_COUNTS },
    },
    errors: {
      ...invalidBoost,
      conflict: { when: 'The id is taken.', message: 'id: wl_acme already exists' },
    },
    run: async ({ context, environment, body }) =>
      present(context, await createWaitlist(context, body), environment),
  }),
  operation({
    id: 'getWaitlist',
    showsSettings: true,
    at: 'GET /waitlists/:waitlistId',
    tag,
    summary: 'Get a waitlist',
    description: 'Returns one waitlist with its settings and counts.',
    role: 'viewer',
    scope: 'environment',
    params: waitlistParams,
    answer: { description: 'The waitlist.', schema: WaitlistObject, example: EXAMPLE_WAITLIST_OBJECT },
    run: async ({ context, environment, params: { waitlistId: id } }) => {
      const found = await readWaitlist(context.db.query, id);
      if (!found) throw notFound(`there is no waitlist ${id}`);
      return present(context, found, environment);
    },
  }),
  operation({
    id: 'updateWaitlist',
    settings: { lock: 'installation', besides: ({ closedAt }) => ({ closed: closedAt !== null }) },
    at: 'PATCH /waitlists/:waitlistId',
    tag,
    summary: 'Update a waitlist',
    description:
      'Changes all given settings or none. They apply to every environment. A new boost is applied to everyone in ' +
      'the queue, in the background. `warnings` says what the settings lead to that you may not want.',
    role: 'admin',
    scope: 'environment',
    params: waitlistParams,
    body: WaitlistUpdate,
    answer: {
      description: 'The waitlist.',
      schema: UpdatedWaitlist,
      example: { ...EXAMPLE_WAITLIST_OBJECT, warnings: [] },
    },
    errors: invalidBoost,
    run: async ({ context, parts, environment, params: { waitlistId }, body }) => {
      const updated = await updateWaitlist(context, waitlistId, body);
      const found = await mailWarnings(context, waitlistId, parts.emails.smtp);
      return { ...(await present(context, updated, environment)), warnings: found };
    },
  }),
  operation({
    id: 'deleteWaitlist',
    at: 'DELETE /waitlists/:waitlistId',
    tag,
    summary: 'Delete a waitlist',
    description:
      'Deletes the waitlist in every environment, with its entries, invites, server keys, webhooks and emails. Its ' +
      'encryption keys are destroyed, so the data is unreadable at once, also in this database’s later backups. It ' +
      'cannot be undone. Afterwards, the id can be used for a new waitlist.',
    role: 'owner',
    scope: 'waitlist',
    body: Confirmation,
    answer: {
      description: 'The waitlist was deleted.',
      schema: Deleted,
      example: { id: EXAMPLE_WAITLIST.id, deleted: true },
    },
    errors: { invalid_request: { message: 'confirm: must be wl_acme' } },
    run: async ({ context, params: { waitlistId: id }, body }) => {
      await deleteWaitlist(context, id, body.confirm);
      return { id, deleted: true as const };
    },
  }),
];

async function present(context: Context, waitlist: WaitlistSummary, environment: string) {
  const [presented] = await withCounts(context, [waitlist], environment);
  return presented as NonNullable<typeof presented>;
}

async function withCounts(context: Context, list: readonly WaitlistSummary[], environment: string) {
  const counts = await countEntries(context, environment, list);
  return list.map((waitlist, index) => presentWaitlistWithCounts(waitlist, counts[index] as never));
}
