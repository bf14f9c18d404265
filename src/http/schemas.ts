import Type, { type TSchema } from 'typebox';
import { STATUSES, type Status } from '../db/tables.ts';
import { STATUS } from './plugins/errors.ts';

export const oneOf = <T extends string>(values: readonly T[], options: object = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], ...options });

const nullable = (type: 'string' | 'integer' | 'object', options: object) =>
  Type.Unsafe<unknown>({ type: [type, 'null'], ...options });

const time = (description: string) => nullable('string', { format: 'date-time', description });

export const ErrorBody = Type.Object(
  {
    code: oneOf(Object.keys(STATUS), { description: 'For programs: what to branch on.' }),
    message: Type.String({
      description: 'For people: what is wrong and where. The wording may change; do not parse it.',
    }),
  },
  { $id: 'Error', description: 'What went wrong. Every error of every endpoint has this shape.' },
);

export const Entry = Type.Object(
  {
    id: Type.String({ description: 'Starts with `ent_` and never changes.' }),
    email: nullable('string', { description: 'The address as it was typed at signup.' }),
    phone: nullable('string', { description: 'The number in E.164 form: a plus sign and digits.' }),
    metadata: nullable('object', {
      additionalProperties: true,
      description: 'Your own data, as it was sent at signup.',
    }),
    status: oneOf<Status>(STATUSES, {
      description:
        '`pending` has yet to confirm the email, `waiting` stands in the queue, `invited` holds an invite, ' +
        '`joined` accepted it, `removed` was taken off.',
    }),
    position: nullable('integer', {
      minimum: 1,
      description: 'Place among the waiting entries, 1 is next. Computed live; null for any other status.',
    }),
    referrals: Type.Integer({ minimum: 0, description: 'Signups that were credited to this entry.' }),
    referralCode: nullable('string', {
      description: 'A short code to share. Others send it as `referredBy` when they sign up.',
    }),
    referredBy: nullable('string', {
      description: 'Email of the entry that was credited for this signup, or its phone if it has no email.',
    }),
    createdAt: Type.String({ format: 'date-time', description: 'When the entry was added.' }),
    invitedAt: time('When the entry was invited.'),
    joinedAt: time('When the invite was accepted.'),
  },
  { $id: 'Entry', description: 'One person on a waitlist. An absent value is `null`, never left out.' },
);

export const EXAMPLE_ENTRY = {
  id: 'ent_06gxx2p9r1yn1vp1ryss481fhw',
  email: 'ada@example.com',
  phone: null,
  metadata: { plan: 'pro' },
  status: 'waiting',
  position: 42,
  referrals: 3,
  referralCode: 'k3v9x0ab',
  referredBy: 'grace@example.com',
  createdAt: '2026-11-15T09:30:00.000Z',
  invitedAt: null,
  joinedAt: null,
};

export const WaitlistReference = Type.Object(
  {
    id: Type.String({ description: 'Short waitlist id, `wl_` and a name.' }),
    name: Type.String({ description: 'Display name of the waitlist.' }),
  },
  { $id: 'WaitlistReference', description: 'Names a waitlist.' },
);

export const EXAMPLE_WAITLIST = { id: 'wl_acme', name: 'Acme' };

export const WaitlistId = Type.String({
  description: 'Short waitlist id, `wl_` and a name.',
  examples: [EXAMPLE_WAITLIST.id],
});

/** Points to one of the shared schemas above; a description says what it is in this place. */
export function ref(name: 'Error' | 'Entry' | 'WaitlistReference', description?: string): TSchema {
  const $ref = `${name}#`;
  // Next to a bare $ref the generator drops every other keyword; `finishDocument` unwraps this again.
  return Type.Unsafe<never>(description ? { allOf: [{ $ref }], description } : { $ref });
}

/** Named examples of a body or a parameter. */
export function withExamples(examples: Record<string, { summary: string; value: unknown }>): object {
  return { 'x-examples': examples };
}
