import Type, { type Static } from 'typebox';
import { PLACES_MAX } from '../../waitlist/codes/change-codes.ts';
import { UNUSED_REASONS } from '../../waitlist/codes/named-codes.ts';
import { queueForKey } from '../../waitlist/keys/find-key.ts';
import { PHONE_CHARACTERS_MAX } from '../../waitlist/people/identity.ts';
import {
  METADATA_BYTES_MAX,
  METADATA_KEY_CHARACTERS_MAX,
  METADATA_KEYS_MAX,
  METADATA_NESTING_MAX,
} from '../../waitlist/people/person.ts';
import type { SignupResult } from '../../waitlist/signup/commit-signups.ts';
import {
  NAMED_CODE_CHARACTERS_MAX,
  parseSignupRequest,
  SIGNUP_ENTRIES_MAX,
} from '../../waitlist/signup/signup-input.ts';
import {
  constant,
  EMAIL,
  exactlyOne,
  IDENTIFIER,
  limits,
  named,
  oneOf,
  withExamples,
} from '../../wire/schema.ts';
import { WaitlistIdSchema } from '../../wire/waitlist.ts';
import { errorResponses, okResponse } from '../responses.ts';
import type { TypedApp } from '../typed-app.ts';
import type { SdkParts } from './sdk-parts.ts';
import {
  EXAMPLE_SIGNED_UP,
  HEADER_CHARACTERS_MAX,
  prefersRepresentation,
  representEntries,
  SignedUpSchema,
} from './signed-up.ts';

const BODY_BYTES_MAX = 4 * 1024 * 1024;

const email = Type.String({
  ...EMAIL,
  description: 'Email address. Required unless `phone` is set. Not case-sensitive; returned as you sent it.',
  examples: ['ada@example.com'],
});
const phone = Type.String({
  pattern: '^[ .()-]*\\+[ .()-]*[1-9]([ .()-]*[0-9]){6,14}[ .()-]*$',
  maxLength: PHONE_CHARACTERS_MAX,
  description:
    'Phone number in international format: a plus sign and 7 to 15 digits. Required unless `email` is set. ' +
    'Spaces, dots, hyphens and parentheses are ignored.',
  examples: ['+14155550123'],
});
const more = {
  metadata: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      maxProperties: METADATA_KEYS_MAX,
      propertyNames: { minLength: 1, maxLength: METADATA_KEY_CHARACTERS_MAX },
      description:
        `Custom data about the person, encrypted at rest. Up to ${METADATA_BYTES_MAX / 1024} KiB of JSON, ` +
        `${METADATA_KEYS_MAX} keys and ${METADATA_NESTING_MAX} levels of nesting. ` +
        'A number that cannot be stored exactly is rejected: send it as a string.',
      examples: [{ plan: 'pro', source: 'newsletter' }],
    }),
  ),
  referredBy: Type.Optional(
    Type.String({
      ...IDENTIFIER,
      description:
        'Email, phone number or referral code of the person who referred this signup. Ignored if they are not on the waitlist.',
      examples: ['grace@example.com'],
    }),
  ),
  code: Type.Optional(
    Type.String({
      ...limits({ minLength: 1, maxLength: NAMED_CODE_CHARACTERS_MAX }),
      description:
        'A code for many people that does `advance`: whoever joins with it counts as having joined some places earlier. ' +
        'With one that cannot be used, they join without it, and `codes` in the response says why.',
      examples: ['FRIENDS-OF-ADA'],
    }),
  ),
};

const index = Type.Integer({
  minimum: 0,
  maximum: SIGNUP_ENTRIES_MAX - 1,
  description: 'Which of the entries sent, counted from 0.',
});
const CodeUsed = Type.Object(
  {
    entry: index,
    used: constant(true, 'The person joined with the code.'),
    places: Type.Integer({
      minimum: 1,
      maximum: PLACES_MAX,
      description: 'How many places earlier they count as having joined.',
    }),
  },
  { ...named('CodeUsed'), description: 'A code that was used.' },
);
const CodeNotUsed = Type.Object(
  {
    entry: index,
    used: constant(false, 'The code was not used, and none of its places was taken.'),
    reason: oneOf(UNUSED_REASONS, {
      description:
        '`accepted`: it is used up. `revoked`: it was deleted. `admits`: it lets people in, and is accepted like an invite. ' +
        '`on_waitlist`: the person was on the waitlist already.',
    }),
  },
  { ...named('CodeNotUsed'), description: 'A code that was not used.' },
);

/** Each alternative is complete, so that generated clients get one type for each and a union of both. */
const SignupEntry = Type.Union(
  [
    Type.Object(
      { email, phone: Type.Optional(phone), ...more },
      {
        ...named('EmailSignup'),
        additionalProperties: false,
        description: 'A person with an email address.',
      },
    ),
    Type.Object(
      { email: Type.Optional(email), phone, ...more },
      { ...named('PhoneSignup'), additionalProperties: false, description: 'A person with a phone number.' },
    ),
  ],
  { ...named('SignupEntry'), description: 'A person to add: an `email`, a `phone`, or both.' },
);

const SignupRequest = Type.Object(
  {
    waitlistId: WaitlistIdSchema,
    entries: Type.Array(SignupEntry, {
      minItems: 1,
      maxItems: SIGNUP_ENTRIES_MAX,
      description: 'The people to add, in the order they join.',
    }),
  },
  {
    ...named('SignupRequest'),
    description: 'The people to add, and the waitlist to add them to.',
    additionalProperties: false,
    ...withExamples({
      one: {
        summary: 'One person, with custom data',
        value: {
          waitlistId: 'wl_acme',
          entries: [{ email: 'ada@example.com', metadata: { plan: 'pro' } }],
        },
      },
      batch: {
        summary: 'Three people: one with a phone number, one referred',
        value: {
          waitlistId: 'wl_acme',
          entries: [
            { email: 'grace@example.com' },
            { phone: '+14155550123' },
            { email: 'linus@example.com', referredBy: 'grace@example.com' },
          ],
        },
      },
      code: {
        summary: 'A person with a code',
        value: { waitlistId: 'wl_acme', entries: [{ email: 'ada@example.com', code: 'FRIENDS-OF-ADA' }] },
      },
    }),
  },
);

