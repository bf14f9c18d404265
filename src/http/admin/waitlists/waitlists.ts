import Type from 'typebox';
import { invalid, notFound } from '../../../lib/errors.ts';
import { mailWarnings } from '../../../mail/mailable.ts';
import { warnings } from '../../../operations/core/mailable.ts';
import {
  nextCursorSchema,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  pageOf,
  pageQuery,
} from '../../../operations/core/pages.ts';
import { closed } from '../../../operations/core/schemas.ts';
import { isWaitlistId } from '../../../waitlist/queue/queue.ts';
import { DEFAULT_ENVIRONMENT } from '../../../waitlist/queue/registry.ts';
import { requireEnvironment } from '../../../waitlist/settings/environments.ts';
import { updateWaitlist } from '../../../waitlist/settings/update-waitlist.ts';
import {
  countEntries,
  createWaitlist,
  listWaitlists,
  readWaitlist,
  type WaitlistSummary,
} from '../../../waitlist/settings/waitlists.ts';
import { named, withExamples } from '../../../wire/schema.ts';
import {
  EXAMPLE_WAITLIST,
  EXAMPLE_WAITLIST_OBJECT,
  presentWaitlistWithCounts,
  WaitlistIdSchema,
  WaitlistObject,
  waitlistSettings,
} from '../../../wire/waitlist.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { domainFor, environmentQuery, waitlistParams } from '../core/waitlist-scope.ts';

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

const Params = Type.Object(waitlistParams);
const EnvironmentQuery = Type.Object(environmentQuery, closed);
const unknown = {
  not_found: {
    when: 'The waitlist or the environment does not exist.',
    message: 'there is no waitlist wl_acme',
  },
};
const invalidBoost = { invalid_request: { message: 'boost: must be a whole number from 0 to 1000' } };

const listSchema = adminSchema({
  operationId: 'listWaitlists',
  tag,
  summary: 'List waitlists',
  description: 'Returns the waitlists with their settings and counts.',
  role: 'viewer',
  querystring: Type.Object({ ...environmentQuery, ...pageQuery }, closed),
  answer: {
    description: 'A page of waitlists.',
    schema: WaitlistPage,
    example: { waitlists: [EXAMPLE_WAITLIST_OBJECT], nextCursor: null },
  },
  errors: ['not_found'],
  special: {
    not_found: { when: 'The environment does not exist.', message: 'there is no environment staging' },
    invalid_request: { message: 'limit: must be <= 200' },
  },
});

const createSchema = adminSchema({
  operationId: 'createWaitlist',
  tag,
  summary: 'Create a waitlist',
  description: 'Creates the waitlist in every environment. Its id cannot be changed later.',
  role: 'admin',
  querystring: EnvironmentQuery,
  body: WaitlistRequest,
  answer: {
    status: 201,
    description: 'The waitlist was created.',
    schema: WaitlistObject,
    example: {
      ...EXAMPLE_WAITLIST_OBJECT,
      counts: { pending: 0, waiting: 0, invited: 0, joined: 0, removed: 0 },
    },
  },
  errors: ['not_found', 'conflict'],
  special: {
    ...invalidBoost,
    not_found: { when: 'The environment does not exist.', message: 'there is no environment staging' },
    conflict: { when: 'The id is taken.', message: 'id: wl_acme already exists' },
  },
});

const getSchema = adminSchema({
  operationId: 'getWaitlist',
  showsSettings: true,
  tag,
  summary: 'Get a waitlist',
  description: 'Returns one waitlist with its settings and counts.',
  role: 'viewer',
  params: Params,
  querystring: EnvironmentQuery,
  answer: { description: 'The waitlist.', schema: WaitlistObject, example: EXAMPLE_WAITLIST_OBJECT },
  errors: ['not_found'],
  special: unknown,
});

const updateSchema = adminSchema({
  operationId: 'updateWaitlist',
  settings: { lock: 'installation', besides: ({ closedAt }) => ({ closed: closedAt !== null }) },
  tag,
  summary: 'Update a waitlist',
  description:
    'Changes all given settings or none. They apply to every environment. A new boost is applied to everyone in ' +
    'the queue, in the background. `warnings` says what the settings lead to that you may not want.',
  role: 'admin',
  params: Params,
  querystring: EnvironmentQuery,
  body: WaitlistUpdate,
  answer: {
    description: 'The waitlist.',
    schema: UpdatedWaitlist,
    example: { ...EXAMPLE_WAITLIST_OBJECT, warnings: [] },
  },
  errors: ['not_found'],
  special: { ...unknown, ...invalidBoost },
});

export function registerWaitlists(app: TypedApp, parts: AdminParts): void {
  const { waitlists } = parts;
  const withCounts = async (list: readonly WaitlistSummary[], environment: string) => {
    const counts = await countEntries(waitlists, environment, list);
    return list.map((waitlist, index) => presentWaitlistWithCounts(waitlist, counts[index] as never));
  };
  const present = async (waitlist: WaitlistSummary, environment: string) => {
    const [presented] = await withCounts([waitlist], environment);
    return presented as NonNullable<typeof presented>;
  };

  app.get('/waitlists', { schema: listSchema }, async ({ query }) => {
    const { environment = DEFAULT_ENVIRONMENT, limit = PAGE_LIMIT_DEFAULT, cursor } = query;
    if (cursor !== undefined && !isWaitlistId(cursor)) throw invalid('cursor: is not from this list');
    await requireEnvironment(waitlists, environment);
    const found = await listWaitlists(waitlists, { after: cursor, limit: limit + 1 });
    const page = pageOf(found, limit, ({ id }) => id);
    return { waitlists: await withCounts(page.items, environment), nextCursor: page.nextCursor };
  });

  app.post('/waitlists', { schema: createSchema }, async (request, reply) => {
    const { environment = DEFAULT_ENVIRONMENT } = request.query;
    await requireEnvironment(waitlists, environment);
    const created = await createWaitlist(domainFor(parts, request), request.body);
    reply.code(201);
    return present(created, environment);
  });

  app.get('/waitlists/:waitlistId', { schema: getSchema }, async ({ params, query }) => {
    const { environment = DEFAULT_ENVIRONMENT } = query;
    const { waitlistId: id } = params;
    await requireEnvironment(waitlists, environment);
    const found = await readWaitlist(waitlists.db.query, id);
    if (!found) throw notFound(`there is no waitlist ${id}`);
    return present(found, environment);
  });

  app.patch('/waitlists/:waitlistId', { schema: updateSchema }, async (request) => {
    const { environment = DEFAULT_ENVIRONMENT } = request.query;
    const { waitlistId } = request.params;
    await requireEnvironment(waitlists, environment);
    const updated = await updateWaitlist(domainFor(parts, request), waitlistId, request.body);
    const found = await mailWarnings(waitlists, waitlistId, parts.emails.smtp);
    return { ...(await present(updated, environment)), warnings: found };
  });
}
