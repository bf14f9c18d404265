import Type from 'typebox';
import { closed, emailInput, nameInput, newPasswordInput } from '../../../operations/core/schemas.ts';
import {
  EXAMPLE_OPERATOR,
  OperatorObject,
  presentOperator,
} from '../../../operations/operators/operators.ts';
import { completeSetup } from '../../../operators/setup.ts';
import { signInByLink } from '../../../operators/sign-in.ts';
import { named, withExamples } from '../../../wire/schema.ts';
import { clientOf } from '../../plugins/rate-limit.ts';
import type { TypedApp } from '../../typed-app.ts';
import { type AdminParts, clientDetails, startSession, takeSignIn } from '../core/admin-parts.ts';
import { adminSchema } from '../core/operation.ts';

const SetupRequest = Type.Object(
  {
    token: Type.String({
      maxLength: 200,
      description: 'Last part of the set-up link that the server printed.',
    }),
    email: emailInput,
    name: nameInput,
    password: newPasswordInput,
  },
  {
    ...named('SetupRequest'),
    ...closed,
    description: 'The first owner.',
    ...withExamples({
      owner: {
        summary: 'The first owner',
        value: {
          token: '3q2-7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWc',
          email: 'grace@example.com',
          name: 'Grace Hopper',
          password: 'compilers translate words',
        },
      },
    }),
  },
);

const schema = adminSchema({
  operationId: 'setUp',
  tag: 'Sign-in',
  summary: 'Create the first owner',
  description:
    'Creates the first owner and signs them in. The set-up link works once, until the installation has an owner.',
  role: 'anyone',
  body: SetupRequest,
  answer: {
    status: 201,
    description: 'The owner was created and is signed in.',
    schema: OperatorObject,
    example: EXAMPLE_OPERATOR,
  },
  errors: ['not_found'],
  special: {
    not_found: {
      when: 'The token is wrong, or the installation already has an owner.',
      message: 'this set-up link is invalid, or the installation already has an owner',
    },
  },
});

export function registerSetup(app: TypedApp, parts: AdminParts): void {
  app.post('/setup', { schema }, async (request, reply) => {
    const input = request.body;
    await takeSignIn(parts, request, reply, input.token);
    const operator = await completeSetup(parts.context, input, clientOf(request));
    const browser = { client: clientDetails(request), ...parts.cookies.read(request) };
    const signedIn = await signInByLink(parts, operator, browser);
    if (signedIn) startSession(parts, reply, signedIn);
    reply.code(201);
    return presentOperator(operator);
  });
}
