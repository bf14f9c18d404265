import Type from 'typebox';
import { DENIAL_REASONS, type DenialReason } from '../../waitlist/gate/pass-gate.ts';
import { CODE_CHARACTERS_MAX } from '../../waitlist/invites/invites.ts';
import { EXAMPLE_ENTRY } from '../../wire/entry.ts';
import { EXAMPLE_GATE_SECRET } from '../../wire/keys.ts';
import {
  constant,
  EMAIL,
  exactlyOne,
  idPattern,
  limits,
  named,
  oneOf,
  orOf,
  WORD,
  withExamples,
} from '../../wire/schema.ts';
import { errorResponses, okResponse } from '../responses.ts';
import { idempotencyHeaders } from '../sdk/sdk-parts.ts';
import { PROVIDER_ANSWERS, PROVIDER_QUESTIONS } from './provider-questions.ts';
import { SHAPE_NAMES } from './question-shapes.ts';

/** What people read who are not let in. */
export const DENIALS: Record<DenialReason, string> = {
  not_invited: 'This email address has not been invited yet.',
  expired: 'Your invite has expired.',
  revoked: 'Your invite is no longer valid.',
  already_used: 'Your invite has already been used.',
  closed: 'The waitlist is closed, and this email address was not invited.',
};

export const KEY_NEEDED = 'a valid gate key is required: use the URL that was shown when the key was created';

const GateRequest = Type.Object(
  {
    email: Type.String({
      ...limits(EMAIL),
      description: 'Who wants to sign up. Not case-sensitive.',
      examples: ['ada@example.com'],
    }),
    code: Type.Optional(
      Type.String({
        ...limits({ minLength: 1, maxLength: CODE_CHARACTERS_MAX }),
        description: 'The code of their invite. It counts only for the invited email.',
        examples: ['x4k9zt6h2m8c0v5s1n7q3r9w4j6b8d2f'],
      }),
    ),
  },
  {
    ...named('GateRequest'),
    description: 'A person who wants to sign up to your product.',
    additionalProperties: false,
    ...orOf('GateBody', 'A question, in the words of `shape`.', PROVIDER_QUESTIONS),
    ...withExamples({
      email: { summary: 'Redeem the open invite of this email', value: { email: 'ada@example.com' } },
      code: {
        summary: 'Redeem this invite',
        value: { email: 'ada@example.com', code: 'x4k9zt6h2m8c0v5s1n7q3r9w4j6b8d2f' },
      },
    }),
  },
);

const GateAllowed = Type.Object(
  {
    allow: constant(true, 'The person may sign up. Their invite is used now.'),
    entryId: Type.Optional(
      Type.String({
        ...idPattern('ent'),
        description: 'Their entry. Omitted if they are not on the waitlist.',
      }),
    ),
  },
  { ...named('GateAllowed'), description: 'A person to let in.' },
);

const GateDenied = Type.Object(
  {
    allow: constant(false, 'The person must not sign up.'),
    reason: oneOf(DENIAL_REASONS, {
      description: 'Why not. `closed`: they were not invited, and the waitlist takes no signups.',
    }),
    message: Type.String({ description: 'A sentence that you can show to the person.' }),
  },
  { ...named('GateDenied'), description: 'A person to turn away.' },
);

export const GateAnswerSchema = exactlyOne([GateAllowed, GateDenied], {
  ...named('GateAnswer'),
  description: 'Whether a person may sign up. Check `allow` first.',
  ...orOf('GateReply', 'The answer, in the words of `shape`.', PROVIDER_ANSWERS),
});

export const gateSchema = {
  operationId: 'passGate',
  tags: ['Gate'],
  summary: 'Let only invited people sign up',
  description:
    'Ask before you create an account. If the person has an open invite, it is redeemed and the answer is `allow: true`; an invite ' +
    'lets one sign-up through, even if several ask at the same time. Treat every other answer, and no answer, as a no. ' +
    'To retry safely, send an `Idempotency-Key`: a retry with the same key returns the first response again. ' +
    'The key in the path is the credential: call this from your backend or from your auth provider. With `shape`, the bodies are those ' +
    'of the provider, and errors become refusals that it can show.',
  security: [],
  params: Type.Object({
    gateKey: Type.String({
      ...WORD,
      description: 'A gate key. It decides the waitlist and the environment.',
      examples: [EXAMPLE_GATE_SECRET],
    }),
  }),
  querystring: Type.Object({
    shape: Type.Optional(
      oneOf(SHAPE_NAMES, {
        description: 'The provider that asks. Omit it for the bodies described here.',
        examples: ['supabase'],
      }),
    ),
  }),
  headers: Type.Object(idempotencyHeaders),
  body: GateRequest,
  response: {
    200: okResponse({
      description: 'Whether the person may sign up.',
      schema: GateAnswerSchema,
      examples: {
        allowed: { summary: 'They were invited', value: { allow: true, entryId: EXAMPLE_ENTRY.id } },
        denied: {
          summary: 'They were not invited',
          value: { allow: false, reason: 'not_invited', message: DENIALS.not_invited },
        },
      },
    }),
    ...errorResponses(
      ['invalid_request', 'unauthorized', 'payload_too_large', 'unsupported_media_type', 'rate_limited'],
      {
        invalid_request: {
          when: 'The body, `shape` or the `Idempotency-Key` is malformed.',
          message: 'email: not an email address',
        },
        unauthorized: {
          when: 'The gate key is unknown or was deleted, or the signature of the provider is wrong.',
          message: KEY_NEEDED,
        },
      },
    ),
  },
};
