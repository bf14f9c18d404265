import Type from 'typebox';
import { constant, exactlyOne, named, type ProviderBody } from '../../wire/schema.ts';

/** Of a question. */
export const BODY_BYTES_MAX = 64 * 1024;
/** No text is longer than the body. */
const LIMIT = { maxLength: BODY_BYTES_MAX };
const text = Type.String(LIMIT);
const email = Type.Optional(text);
/** What is read of the questions of providers. They hold more. */
const user = Type.Object({
  email,
  user_metadata: Type.Optional(Type.Object({ invite_code: Type.Optional(text) })),
});

const SupabaseQuestion = Type.Object(
  { metadata: Type.Object({ uuid: text }), user },
  { ...named('SupabaseQuestion'), description: 'The Before User Created hook of Supabase.' },
);

const Auth0Question = Type.Object(
  { user, transaction: Type.Optional(Type.Object({ state: Type.Optional(text) })) },
  { ...named('Auth0Question'), description: 'What the Action for Auth0 sends.' },
);

const KindeQuestion = Type.Object(
  {
    context: Type.Object({ user: Type.Object({ email }) }),
    request: Type.Optional(Type.Object({ authUrlParams: Type.Object({ state: Type.Optional(text) }) })),
  },
  { ...named('KindeQuestion'), description: 'What the workflow for Kinde sends.' },
);

const WorkosQuestion = Type.Object(
  { id: text, user_data: Type.Object({ email }) },
  { ...named('WorkosQuestion'), description: 'The user registration action of WorkOS.' },
);

const EMAIL = 'ada@example.com';

export const PROVIDER_QUESTIONS: Record<string, ProviderBody> = {
  supabase: {
    schema: SupabaseQuestion,
    summary: 'Supabase',
    value: { metadata: { uuid: '8b34dcdd-9df1-4c10-850a-b3277c653040' }, user: { email: EMAIL } },
  },
  auth0: {
    schema: Auth0Question,
    summary: 'Auth0',
    value: { user: { email: EMAIL }, transaction: { state: 'hKFo2SBkOWpLQ3Yw' } },
  },
  workos: {
    schema: WorkosQuestion,
    summary: 'WorkOS',
    value: { id: '01JATCMC48D2PXGQ', user_data: { email: EMAIL } },
  },
  kinde: {
    schema: KindeQuestion,
    summary: 'Kinde',
    value: { context: { user: { email: EMAIL } }, request: { authUrlParams: { state: '4f6b1c1e' } } },
  },
};

const SupabaseAllowed = Type.Object(
  {},
  { ...named('SupabaseAllowed'), description: 'The person may sign up.', additionalProperties: false },
);

const SupabaseDenied = Type.Object(
  { error: Type.Object({ http_code: Type.Integer(), message: Type.String() }) },
  { ...named('SupabaseDenied'), description: 'A person to turn away.', additionalProperties: false },
);

const time = Type.Integer({ description: 'In milliseconds.' });
const WorkosAnswer = Type.Object(
  {
    object: constant('user_registration_action_response', 'What this is.'),
    payload: exactlyOne(
      [
        Type.Object(
          { verdict: constant('Allow', 'The person may sign up.'), timestamp: time },
          { additionalProperties: false },
        ),
        Type.Object(
          {
            verdict: constant('Deny', 'The person must not sign up.'),
            timestamp: time,
            error_message: Type.String(),
          },
          { additionalProperties: false },
        ),
      ],
      { description: 'What WorkOS reads.' },
    ),
    signature: Type.String({ description: 'Of the payload, with the secret of the gate key.' }),
  },
  { ...named('WorkosAnswer'), description: 'A signed verdict.', additionalProperties: false },
);

const MESSAGE = 'This email address has not been invited yet.';

/** Auth0 and Kinde get the answer as it is. */
export const PROVIDER_ANSWERS: Record<string, ProviderBody> = {
  supabaseAllowed: { schema: SupabaseAllowed, summary: 'Supabase: they were invited', value: {} },
  supabaseDenied: {
    schema: SupabaseDenied,
    summary: 'Supabase: they were not invited',
    value: { error: { http_code: 403, message: MESSAGE } },
  },
  workos: {
    schema: WorkosAnswer,
    summary: 'WorkOS: they were not invited',
    value: {
      object: 'user_registration_action_response',
      payload: { timestamp: 1_794_735_000_000, verdict: 'Deny', error_message: MESSAGE },
      signature: 'd2271d12299f6592d9d44cd9d250f0704e4674c30d79d07c47a66f95ce71cf55',
    },
  },
};
