import Type from 'typebox';
import { notFound } from '../../../lib/errors.ts';
import { mailableTo, signupMail } from '../../../mail/mailable.ts';
import { EXAMPLE_MAILABLE, MailableSchema, presentMailable } from '../../../operations/core/mailable.ts';
import { closed } from '../../../operations/core/schemas.ts';
import { entriesBySeq } from '../../../waitlist/entries/entries.ts';
import { PHONE_CHARACTERS_MAX } from '../../../waitlist/people/identity.ts';
import { METADATA_BYTES_MAX } from '../../../waitlist/people/person.ts';
import { addPerson } from '../../../waitlist/signup/signup.ts';
import { parsePerson } from '../../../waitlist/signup/signup-input.ts';
import { AdminEntrySchema, EXAMPLE_ADMIN_ENTRY, presentAdminEntry } from '../../../wire/entry.ts';
import { EMAIL, IDENTIFIER, limits, named, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { queueToRead } from '../core/reading.ts';
import { domainFor, environmentQuery, waitlistParams } from '../core/waitlist-scope.ts';

/** Escaped, the metadata can take six times as much, and the rest of the body is small. */
const BODY_BYTES_MAX = 8 * METADATA_BYTES_MAX;

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

const schema = adminSchema({
  operationId: 'addEntry',
  tag: 'Entries',
  summary: 'Add a person',
  description:
    'Adds one person, exactly as a signup does: they join at the end of the line, and get the same email. A person who is on the ' +
    'waitlist already is not changed.',
  role: 'support',
  params: Type.Object(waitlistParams),
  querystring: Type.Object(environmentQuery, closed),
  body: NewEntry,
  answer: {
    status: 201,
    description: 'The person was added.',
    schema: AddedEntry,
    example: { entry: EXAMPLE_ADMIN_ENTRY, created: true, mailable: EXAMPLE_MAILABLE },
  },
  also: [
    {
      status: 200,
      description: 'The person was on the waitlist already.',
      schema: AddedEntry,
      example: { entry: EXAMPLE_ADMIN_ENTRY, created: false, mailable: null },
    },
  ],
  errors: ['not_found', 'waitlist_closed'],
  special: {
    invalid_request: { message: 'email: not an email address' },
    not_found: { when: 'The waitlist does not exist.', message: 'there is no waitlist wl_acme' },
  },
});

export function registerAddEntry(app: TypedApp, parts: AdminParts): void {
  app.post(
    '/waitlists/:waitlistId/entries',
    { schema, bodyLimit: BODY_BYTES_MAX },
    async (request, reply) => {
      const signup = parsePerson(request.body);
      const queue = await queueToRead(parts, request);
      const domain = domainFor(parts, request);
      const { seq, created } = await addPerson(domain, queue, signup);
      const entry = (await entriesBySeq(domain, queue, [seq])).get(seq);
      if (!entry) throw notFound('there is no such waitlist'); // Deleted in the meantime.
      const mailable = created
        ? presentMailable(
            await mailableTo(domain, queue, await signupMail(domain, queue), entry.email, parts.emails.smtp),
          )
        : null;
      reply.code(created ? 201 : 200);
      return { entry: presentAdminEntry(entry), created, mailable };
    },
  );
}
