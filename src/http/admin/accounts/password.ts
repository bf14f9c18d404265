import Type from 'typebox';
import { closed, nameInput, newPasswordInput } from '../../../operations/core/schemas.ts';
import {
  EXAMPLE_OPERATOR,
  OperatorObject,
  presentOperator,
} from '../../../operations/operators/operators.ts';
import { followLink } from '../../../operators/links.ts';
import { named, withExamples } from '../../../wire/schema.ts';
import { clientOf } from '../../plugins/rate-limit.ts';
import type { TypedApp } from '../../typed-app.ts';
import { type AdminParts, takeSignIn } from '../core/admin-parts.ts';
import { adminSchema } from '../core/operation.ts';

const PasswordRequest = Type.Object(
  {
    token: Type.String({ maxLength: 200, description: 'Last part of the one-time link.' }),
    name: Type.Optional(nameInput),
    password: newPasswordInput,
  },
  {
    ...named('PasswordRequest'),
    ...closed,
    description: 'A one-time link and the password that its holder chose.',
    ...withExamples({
      invitation: {
        summary: 'Accept an invitation',
        value: {
          token: '3q2-7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWc',
          name: 'Grace Hopper',
          password: 'compilers translate words',
        },
      },
    }),
  },
);

const schema = adminSchema({
  operationId: 'setPassword',
  tag: 'Sign-in',
  summary: 'Set a password with a one-time link',
  description:
    'Accepts an invitation, or resets a password. Ends all sessions of the operator and leaves two-factor authentication as it is. ' +
    'Sign in afterwards.',
  role: 'anyone',
  body: PasswordRequest,
  answer: { description: 'The password was set.', schema: OperatorObject, example: EXAMPLE_OPERATOR },
  errors: ['expired'],
  special: {
    expired: {
      when: 'The link was used, replaced or has expired.',
      message: 'this link has been used or has expired: request a new one',
    },
  },
});

export function registerPassword(app: TypedApp, parts: AdminParts): void {
  app.post('/password', { schema }, async (request, reply) => {
    await takeSignIn(parts, request, reply, request.body.token);
    return presentOperator(await followLink(parts.context, request.body, clientOf(request)));
  });
}
