import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { DoorlistError } from '../../errors.ts';
import { queueForKey } from '../../waitlist/keys/server-keys.ts';
import {
  METADATA_KEYS_MAX,
  METADATA_NESTING_MAX,
  parseSignupRequest,
  SIGNUP_ENTRIES_MAX,
} from '../../waitlist/signup/signup-input.ts';
import { errorResponses, okResponse } from '../responses.ts';
import { WaitlistId, withExamples } from '../schemas.ts';
import type { SdkParts } from './parts.ts';

const BODY_BYTES_MAX = 4 * 1024 * 1024;

const SignupEntry = Type.Object(
  {
    email: Type.Optional(
      Type.String({
        description: 'At most 254 characters. Compared without regard to case; shown back as typed.',
        examples: ['ada@example.com'],
      }),
    ),
    phone: Type.Optional(
      Type.String({
        description:
          'International form: a plus sign, then 7 to 15 digits. Spaces, dots, hyphens and parentheses are ignored.',
        examples: ['+14155550123'],
      }),
    ),
    metadata: Type.Optional(
      Type.Object(
        {},
        {
          examples: [{ plan: 'pro', source: 'newsletter' }],
          additionalProperties: true,
          maxProperties: METADATA_KEYS_MAX,
          description: `Your own data, encrypted at rest: any JSON object of at most 16 KiB, with up to ${METADATA_KEYS_MAX} keys of 1 to 64 characters, nested at most ${METADATA_NESTING_MAX} levels deep. A number that cannot be shown back exactly is refused; send it as a string.`,
        },
      ),
    ),
    referredBy: Type.Optional(
      Type.String({
        description:
          'Email, phone or referral code of the entry that gets the credit. One that is not on the waitlist credits nobody and refuses nothing.',
        examples: ['grace@example.com'],
      }),
    ),
  },
  {
    additionalProperties: false,
    anyOf: [{ required: ['email'] }, { required: ['phone'] }],
    description: 'A person: an `email`, a `phone`, or both.',
  },
);

const schema = {
  operationId: 'createSignups',
  tags: ['Signups'],
  summary: 'Add up to 100 signups',
  description:
    'Adds people to a waitlist, all of them or none. An entry whose email or phone is already there is skipped and left ' +
    'as it is, so a retry is always safe and never makes a duplicate. One invalid entry refuses the whole request, and ' +
    'the message names each bad field. The answer leaves only after the data is safe on disk. ' +
    'The body may be up to 4 MiB and hold up to 50,000 JSON values.',
  security: [{ serverKey: [] }],
  body: Type.Object(
    {
      waitlistId: WaitlistId,
      entries: Type.Array(SignupEntry, {
        minItems: 1,
        maxItems: SIGNUP_ENTRIES_MAX,
        description: 'The people to add, in the order in which they join.',
      }),
    },
    {
      additionalProperties: false,
      ...withExamples({
        one: {
          summary: 'One person, with your own data.',
          value: {
            waitlistId: 'wl_acme',
            entries: [{ email: 'ada@example.com', metadata: { plan: 'pro' } }],
          },
        },
        batch: {
          summary: 'Several, one of them by phone and one referred.',
          value: {
            waitlistId: 'wl_acme',
            entries: [
              { email: 'grace@example.com' },
              { phone: '+14155550123' },
              { email: 'linus@example.com', referredBy: 'grace@example.com' },
            ],
          },
        },
      }),
    },
  ),
  response: {
    201: okResponse({
      description: 'At least one entry was added.',
      schema: resultSchema(),
      examples: {
        added: { summary: 'The one entry was new.', value: { success: true, created: 1, skipped: 0 } },
        mixed: { summary: 'Some were there already.', value: { success: true, created: 2, skipped: 1 } },
      },
    }),
    200: okResponse({
      description: 'Every entry was on the waitlist already; nothing was changed.',
      schema: resultSchema(),
      examples: {
        known: { summary: 'A retry, for example.', value: { success: true, created: 0, skipped: 1 } },
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
          when: 'The body is malformed or a field breaks a rule. The message names up to ten of them; nothing was stored.',
          message: 'entries[3].email: not an email address',
        },
      },
    ),
  },
};

function resultSchema() {
  return Type.Object({
    success: Type.Boolean({ description: 'Always true.' }),
    created: Type.Integer({ minimum: 0, description: 'Entries newly added.' }),
    skipped: Type.Integer({
      minimum: 0,
      description: 'Entries already on the waitlist, or twice in the request.',
    }),
  });
}

export function registerSignup(app: FastifyInstance, { context, signups, requireKey }: SdkParts): void {
  app.post('/signup', {
    schema,
    bodyLimit: BODY_BYTES_MAX,
    onRequest: requireKey,
    // The domain checks entries itself: the same rules hold for every way in, and one answer names all that is wrong.
    validatorCompiler: () => validateSignup,
    handler: async (request, reply) => {
      const { waitlistId, entries } = request.body as ReturnType<typeof parseSignupRequest>;
      const queue = await queueForKey(context, request.serverKey, waitlistId);
      const { created, skipped } = await signups.submit(queue, entries);
      reply.code(created > 0 ? 201 : 200);
      return { success: true, created, skipped };
    },
  });
}

function validateSignup(body: unknown): { value: unknown } | { error: Error } {
  try {
    return { value: parseSignupRequest(body) };
  } catch (error) {
    if (error instanceof DoorlistError) return { error };
    throw error;
  }
}
