import Type from 'typebox';
import { PEOPLE_MAX, QUEUES_MAX, searchEverywhere } from '../../waitlist/finding/search-entry.ts';
import { AdminEntrySchema, EXAMPLE_ADMIN_ENTRY, presentAdminEntry } from '../../wire/entry.ts';
import { named } from '../../wire/schema.ts';
import { EXAMPLE_WAITLIST, presentWaitlistReference, WaitlistReferenceSchema } from '../../wire/waitlist.ts';
import { operation } from '../core/operation.ts';
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

export const searchPeople = operation({
  id: 'searchPeople',
  at: 'GET /people',
  tag: 'Entries',
  summary: 'Find a person in all waitlists',
  description:
    'Finds a person by their exact email, phone number, referral code or id, or by a link that they have, in every waitlist and ' +
    'environment. Where they are found ' +
    'is recorded in the audit trail as read, once per hour.',
  role: 'support',
  scope: 'installation',
  query: {
    search: Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: 'Exact email, phone number, referral code, id or link.',
      examples: ['ada@example.com'],
    }),
  },
  answer: {
    description: 'Where the person was found.',
    schema: FoundPeople,
    example: {
      people: [{ waitlist: EXAMPLE_WAITLIST, environment: 'production', entry: EXAMPLE_ADMIN_ENTRY }],
      complete: true,
    },
  },
  errors: { invalid_request: { message: 'search: is required' } },
  run: async (call) => {
    const { context, parts, query } = call;
    const { people, complete } = await searchEverywhere(context, query.search, parts.makeWay);
    for (const { queue } of people) await recordRead(call, queue);
    return {
      people: people.map(({ queue, entry }) => ({
        waitlist: presentWaitlistReference(queue.waitlist),
        environment: queue.environment,
        entry: presentAdminEntry(entry),
      })),
      complete,
    };
  },
});
