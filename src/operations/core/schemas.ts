import Type from 'typebox';
import { ROLES, type Role } from '../../operators/roles.ts';
import {
  constant,
  EMAIL,
  idPattern,
  limits,
  named,
  nullable,
  oneOf,
  time,
  timeOrNull,
  withExamples,
} from '../../wire/schema.ts';

export const RoleName = oneOf<Role>(ROLES, {
  ...named('Role'),
  description:
    '`owner` can do everything, `admin` everything except manage owners, `support` sees people and invites them, ' +
    'and `viewer` reads without personal data.',
});

/** Unknown properties are rejected, because a typo must not lose data. */
export const closed = { additionalProperties: false };

export const emailInput = Type.String({
  ...limits(EMAIL),
  description: 'Email address. Not case-sensitive.',
  examples: ['grace@example.com'],
});
export const nameInput = Type.String({
  ...limits({ minLength: 1, maxLength: 100 }),
  description: 'Name that other operators see.',
  examples: ['Grace Hopper'],
});
export const passwordInput = Type.String({ ...limits({ maxLength: 512 }), description: 'Current password.' });
export const PasswordProof = Type.Object(
  { password: passwordInput },
  {
    ...named('PasswordProof'),
    ...closed,
    description: 'Proves that the operator is at the keyboard.',
    ...withExamples({
      password: { summary: 'The current password', value: { password: 'compilers translate words' } },
    }),
  },
);
export const newPasswordInput = Type.String({
  ...limits({ minLength: 12, maxLength: 512 }),
  description: 'New password: 12 to 512 characters, not a common one.',
});
export const codeInput = Type.String({
  maxLength: 64,
  description: 'Code from the authenticator app, or a recovery code.',
});

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

export const TokenObject = Type.Object(
  {
    id: Type.String({ ...idPattern('tok'), description: 'Unique id of the token.' }),
    name: Type.String({ description: 'What the token is for.' }),
    role: RoleName,
    hint: Type.String({ description: 'Last four characters of the token.' }),
    createdAt: time('When the token was created.'),
    expiresAt: timeOrNull('When the token expires. `null`: never.'),
    revokedAt: timeOrNull('When the token was revoked.'),
    lastUsedAt: timeOrNull('When the token was last used, to the minute.'),
    createdBy: nullable<string>('string', {
      description:
        'Who created it: kind and id, such as `operator:opr_…` or `token:tok_…`, or `command-line`. `null` if it is not known.',
    }),
  },
  { ...named('AdminToken'), description: 'A token for automation. The token itself is shown only once.' },
);

export const EXAMPLE_TOKEN = {
  id: 'tok_06gxx2p9r1yn1vp1ryss481fhw',
  name: 'Terraform',
  role: 'admin',
  hint: 'x7Qa',
  createdAt: '2026-11-15T09:30:00.000Z',
  expiresAt: '2027-02-13T09:30:00.000Z',
  revokedAt: null,
  lastUsedAt: null,
  createdBy: 'operator:opr_06gxx2p9r1yn1vp1ryss481fhw',
};

export const Deleted = Type.Object(
  {
    id: Type.String({ description: 'Id of what was deleted.' }),
    deleted: constant(true, 'Always `true`.'),
  },
  { ...named('Deleted'), description: 'Confirms a deletion.' },
);

export const Done = Type.Object(
  { success: constant(true, 'Always `true`.') },
  { ...named('Done'), description: 'Confirms a change.' },
);

export const EndedSessions = Type.Object(
  { ended: Type.Integer({ minimum: 0, description: 'Number of sessions that were ended.' }) },
  { ...named('EndedSessions'), description: 'How many sessions were ended.' },
);

export const Link = Type.Object(
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

export const EXAMPLE_LINK = {
  kind: 'invitation',
  url: 'https://waitlist.example.com/password/3q2-7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWc',
  expiresAt: '2026-11-22T09:30:00.000Z',
  emailed: true,
};
