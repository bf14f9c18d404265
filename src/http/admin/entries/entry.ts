import Type from 'typebox';
import { DoorlistError, invalid } from '../../../lib/errors.ts';
import { closed, Deleted } from '../../../operations/core/schemas.ts';
import { mayActAs } from '../../../operators/roles.ts';
import { readEntry } from '../../../waitlist/entries/browse-entries.ts';
import { eraseEntry } from '../../../waitlist/entries/erase-entry.ts';
import { updateEntry } from '../../../waitlist/entries/update-entry.ts';
import { removeEntry, restoreEntry } from '../../../waitlist/invites/removal.ts';
import { METADATA_BYTES_MAX } from '../../../waitlist/people/person.ts';
import { AdminEntrySchema, EXAMPLE_ADMIN_ENTRY, presentAdminEntry } from '../../../wire/entry.ts';
import { maskFor } from '../../../wire/mask.ts';
import { COUNT_MAX, limits, named, nullable, oneOf, WORD, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { queueToRead } from '../core/reading.ts';
import { domainFor, environmentQuery, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';

const tag = 'Entries';
/** Escaped, the metadata can take six times as much, and the rest of the body is small. */
const BODY_BYTES_MAX = 8 * METADATA_BYTES_MAX;

export const EntryParams = Type.Object({
  ...waitlistParams,
  entryId: Type.String({ ...WORD, description: 'Id of the entry.', examples: [EXAMPLE_ADMIN_ENTRY.id] }),
});
export const entrySpecial = {
  not_found: {
    when: 'The waitlist or the entry does not exist.',
    message: `there is no entry ${EXAMPLE_ADMIN_ENTRY.id}`,
  },
};
const Query = Type.Object(environmentQuery, closed);

const EntryChange = Type.Object(
  {
    metadata: Type.Optional(
      nullable<Record<string, unknown>>('object', {
        additionalProperties: true,
        description:
          'Replaces all metadata, with the same limits as at signup. `null` removes it. Requires the `admin` role.',
      }),
    ),
    position: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: COUNT_MAX,
        description:
          'Moves a waiting entry. 1 and the end are exact; in between, the nearest place that the order allows. ' +
          'Later referrals move it on from there. Requires the `admin` role.',
      }),
    ),
    status: Type.Optional(
      oneOf(['waiting'] as const, { description: 'Confirms a pending entry on behalf of its owner.' }),
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
    }),
  },
);

const getSchema = adminSchema({
  operationId: 'getEntry',
  tag,
  summary: 'Get an entry',
  description: 'Returns one entry.',
  role: 'viewer',
  params: EntryParams,
  querystring: Query,
  answer: { description: 'The entry.', schema: AdminEntrySchema, example: EXAMPLE_ADMIN_ENTRY },
  errors: ['not_found'],
  special: entrySpecial,
});

const changeSchema = adminSchema({
  operationId: 'updateEntry',
  tag,
  summary: 'Change an entry',
  description: 'Changes metadata or position, or confirms a pending entry. All of it or nothing.',
  role: 'support',
  params: EntryParams,
  querystring: Query,
  body: EntryChange,
  answer: {
    description: 'The entry as it is now.',
    schema: AdminEntrySchema,
    example: { ...EXAMPLE_ADMIN_ENTRY, position: 1 },
  },
  errors: ['not_found', 'conflict'],
  special: {
    ...entrySpecial,
    conflict: {
      when: 'The status of the entry does not allow it.',
      message: 'position: only waiting entries have one; this one is joined',
    },
  },
});

