import Type from 'typebox';
import { closed, codeInput, Done, emailInput, passwordInput } from '../../../operations/core/schemas.ts';
import {
  EXAMPLE_OPERATOR,
  OperatorObject,
  presentOperator,
} from '../../../operations/operators/operators.ts';
import { endSession } from '../../../operators/sessions.ts';
import { REFUSAL, signIn } from '../../../operators/sign-in.ts';
import { named, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { type AdminParts, clientDetails, personOf, startSession, takeSignIn } from '../core/admin-parts.ts';
import { adminSchema } from '../core/operation.ts';

const Credentials = Type.Object(
  { email: emailInput, password: passwordInput, code: Type.Optional(codeInput) },
  {
    ...named('Credentials'),
    ...closed,
    description: 'What an operator signs in with.',
    ...withExamples({
      password: {
        summary: 'Without a second factor',
        value: { email: 'grace@example.com', password: 'compilers translate words' },
      },
      code: {
        summary: 'With a code from the authenticator app',
        value: { email: 'grace@example.com', password: 'compilers translate words', code: '492039' },
      },
    }),
  },
);

const signInSchema = adminSchema({
  operationId: 'signIn',
  tag: 'Sign-in',
  summary: 'Sign in',
  description:
    'Starts a session and sets its cookie. If the operator has two-factor authentication and you send no `code`, ' +
    'the answer is `code_required`: ask for the code and send everything again. After five wrong attempts for one account ' +
    'from one address, each further one has to wait longer.',
  role: 'anyone',
  body: Credentials,
  answer: { description: 'The operator is signed in.', schema: OperatorObject, example: EXAMPLE_OPERATOR },
  errors: ['unauthorized', 'code_required'],
  special: {
    unauthorized: { when: 'Something is wrong. The answer does not say which part.', message: REFUSAL },
    rate_limited: {
      when: 'Too many attempts. Wait for the number of seconds in `Retry-After`.',
      message: 'too many attempts: try again in 2 minutes',
    },
  },
});

const signOutSchema = adminSchema({
  operationId: 'signOut',
  write: true,
  tag: 'Sign-in',
  summary: 'Sign out',
  description: 'Ends the session.',
  role: 'viewer',
  person: true,
  answer: { description: 'The session has ended.', schema: Done, example: { success: true } },
});

export function registerSession(app: TypedApp, parts: AdminParts): void {
  const { context, cookies } = parts;
  app.post('/session', { schema: signInSchema }, async (request, reply) => {
    await takeSignIn(parts, request, reply);
    const credentials = request.body;
    const signedIn = await signIn(parts, {
      ...credentials,
      client: clientDetails(request),
      ...cookies.read(request),
    });
    startSession(parts, reply, signedIn);
    return presentOperator(signedIn.operator);
  });

  app.delete('/session', { schema: signOutSchema }, async (request, reply) => {
    const { actor, sessionId } = personOf(request);
    await endSession(context, actor, sessionId);
    cookies.clearSession(reply);
    return { success: true as const };
  });
}
