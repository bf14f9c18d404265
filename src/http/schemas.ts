import Type, { type TSchema } from 'typebox';
import { STATUSES, type Status } from '../db/tables.ts';
import { EMAIL_MAX_CHARACTERS } from '../waitlist/people/identity.ts';
import { STATUS, type WireCode } from './plugins/errors.ts';

/** Names a schema in the OpenAPI document: what uses it there refers to it. */
export const named = (name: string) => ({ 'x-name': name });

/** Says what a named schema is in this place. Beside the reference, its own description stays as it is. */
export function described<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, description, 'x-description': (schema as { description?: string }).description };
}

/** Limits that the domain checks in its own words. They are documented, and left out of the check of the schema. */
export const limits = (keywords: object) => ({ 'x-limits': keywords });

/** Named examples of a body or a parameter. */
export const withExamples = (examples: Record<string, { summary: string; value: unknown }>) => ({
  'x-examples': examples,
});

export const oneOf = <T extends string>(values: readonly T[], options: object = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], ...options });

/** Said twice: of the generators of clients, some know `const` only and some `enum`. */
export const constant = <T extends string | boolean>(value: T, description: string) =>
  Type.Literal(value, { enum: [value], description });

/** Objects that a constant tells apart. */
export const exactlyOne = (alternatives: TSchema[], options: object) =>
  Type.Unsafe<object>({ oneOf: alternatives, ...options });

const nullable = <T>(type: 'string' | 'integer' | 'object', options: object) =>
  Type.Unsafe<T | null>({ type: [type, 'null'], ...options });

export const time = (description: string) => Type.String({ format: 'date-time', description });
export const timeOrNull = (description: string) =>
  nullable<string>('string', { format: 'date-time', description });

/** Addresses may have letters of any alphabet, which the format `email` does not allow. */
export const EMAIL = { format: 'idn-email', maxLength: EMAIL_MAX_CHARACTERS };
export const CURSOR = { pattern: '^[A-Za-z0-9_-]+$' };
export const idPattern = (prefix: string) => ({ pattern: `^${prefix}_[0-9a-z]{26}$` });

const ErrorCode = oneOf(Object.keys(STATUS) as WireCode[], {
  ...named('ErrorCode'),
  description: 'Identifies the error. Use it in your code.',
});

export const Problem = Type.Object(
  {
    code: ErrorCode,
    message: Type.String({
      description:
        'Explains the error and names the field that caused it. Wording can change; do not parse it.',
    }),
  },
  { ...named('Problem'), description: 'An error. Every endpoint returns errors in this shape.' },
);

export const EntryStatus = oneOf<Status>(STATUSES, {
  ...named('EntryStatus'),
  description:
    '`pending` has not confirmed their email yet, `waiting` is in the queue, `invited` has an invite, ' +
    '`joined` accepted it, and `removed` was taken off the waitlist.',
});

export const Entry = Type.Object(
  {
    id: Type.String({ ...idPattern('ent'), description: 'Unique id of the entry. Never changes.' }),
    email: nullable<string>('string', { ...EMAIL, description: 'Email address, as entered at signup.' }),
    phone: nullable<string>('string', {
      pattern: '^\\+[1-9][0-9]{6,14}$',
      description: 'Phone number in E.164 format.',
    }),
    metadata: nullable<Record<string, unknown>>('object', {
      additionalProperties: true,
      description: 'The custom data sent at signup.',
    }),
    status: EntryStatus,
    position: nullable<number>('integer', {
      minimum: 1,
      description:
        'Current position among waiting entries; 1 is next. Always up to date. `null` unless the status is `waiting`.',
    }),
    referrals: Type.Integer({ minimum: 0, description: 'Number of signups credited to this entry.' }),
    referralCode: nullable<string>('string', {
      description: 'Short code to share. New signups send it as `referredBy`.',
    }),
    referredBy: nullable<string>('string', {
      description: 'Email of the entry credited with this signup, or its phone number if it has no email.',
    }),
    createdAt: time('When the entry was added.'),
    invitedAt: timeOrNull('When the entry was invited.'),
    joinedAt: timeOrNull('When the invite was accepted.'),
  },
  {
    ...named('Entry'),
    description: 'A person on a waitlist. Every field is always present; a missing value is `null`.',
  },
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

export const EXAMPLE_WAITLIST = { id: 'wl_acme', name: 'Acme' };

/** A waitlist that cannot exist is one that does not: the domain answers 404. */
export const WaitlistId = Type.String({
  ...limits({ pattern: '^wl_[a-z0-9][a-z0-9_-]{0,61}$' }),
  description: 'Short id of the waitlist, starting with `wl_`.',
  examples: [EXAMPLE_WAITLIST.id],
});

export const WaitlistReference = Type.Object(
  {
    id: WaitlistId,
    name: Type.String({ description: 'Display name of the waitlist.' }),
  },
  { ...named('WaitlistReference'), description: 'The id and name of a waitlist.' },
);
