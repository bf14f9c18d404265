import Type, { type Static } from 'typebox';
import { isoTime } from '../../lib/time.ts';
import { acceptInvite } from '../../waitlist/gate/accept-invite.ts';
import type { Acceptance } from '../../waitlist/invites/claim.ts';
import { constant, described, EMAIL, limits, named, time, withExamples } from '../../wire/schema.ts';
import { EXAMPLE_WAITLIST, presentWaitlistReference, WaitlistReferenceSchema } from '../../wire/waitlist.ts';
import { registerOptionalJsonBody } from '../plugins/body.ts';
import { clientOf } from '../plugins/rate-limit.ts';
import { errorResponses, okResponse } from '../responses.ts';
import type { TypedApp } from '../typed-app.ts';
import { CodeParams } from './check-invite.ts';
import { idempotencyHeaders, readIdempotencyKey, type SdkParts } from './sdk-parts.ts';

const BODY_BYTES_MAX = 16 * 1024;

const AcceptRequest = Type.Object(
  {
    email: Type.Optional(
      Type.String({
        ...limits(EMAIL),
        description:
          'If set, the code is only redeemed if this is the invited email. Required for a code for many people: whom it lets in. Not case-sensitive.',
        examples: ['ada@example.com'],
      }),
    ),
  },
  {
    ...named('AcceptRequest'),
    description: 'Who accepts the invite.',
    additionalProperties: false,
    'x-optional': true,
    ...withExamples({
      withEmail: {
        summary: 'Only accept if this is the invited email',
        value: { email: 'ada@example.com' },
      },
      anyone: { summary: 'Accept for anyone with the code', value: {} },
    }),
  },
);

const InviteAcceptedSchema = Type.Object(
  {
    success: constant(true, 'Always `true`.'),
    email: Type.String({
      ...EMAIL,
      description: 'The invited email, or the one that a code for many people let in.',
    }),
    waitlist: described(WaitlistReferenceSchema, 'The waitlist the invite was for.'),
    acceptedAt: time('When the code was redeemed.'),
  },
  { ...named('InviteAccepted'), description: 'An invite that was just accepted.' },
);

const schema = {
  operationId: 'acceptInvite',
  tags: ['Invites'],
  summary: 'Accept an invite',
  description:
    'Redeems an invite code. A code can be redeemed only once: if several requests try at the same time, exactly one succeeds. ' +
    'A code for many people takes the `email` of each, and lets in no more of them than its limit. Whoever is not on the waitlist is added as `joined`. ' +
    'If the invited person is on the waitlist, their status becomes `joined`. ' +
    'To retry safely, send an `Idempotency-Key`: a retry with the same key returns the first response again. ' +
    'You can call this endpoint from a browser, from any origin.',
  security: [],
  params: CodeParams,
  headers: Type.Object(idempotencyHeaders),
  body: AcceptRequest,
  response: {
    200: okResponse({
      description: 'The code was redeemed.',
      schema: InviteAcceptedSchema,
      examples: {
        redeemed: {
          summary: 'The invite was accepted',
          value: {
            success: true,
            email: 'ada@example.com',
            waitlist: EXAMPLE_WAITLIST,
            acceptedAt: '2026-11-15T09:30:00.000Z',
          },
        },
      },
    }),
    ...errorResponses(
      [
        'invalid_request',
        'not_found',
        'accepted',
        'email_mismatch',
        'expired',
        'revoked',
        'payload_too_large',
        'unsupported_media_type',
        'rate_limited',
      ],
      {
        invalid_request: {
          when: 'The code, the body or the `Idempotency-Key` is malformed, or the code is for joining the waitlist.',
          message: 'email: not an email address',
        },
        not_found: { when: 'The invite does not exist.', message: 'there is no invite with this code' },
        rate_limited: { message: 'more than 300 requests per minute: slow down' },
      },
    ),
  },
};

export function registerAcceptInvite(app: TypedApp, { context, limits, readBody }: SdkParts): void {
  app.register(async (scope: TypedApp) => {
    registerOptionalJsonBody(scope, readBody);
    scope.post('/invites/:code/accept', {
      schema,
      bodyLimit: BODY_BYTES_MAX,
      onRequest: async (request, reply) => limits.inviteAccept.take(clientOf(request), reply),
      preValidation: async (request) => {
        if (request.body === undefined) request.body = {};
      },
      handler: async (request) => {
        const { code } = request.params;
        const { email } = request.body;
        const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
        return presentAcceptance(await acceptInvite(context, { code, email, idempotencyKey }));
      },
    });
  });
}

export type PresentedAcceptance = Static<typeof InviteAcceptedSchema>;

function presentAcceptance({ email, waitlist, acceptedAt }: Acceptance): PresentedAcceptance {
  return {
    success: true,
    email,
    waitlist: presentWaitlistReference(waitlist),
    acceptedAt: isoTime(acceptedAt),
  };
}
