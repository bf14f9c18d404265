import Type from 'typebox';
import { closed } from '../../../operations/core/schemas.ts';
import { PEOPLE_MAX, QUEUES_MAX, searchEverywhere } from '../../../waitlist/finding/search-entry.ts';
import { AdminEntrySchema, EXAMPLE_ADMIN_ENTRY, presentAdminEntry } from '../../../wire/entry.ts';
import { named } from '../../../wire/schema.ts';
import {
  EXAMPLE_WAITLIST,
  presentWaitlistReference,
  WaitlistReferenceSchema,
} from '../../../wire/waitlist.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { recordRead } from '../core/reading.ts';

const FoundPersonSchema = Type.Object(
  {
    waitlist: WaitlistReferenceSchema,
    environment: Type.String({ description: 'Environment of the waitlist.' }),
    entry: AdminEntrySchema,
  },
  { ...named('FoundPerson'), description: 'A person on one waitlist.' },
);

const FoundPeople = Type.Object(
  {
    people: Type.Array(FoundPersonSchema, {
      maxItems: PEOPLE_MAX,
      description: 'One item for each waitlist and environment that the person is on.',
    }),
    complete: Type.Boolean({
      description: `\`false\` if there can be more: after ${PEOPLE_MAX} people, or ${QUEUES_MAX.toLocaleString('en')} waitlists and environments, the search stops.`,
    }),
  },
  { ...named('FoundPeople'), description: 'Where a person was found.' },
);

const schema = adminSchema({
  operationId: 'searchPeople',
  tag: 'Entries',
  summary: 'Find a person in all waitlists',
  description:
    'Finds a person by their exact email, phone number, referral code or id, or by a link that they have, in every waitlist and ' +
    'environment. Where they are found ' +
    'is recorded in the audit trail as read, once per hour.',
  role: 'support',
  querystring: Type.Object(
    {
      search: Type.String({
        minLength: 1,
        maxLength: 2_000,
        description: 'Exact email, phone number, referral code, id or link.',
        examples: ['ada@example.com'],
      }),
    },
    closed,
  ),
  answer: {
    description: 'Where the person was found.',
    schema: FoundPeople,
    example: {
      people: [{ waitlist: EXAMPLE_WAITLIST, environment: 'production', entry: EXAMPLE_ADMIN_ENTRY }],
      complete: true,
    },
  },
  special: { invalid_request: { message: 'search: is required' } },
});

export function registerSearchPeople(app: TypedApp, parts: AdminParts): void {
  app.get('/people', { schema }, async (request) => {
    const found = await searchEverywhere(parts.waitlists, request.query.search, parts.makeWay);
    for (const { queue } of found.people) await recordRead(parts, request, queue);
    return {
      people: found.people.map(({ queue, entry }) => ({
        waitlist: presentWaitlistReference(queue.waitlist),
        environment: queue.environment,
        entry: presentAdminEntry(entry),
      })),
      complete: found.complete,
    };
  });
}