const Removal = Type.Object(
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

const removeSchema = adminSchema({
  operationId: 'removeEntry',
  tag,
  summary: 'Remove an entry',
  description:
    'Takes an entry off the waitlist and revokes its open invites. It stays visible as `removed`, can be put back for 30 days, and the same person cannot sign up again. ' +
    'With `erase=true`, all personal data is erased for good, also from webhooks and emails that were not sent yet, and the person can sign up again. ' +
    'Either way, the place in the queue stays counted, unless `neverJoined` says that there was no such person.',
  role: 'admin',
  params: EntryParams,
  querystring: Type.Object(
    {
      ...environmentQuery,
      erase: Type.Optional(
        oneOf(['true', 'false'] as const, {
          description: '`true` erases all personal data. The body must repeat the id as `confirm`.',
          examples: ['true'],
        }),
      ),
    },
    closed,
  ),
  body: Removal,
  answer: {
    description: 'The entry was removed.',
    schema: Type.Object(
      {
        ...Deleted.properties,
        erased: Type.Boolean({ description: 'Whether the personal data was erased.' }),
      },
      { ...named('RemovedEntry'), description: 'Confirms a removal.' },
    ),
    example: { id: EXAMPLE_ADMIN_ENTRY.id, deleted: true, erased: false },
  },
  errors: ['not_found'],
  special: entrySpecial,
});

const restoreSchema = adminSchema({
  operationId: 'restoreEntry',
  tag,
  write: true,
  summary: 'Put a removed entry back',
  description:
    'Takes a removal back, up to 30 days after it and unless the entry was erased. The entry gets its place in the ' +
    'joining order again, and its referrer the credit. Revoked invites stay revoked, so an entry that was `invited` is `waiting`, ' +
    'unless the waitlist leaves entries of revoked invites `invited`. Any other status is what it was.',
  role: 'admin',
  params: EntryParams,
  querystring: Query,
  answer: { description: 'The entry as it is now.', schema: AdminEntrySchema, example: EXAMPLE_ADMIN_ENTRY },
  errors: ['not_found', 'conflict'],
  special: {
    ...entrySpecial,
    conflict: {
      when: 'The entry is not removed, was erased, or was removed too long ago.',
      message: 'this entry was removed more than 30 days ago',
    },
  },
});

export function registerEntry(app: TypedApp, parts: AdminParts): void {
  const { waitlists } = parts;
  const path = '/waitlists/:waitlistId/entries/:entryId';

  app.get(path, { schema: getSchema }, async (request) => {
    const { params, caller } = request;
    const queue = await queueToRead(parts, request);
    const entry = await readEntry(waitlists, queue, params.entryId);
    return maskFor(caller.actor.role).entry(presentAdminEntry(entry));
  });

  app.patch(path, { schema: changeSchema, bodyLimit: BODY_BYTES_MAX }, async (request) => {
    const { params, query, body, caller } = request;
    const { status, ...others } = body;
    if (Object.keys(body).length === 0) throw invalid('body: names nothing to change');
    if (Object.keys(others).length > 0 && !mayActAs(caller.actor.role, 'admin'))
      throw new DoorlistError('forbidden', `${Object.keys(others)[0]}: changing it requires the admin role`);
    const queue = await requireQueue(parts, params, query);
    const changes = { ...others, ...(status === undefined ? {} : { status }) };
    await updateEntry(domainFor(parts, request), queue, params.entryId, changes);
    return presentAdminEntry(await readEntry(waitlists, queue, params.entryId));
  });

  app.post(`${path}/restore`, { schema: restoreSchema }, async (request) => {
    const { params, query } = request;
    const queue = await requireQueue(parts, params, query);
    await restoreEntry(domainFor(parts, request), queue, params.entryId);
    return presentAdminEntry(await readEntry(waitlists, queue, params.entryId));
  });

  app.delete(path, {
    schema: removeSchema,
    preValidation: async (request) => {
      request.body ??= {};
    },
    handler: async (request) => {
      const { params, query, body } = request;
      const { entryId: id } = params;
      const queue = await requireQueue(parts, params, query);
      const erased = query.erase === 'true';
      const { neverJoined = false } = body;
      if (neverJoined && !erased) throw invalid('neverJoined: requires erase=true, because nothing is kept');
      if (!erased) await removeEntry(domainFor(parts, request), queue, id);
      else if (body.confirm !== id) throw invalid('confirm: to erase the entry, repeat its id in the body');
      else {
        await readEntry(waitlists, queue, id); // By its id only, not by an email or phone number.
        await eraseEntry(domainFor(parts, request), queue, id, { neverJoined });
      }
      return { id, deleted: true as const, erased };
    },
  });
}
