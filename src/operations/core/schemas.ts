import Type from 'typebox';
import { ROLES, type Role } from '../../operators/roles.ts';
import { constant, EMAIL, limits, named, oneOf, withExamples } from '../../wire/schema.ts';

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
