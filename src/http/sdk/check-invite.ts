import Type, { type Static } from 'typebox';
import { isoTime } from '../../lib/time.ts';
import { PLACES_MAX } from '../../waitlist/codes/change-codes.ts';
import { CODE_CHARACTERS_MAX, checkInvite, type InviteCheck } from '../../waitlist/invites/invites.ts';
import { constant, described, EMAIL, exactlyOne, limits, named, oneOf, time } from '../../wire/schema.ts';
import { EXAMPLE_WAITLIST, presentWaitlistReference, WaitlistReferenceSchema } from '../../wire/waitlist.ts';
import { clientOf } from '../plugins/rate-limit.ts';
import { errorResponses, okResponse } from '../responses.ts';
import type { TypedApp } from '../typed-app.ts';
import type { SdkParts } from './sdk-parts.ts';

/** The domain checks the length after decoding: a schema would reject an empty code as an unknown path. */
export const CodeParams = Type.Object({
  code: Type.String({
    ...limits({ minLength: 1, maxLength: CODE_CHARACTERS_MAX }),
    description: 'The invite code, usually taken from an invite link. Percent-encode it.',
    examples: ['x4k9zt6h2m8c0v5s1n7q3r9w4j6b8d2f'],
  }),
});

const expiresAt = Type.Optional(time('When the code expires or expired. Omitted if it never expires.'));

const ValidInvite = Type.Object(
  {
    valid: constant(true, 'The code can be used.'),
    email: Type.Optional(
      Type.String({ ...EMAIL, description: 'The invited email. Omitted for a code for many people.' }),
    ),
    waitlist: described(WaitlistReferenceSchema, 'The waitlist the invite is for.'),
    does: Type.Optional(
      constant(
        'advance',
        'The code is for joining the waitlist: name it as `code` in a signup. Omitted for what can be accepted.',
      ),
    ),
    places: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PLACES_MAX,
        description: 'With `does`: how many places earlier whoever joins with it counts as having joined.',
      }),
    ),
    expiresAt,
  },
  { ...named('ValidInvite'), description: 'A code that can be used right now.' },
);

const InvalidInvite = Type.Object(
  {
    valid: constant(false, 'The code cannot be redeemed.'),
    reason: oneOf(['not_found', 'expired', 'accepted', 'revoked'], {
      description: 'Why the code cannot be redeemed.',
    }),
    expiresAt,
  },
  { ...named('InvalidInvite'), description: 'A code that cannot be redeemed.' },
);

const InviteCheckSchema = exactlyOne([ValidInvite, InvalidInvite], {
  ...named('InviteCheck'),
  description: 'Whether an invite code can be redeemed. Check `valid` first.',
});

const schema = {
  operationId: 'checkInvite',
  tags: ['Invites'],
  summary: 'Check an invite code',
  description:
    'Tells you whether a code can be redeemed right now. Checking a code does not use it. Any well-formed code returns 200, ' +
    'even one that does not exist, so check `valid` before you offer to redeem it. If several reasons apply, you get the first of ' +
    '`accepted`, `revoked` and `expired`. A code for many people is `accepted` once it is used up. You can call this endpoint from a browser, from any origin.',
  security: [],
  params: CodeParams,
  response: {
    200: okResponse({
      description: 'The state of the code.',
      schema: InviteCheckSchema,
      examples: {
        live: {
          summary: 'The code is valid',
          value: {
            valid: true,
            email: 'ada@example.com',
            waitlist: EXAMPLE_WAITLIST,
            expiresAt: '2026-12-01T00:00:00.000Z',
          },
        },
        many: {
          summary: 'The code is for many people, and has places left',
          value: { valid: true, waitlist: EXAMPLE_WAITLIST },
        },
        advance: {
          summary: 'The code puts whoever joins with it 50 places earlier',
          value: { valid: true, waitlist: EXAMPLE_WAITLIST, does: 'advance', places: 50 },
        },
        expired: {
          summary: 'The code has expired',
          value: { valid: false, reason: 'expired', expiresAt: '2026-11-01T00:00:00.000Z' },
        },
        unknown: {
          summary: 'The code does not exist',
          value: { valid: false, reason: 'not_found' },
        },
      },
    }),
    ...errorResponses(['invalid_request', 'rate_limited'], {
      invalid_request: {
        when: `The code is empty, longer than ${CODE_CHARACTERS_MAX} characters, or not valid percent-encoding.`,
        message: `code: is longer than ${CODE_CHARACTERS_MAX} characters`,
      },
    }),
  },
};

export function registerCheckInvite(app: TypedApp, { context, limits }: SdkParts): void {
  app.get('/invites/:code', {
    schema,
    onRequest: async (request, reply) => limits.inviteCheck.take(clientOf(request), reply),
    handler: async (request) => {
      return presentInviteCheck(await checkInvite(context, request.params.code));
    },
  });
}

export type PresentedInviteCheck = Static<typeof InviteCheckSchema>;

function presentInviteCheck(check: InviteCheck): PresentedInviteCheck {
  if (check.state === 'not_found') return { valid: false, reason: 'not_found' };
  const expiry = check.expiresAt === null ? {} : { expiresAt: isoTime(check.expiresAt) };
  if (check.state !== 'live') return { valid: false, reason: check.state, ...expiry };
  return {
    valid: true,
    ...(check.email === null ? {} : { email: check.email }),
    waitlist: presentWaitlistReference(check.waitlist),
    ...('places' in check && check.places !== null && { does: 'advance', places: check.places }),
    ...expiry,
  };
}
