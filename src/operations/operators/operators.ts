import Type, { type Static } from 'typebox';
import { isoTime } from '../../lib/time.ts';
import { linkUrl, type OneTimeLink } from '../../operators/links.ts';
import type { Operator } from '../../operators/operator.ts';
import {
  changeRole,
  createOperatorLink,
  endSessionsOf,
  inviteOperator,
  listOperators,
  removeOperator,
} from '../../operators/operators.ts';
import { EMAIL, idPattern, named, oneOf, time, WORD, withExamples } from '../../wire/schema.ts';
import { operation } from '../core/operation.ts';
import type { OperationParts } from '../core/parts.ts';
import { closed, Deleted, emailInput, nameInput, RoleName } from '../core/schemas.ts';

const tag = 'Operators';
const scope = 'installation';

export const OperatorObject = Type.Object(
  {
    id: Type.String({ ...idPattern('opr'), description: 'Unique id of the operator.' }),
    email: Type.String({
      ...EMAIL,
      description: 'Email address the operator signs in with. Empty if it is damaged.',
    }),
    name: Type.String({ description: 'Name of the operator. Empty until the invitation is accepted.' }),
    role: RoleName,
    state: oneOf(['invited', 'active', 'damaged'] as const, {
      description:
        '`invited` until the operator has chosen a password. `damaged` if the stored profile cannot be decrypted: nobody can use the ' +
        'account, and all that is left is to remove it.',
    }),
    twoFactor: Type.Boolean({ description: 'Whether signing in takes a second factor.' }),
    createdAt: time('When the operator was added.'),
  },
  { ...named('Operator'), description: 'A person who can sign in.' },
);

export const EXAMPLE_OPERATOR = {
  id: 'opr_06gxx2p9r1yn1vp1ryss481fhw',
  email: 'grace@example.com',
  name: 'Grace Hopper',
  role: 'owner',
  state: 'active',
  twoFactor: false,
  createdAt: '2026-11-15T09:30:00.000Z',
};

const params = {
  operatorId: Type.String({ ...WORD, description: 'Id of the operator.', examples: [EXAMPLE_OPERATOR.id] }),
};

export const EndedSessions = Type.Object(
  { ended: Type.Integer({ minimum: 0, description: 'Number of sessions that were ended.' }) },
  { ...named('EndedSessions'), description: 'How many sessions were ended.' },
);

const Link = Type.Object(
  {
    kind: oneOf(['invitation', 'reset'] as const, { description: 'What the link is for.' }),
    url: Type.String({ format: 'uri', description: 'One-time link on which the operator sets a password.' }),
    expiresAt: time('When the link stops working.'),
    emailed: Type.Boolean({
      description:
        'Whether the operator is emailed the link, too. `false` without a mail server: the email is kept in the mailbox.',
    }),
  },
  {
    ...named('OneTimeLink'),
    description: 'A link that works once. It is shown only here: pass it on safely.',
  },
);

const EXAMPLE_LINK = {
  kind: 'invitation',
  url: 'https://waitlist.example.com/password/3q2-7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWc',
  expiresAt: '2026-11-22T09:30:00.000Z',
  emailed: true,
};

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

