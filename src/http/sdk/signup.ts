import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { DoorlistError } from '../../errors.ts';
import { queueForKey } from '../../waitlist/server-keys.ts';
import {
  METADATA_KEYS_MAX,
  METADATA_NESTING_MAX,
  parseSignupRequest,
  SIGNUP_ENTRIES_MAX,
} from '../../waitlist/signup-input.ts';
import { errorResponses, okResponse } from '../schemas.ts';
import type { SdkParts } from './parts.ts';

const BODY_BYTES_MAX = 4 * 1024 * 1024;

const SignupEntry = Type.Object(
  {
    email: Type.Optional(
      Type.String({
        description: 'Compared without regard to case; shown back as typed.',
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
          additionalProperties: true,
          maxProperties: METADATA_KEYS_MAX,
          description: `Your own data, encrypted at rest. Keys of 1 to 64 characters, nesting of at most ${METADATA_NESTING_MAX} levels, 16 KiB as JSON.`,
        },
      ),
    ),
    referredBy: Type.Optional(
      Type.String({
        description:
          'Email, phone or referral code of the entry that gets the credit. One that is not on the waitlist credits nobody.',
        examples: ['grace@example.com'],
      }),
    ),
  },
  { additionalProperties: false, description: 'At least one of `email` and `phone` is required.' },
);

const schema = {
  operationId: 'createSignups',
  tags: ['Signups'],
  summary: 'Add up to 100 signups',
  description:
    'Adds people to a waitlist. An entry whose email or phone is already there is skipped, so a retry is always safe. ' +
    'One invalid entry refuses the whole request, and the message names each bad field. ' +
    'The answer leaves only after the data is safe on disk.',
  security: [{ serverKey: [] }],
  body: Type.Object(
    {
      waitlistId: Type.String({ description: 'Short waitlist id.', examples: ['wl_acme'] }),
      entries: Type.Array(SignupEntry, { minItems: 1, maxItems: SIGNUP_ENTRIES_MAX }),
    },
    {
      additionalProperties: false,
      examples: [
        { waitlistId: 'wl_acme', entries: [{ email: 'ada@example.com', metadata: { plan: 'pro' } }] },
      ],
    },
  ),
  response: {
    201: okResponse('At least one entry was added.', resultSchema(), {
      added: { success: true, created: 1, skipped: 0 },
    }),
    200: okResponse('Every entry was on the waitlist already.', resultSchema(), {
      known: { success: true, created: 0, skipped: 1 },
    }),
    ...errorResponses(
      'invalid_request',
      'unauthorized',
      'not_found',
      'waitlist_closed',
      'payload_too_large',
      'unsupported_media_type',
      'rate_limited',
    ),
  },
};

function resultSchema() {
  return Type.Object(
    {
      success: Type.Boolean(),
      created: Type.Integer({ minimum: 0, description: 'Entries newly added.' }),
      skipped: Type.Integer({ minimum: 0, description: 'Entries already on the waitlist.' }),
    },
    { additionalProperties: false },
  );
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
