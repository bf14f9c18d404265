import Type from 'typebox';
import {
  closed,
  Deleted,
  EndedSessions,
  EXAMPLE_LINK,
  EXAMPLE_OPERATOR,
  emailInput,
  Link,
  nameInput,
  OperatorObject,
  RoleName,
} from '../../../operations/core/schemas.ts';
import {
  changeRole,
  createOperatorLink,
  endSessionsOf,
  inviteOperator,
  listOperators,
  removeOperator,
} from '../../../operators/operators.ts';
import { named, oneOf, WORD, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { presentLink, presentOperator } from './present.ts';

const tag = 'Operators';

const OperatorList = Type.Object(
  { operators: Type.Array(OperatorObject, { description: 'In the order in which they were added.' }) },
  { ...named('OperatorList'), description: 'Everybody who can sign in.' },
);

const Invitation = Type.Object(
  { email: emailInput, name: Type.Optional(nameInput), role: RoleName },
  {
    ...named('Invitation'),
    ...closed,
    description: 'A person to invite.',
    ...withExamples({
      support: {
        summary: 'Invite somebody from support',
        value: { email: 'ada@example.com', name: 'Ada', role: 'support' },
      },
    }),
  },
);

const Invited = Type.Object(
  { operator: OperatorObject, link: Link },
  { ...named('InvitedOperator'), description: 'The new operator and the link to pass on.' },
);

const RoleChange = Type.Object(
  {
    role: RoleName,
    tokens: Type.Optional(
      oneOf(['revoke', 'cap'] as const, {
        description:
          'What happens to admin tokens of this operator with a higher role than the new one. `revoke`, the default, ends them. ' +
          '`cap` gives them the new role.',
      }),
    ),
  },
  {
    ...named('RoleChange'),
    ...closed,
    description: 'The new role.',
    ...withExamples({ admin: { summary: 'Make somebody an admin', value: { role: 'admin' } } }),
  },
);

const OperatorParams = Type.Object({
  operatorId: Type.String({ ...WORD, description: 'Id of the operator.', examples: [EXAMPLE_OPERATOR.id] }),
});

const invitedExample = {
  operator: { ...EXAMPLE_OPERATOR, email: 'ada@example.com', name: 'Ada', role: 'support', state: 'invited' },
  link: EXAMPLE_LINK,
};
const lastOwner = {
  conflict: {
    when: 'This is the only owner.',
    message: 'this is the only owner: make someone else an owner first',
  },
};
const rank = {
  forbidden: {
    when: 'The role is not sufficient. Only owners can manage owners.',
    message: 'role: an admin cannot manage an owner',
  },
};

const listSchema = adminSchema({
  operationId: 'listOperators',
  tag,
  summary: 'List operators',
  description: 'Returns everybody who can sign in or was invited to.',
  role: 'admin',
  answer: {
    description: 'The operators.',
    schema: OperatorList,
    example: { operators: [EXAMPLE_OPERATOR] },
  },
});

const inviteSchema = adminSchema({
  operationId: 'inviteOperator',
  tag,
  summary: 'Invite an operator',
  description:
    'Adds a person and returns a one-time link with which they choose a password. It works for 7 days. If there is a mail server, they are emailed the link, too.',
  role: 'admin',
  body: Invitation,
  answer: { status: 201, description: 'The person was invited.', schema: Invited, example: invitedExample },
  errors: ['conflict'],
  special: {
    ...rank,
    conflict: {
      when: 'The email already belongs to an operator.',
      message: 'email: an operator with this email already exists',
    },
  },
});

const changeSchema = adminSchema({
  operationId: 'changeOperatorRole',
  tag,
  summary: 'Change the role of an operator',
  description:
    'Takes effect with the next request of that operator. A higher role ends the open one-time links of the operator. A lower ' +
    'one ends, or caps, admin tokens of theirs that have a higher role, and ends the links that they created to higher roles.',
  role: 'admin',
  params: OperatorParams,
  body: RoleChange,
  answer: { description: 'The operator.', schema: OperatorObject, example: EXAMPLE_OPERATOR },
  errors: ['not_found', 'conflict'],
  special: { ...rank, ...lastOwner },
});

const removeSchema = adminSchema({
  operationId: 'removeOperator',
  write: true,
  tag,
  summary: 'Remove an operator',
  description:
    'Ends all sessions of that operator at once, with the admin tokens and one-time links that they created.',
  role: 'admin',
  params: OperatorParams,
  querystring: Type.Object(
    {
      tokens: Type.Optional(
        oneOf(['revoke', 'keep'] as const, {
          description:
            'What happens to admin tokens of this operator. `revoke`, the default, ends them. `keep` makes them yours.',
          examples: ['keep'],
        }),
      ),
    },
    closed,
  ),
  answer: {
    description: 'The operator was removed.',
    schema: Deleted,
    example: { id: EXAMPLE_OPERATOR.id, deleted: true },
  },
  errors: ['not_found', 'conflict'],
  special: { ...rank, ...lastOwner },
});

const linkSchema = adminSchema({
  operationId: 'createOperatorLink',
  write: true,
  tag,
  summary: 'Create a one-time link',
  description:
    'Returns a new link for an operator who lost the invitation or the password. Earlier links stop working. If there is a mail server, they are emailed the link, too.',
  role: 'admin',
  params: OperatorParams,
  answer: { status: 201, description: 'The link.', schema: Link, example: EXAMPLE_LINK },
  errors: ['not_found'],
  special: {
    ...rank,
    damaged: {
      when: 'The account is damaged.',
      message: 'this account is damaged: remove it, and invite the person again',
    },
  },
});

const endSessionsSchema = adminSchema({
  operationId: 'endOperatorSessions',
  write: true,
  tag,
  summary: 'Sign an operator out',
  description: 'Ends all sessions of an operator, who can sign in again.',
  role: 'admin',
  params: OperatorParams,
  answer: { description: 'The sessions have ended.', schema: EndedSessions, example: { ended: 2 } },
  errors: ['not_found'],
  special: rank,
});

export function registerOperators(app: TypedApp, parts: AdminParts): void {
  const { context } = parts;
  app.get('/operators', { schema: listSchema }, async () => ({
    operators: (await listOperators(context)).map(presentOperator),
  }));

  app.post('/operators', { schema: inviteSchema }, async ({ caller, body }, reply) => {
    const { operator, link } = await inviteOperator(context, caller.actor, body);
    reply.code(201);
    return { operator: presentOperator(operator), link: presentLink(link, parts) };
  });

  app.patch('/operators/:operatorId', { schema: changeSchema }, async ({ caller, params, body }) => {
    const { operatorId } = params;
    return presentOperator(await changeRole(context, caller.actor, operatorId, body));
  });

  app.delete('/operators/:operatorId', { schema: removeSchema }, async ({ caller, params, query }) => {
    const { operatorId: id } = params;
    await removeOperator(context, caller.actor, id, query.tokens);
    return { id, deleted: true as const };
  });

  app.delete('/operators/:operatorId/sessions', { schema: endSessionsSchema }, async ({ caller, params }) => {
    const { operatorId } = params;
    return { ended: await endSessionsOf(context, caller.actor, operatorId) };
  });

  app.post('/operators/:operatorId/link', { schema: linkSchema }, async ({ caller, params }, reply) => {
    const { operatorId: id } = params;
    const { link } = await createOperatorLink(context, caller.actor, { id });
    reply.code(201);
    return presentLink(link, parts);
  });
}