export const operators = [
  operation({
    id: 'listOperators',
    at: 'GET /operators',
    tag,
    summary: 'List operators',
    description: 'Returns everybody who can sign in or was invited to.',
    role: 'admin',
    scope,
    answer: {
      description: 'The operators.',
      schema: OperatorList,
      example: { operators: [EXAMPLE_OPERATOR] },
    },
    run: async ({ parts }) => ({ operators: (await listOperators(parts.context)).map(presentOperator) }),
  }),
  operation({
    id: 'inviteOperator',
    at: 'POST /operators',
    tag,
    summary: 'Invite an operator',
    description:
      'Adds a person and returns a one-time link with which they choose a password. It works for 7 days. If there is a mail server, they are emailed the link, too.',
    role: 'admin',
    scope,
    body: Invitation,
    answer: {
      status: 201,
      description: 'The person was invited.',
      schema: Invited,
      example: invitedExample,
    },
    errors: {
      ...rank,
      conflict: {
        when: 'The email already belongs to an operator.',
        message: 'email: an operator with this email already exists',
      },
    },
    run: async ({ parts, actor, body }) => {
      const { operator, link } = await inviteOperator(parts.context, actor, body);
      return { operator: presentOperator(operator), link: presentLink(link, parts) };
    },
  }),
  operation({
    id: 'changeOperatorRole',
    at: 'PATCH /operators/:operatorId',
    tag,
    summary: 'Change the role of an operator',
    description:
      'Takes effect with the next request of that operator. A higher role ends the open one-time links of the operator. A lower ' +
      'one ends, or caps, admin tokens of theirs that have a higher role, and ends the links that they created to higher roles.',
    role: 'admin',
    scope,
    params,
    body: RoleChange,
    answer: { description: 'The operator.', schema: OperatorObject, example: EXAMPLE_OPERATOR },
    errors: { ...rank, ...lastOwner },
    run: async ({ parts, actor, params: { operatorId }, body }) =>
      presentOperator(await changeRole(parts.context, actor, operatorId, body)),
  }),
  operation({
    id: 'removeOperator',
    at: 'DELETE /operators/:operatorId',
    tag,
    summary: 'Remove an operator',
    description:
      'Ends all sessions of that operator at once, with the admin tokens and one-time links that they created.',
    role: 'admin',
    scope,
    params,
    query: {
      tokens: Type.Optional(
        oneOf(['revoke', 'keep'] as const, {
          description:
            'What happens to admin tokens of this operator. `revoke`, the default, ends them. `keep` makes them yours.',
          examples: ['keep'],
        }),
      ),
    },
    answer: {
      description: 'The operator was removed.',
      schema: Deleted,
      example: { id: EXAMPLE_OPERATOR.id, deleted: true },
    },
    errors: { ...rank, ...lastOwner },
    run: async ({ parts, actor, params: { operatorId: id }, query: { tokens } }) => {
      await removeOperator(parts.context, actor, id, tokens);
      return { id, deleted: true as const };
    },
  }),
  operation({
    id: 'endOperatorSessions',
    at: 'DELETE /operators/:operatorId/sessions',
    tag,
    summary: 'Sign an operator out',
    description: 'Ends all sessions of an operator, who can sign in again.',
    role: 'admin',
    scope,
    params,
    answer: { description: 'The sessions have ended.', schema: EndedSessions, example: { ended: 2 } },
    errors: rank,
    run: async ({ parts, actor, params: { operatorId } }) => ({
      ended: await endSessionsOf(parts.context, actor, operatorId),
    }),
  }),
  operation({
    id: 'createOperatorLink',
    at: 'POST /operators/:operatorId/link',
    tag,
    summary: 'Create a one-time link',
    description:
      'Returns a new link for an operator who lost the invitation or the password. Earlier links stop working. If there is a mail server, they are emailed the link, too.',
    role: 'admin',
    scope,
    params,
    answer: { status: 201, description: 'The link.', schema: Link, example: EXAMPLE_LINK },
    errors: {
      ...rank,
      damaged: {
        when: 'The account is damaged.',
        message: 'this account is damaged: remove it, and invite the person again',
      },
    },
    run: async ({ parts, actor, params: { operatorId: id } }) => {
      const { link } = await createOperatorLink(parts.context, actor, { id });
      return presentLink(link, parts);
    },
  }),
];

export function presentOperator({
  id,
  email,
  name,
  role,
  state,
  twoFactor,
  createdAt,
}: Operator): Static<typeof OperatorObject> {
  return { id, email, name, role, state, twoFactor, createdAt: isoTime(createdAt) };
}

/** Each link is also written to its operator. Without a mail server, that email is kept. */
function presentLink(
  { kind, token, expiresAt }: OneTimeLink,
  { publicUrl, emails }: OperationParts,
): Static<typeof Link> {
  return { kind, url: linkUrl(publicUrl, token), expiresAt: isoTime(expiresAt), emailed: emails.smtp };
}