const SignupResultSchema = Type.Object(
  {
    success: constant(true, 'Always `true`.'),
    created: Type.Integer({
      minimum: 0,
      maximum: SIGNUP_ENTRIES_MAX,
      description: 'Number of entries added.',
    }),
    skipped: Type.Integer({
      minimum: 0,
      maximum: SIGNUP_ENTRIES_MAX,
      description:
        'Number of entries skipped because they are already on the waitlist or repeated in the request.',
    }),
    codes: Type.Optional(
      Type.Array(
        exactlyOne([CodeUsed, CodeNotUsed], {
          ...named('CodeOutcome'),
          description: 'What became of the code that an entry names.',
        }),
        {
          minItems: 1,
          maxItems: SIGNUP_ENTRIES_MAX,
          description: 'Only if an entry names a `code`: what became of each one, in the order sent.',
        },
      ),
    ),
    entries: Type.Optional(
      Type.Array(SignedUpSchema, {
        minItems: 1,
        maxItems: SIGNUP_ENTRIES_MAX,
        description:
          'Only with `Prefer: return=representation`: one entry for each one sent, in that order, with current positions. ' +
          'Those that were skipped are shown as they are stored.',
      }),
    ),
  },
  { ...named('SignupResult'), description: 'How many entries were added and how many were skipped.' },
);

const schema = {
  operationId: 'createSignups',
  tags: ['Signups'],
  summary: 'Add up to 100 signups',
  description:
    'Adds people to a waitlist. An entry whose email or phone number is already on the waitlist is skipped and not changed, ' +
    'so it is always safe to retry. If any entry is invalid, nothing is stored and the message names each invalid field. ' +
    'The response is sent only after the data has been written to disk. The body can be up to 4 MiB.',
  security: [{ serverKey: [] }],
  headers: Type.Object({
    prefer: Type.Optional(
      Type.String({
        ...limits({ maxLength: HEADER_CHARACTERS_MAX }),
        description:
          '`return=representation` (RFC 7240) adds `entries` to the response. Requires the `waitlist:read` grant; ' +
          'without it, the preference is ignored.',
        examples: ['return=representation'],
      }),
    ),
  }),
  body: SignupRequest,
  response: {
    201: okResponse({
      description: 'At least one entry was added.',
      schema: SignupResultSchema,
      headers: ['Preference-Applied'],
      examples: {
        added: { summary: 'A new entry', value: { success: true, created: 1, skipped: 0 } },
        mixed: {
          summary: 'Two new entries and a duplicate',
          value: { success: true, created: 2, skipped: 1 },
        },
        coded: {
          summary: 'A new entry with a code',
          value: { success: true, created: 1, skipped: 0, codes: [{ entry: 0, used: true, places: 50 }] },
        },
        represented: {
          summary: 'A new entry, with Prefer: return=representation',
          value: { success: true, created: 1, skipped: 0, entries: [EXAMPLE_SIGNED_UP] },
        },
      },
    }),
    200: okResponse({
      description: 'Every entry was already on the waitlist. Nothing changed.',
      schema: SignupResultSchema,
      headers: ['Preference-Applied'],
      examples: {
        known: { summary: 'A retry', value: { success: true, created: 0, skipped: 1 } },
      },
    }),
    ...errorResponses(
      [
        'invalid_request',
        'unauthorized',
        'not_found',
        'waitlist_closed',
        'payload_too_large',
        'unsupported_media_type',
        'rate_limited',
      ],
      {
        invalid_request: {
          when: 'The body is malformed or a field is invalid. The message names up to ten fields; nothing was stored.',
          message: 'entries[3].email: not an email address',
        },
      },
    ),
  },
};

export function registerSignup(app: TypedApp, parts: SdkParts): void {
  const { context, signups, requireKey, publicUrl } = parts;
  app.post('/signup', {
    schema,
    bodyLimit: BODY_BYTES_MAX,
    onRequest: requireKey,
    // The domain validates the body: the same rules apply to every entry point, and one response lists all
    // problems.
    validatorCompiler: () => () => true,
    handler: async (request, reply) => {
      const { waitlistId, entries } = parseSignupRequest(request.body);
      const queue = await queueForKey(context, request.serverKey, waitlistId);
      const { prefer } = request.headers;
      if (prefer !== undefined) reply.header('vary', 'Prefer');
      if (!request.serverKey.canRead || !prefersRepresentation(prefer)) {
        const result = await signups.submit(queue, entries);
        reply.code(result.created > 0 ? 201 : 200);
        return presentResult(result);
      }
      const result = await signups.submit(queue, entries, { withSeqs: true });
      const represented = await representEntries(context, queue, result.seqs ?? [], publicUrl);
      reply.code(result.created > 0 ? 201 : 200).header('preference-applied', 'return=representation');
      return { ...presentResult(result), entries: represented };
    },
  });
}

function presentResult({ created, skipped, codes = [] }: SignupResult): Static<typeof SignupResultSchema> {
  const named = codes.map(({ index: entry, outcome }) => ({ entry, ...outcome }));
  return { success: true, created, skipped, ...(named.length > 0 && { codes: named }) };
}
