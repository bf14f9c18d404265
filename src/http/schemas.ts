import Type, { type TSchema } from 'typebox';
import { STATUSES, type Status } from '../db/tables.ts';
import { STATUS, type WireCode } from './plugins/errors.ts';

export const oneOf = <T extends string>(values: readonly T[], options: object = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], ...options });

const nullable = (type: 'string' | 'integer' | 'object', options: object) =>
  Type.Unsafe<unknown>({ type: [type, 'null'], ...options });

const time = (description: string) => nullable('string', { format: 'date-time', description });

export const ErrorBody = Type.Object(
  { code: Type.String(), message: Type.String() },
  { $id: 'Error', description: 'What went wrong: a code for programs, a message for people.' },
);

export const Entry = Type.Object(
  {
    id: Type.String({ description: 'Starts with `ent_`.' }),
    email: nullable('string', { description: 'As it was typed.' }),
    phone: nullable('string', { description: 'In E.164 form.' }),
    metadata: nullable('object', { additionalProperties: true, description: 'As it was sent.' }),
    status: oneOf<Status>(STATUSES),
    position: nullable('integer', {
      minimum: 1,
      description: 'Place among the waiting entries, computed live; null for any other status.',
    }),
    referrals: Type.Integer({ minimum: 0, description: 'Signups credited to this entry.' }),
    referralCode: nullable('string', { description: 'Can be sent as `referredBy` by others.' }),
    referredBy: nullable('string', { description: 'Email, or else phone, of the credited referrer.' }),
    createdAt: Type.String({ format: 'date-time' }),
    invitedAt: time('When the entry was invited.'),
    joinedAt: time('When the invite was accepted.'),
  },
  { $id: 'Entry', additionalProperties: false, description: 'One person in the queue.' },
);

export const EXAMPLE_ENTRY = {
  id: 'ent_06e4zv2m5s9f1k7qj8x0c3r4td',
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
    id: Type.String({ description: 'Short waitlist id, `wl_<name>`.' }),
    name: Type.String({ description: 'Display name.' }),
  },
  { $id: 'WaitlistReference', additionalProperties: false, description: 'Names a waitlist.' },
);

/** Points to one of the shared schemas above. */
export const ref = (name: 'Error' | 'Entry' | 'WaitlistReference') =>
  Type.Unsafe<never>({ $ref: `${name}#` });

const ERROR_EXAMPLES: Partial<Record<WireCode, string>> = {
  invalid_request: 'entries[3].email: not an email address',
  unauthorized: 'a valid server key is needed: send it as Authorization: Bearer <key>',
  forbidden: 'this server key lacks the grant waitlist:read',
  not_found: 'there is no such waitlist',
  waitlist_closed: 'this waitlist takes no new signups',
  accepted: 'this invite has been accepted already',
  email_mismatch: 'email: this invite belongs to another email address',
  expired: 'this invite has expired',
  revoked: 'this invite was revoked',
  payload_too_large: 'the body is larger than this endpoint takes',
  unsupported_media_type: 'the body must be sent as Content-Type: application/json',
  rate_limited: 'more than 600 requests in a minute: slow down',
  internal_error: 'something went wrong on our side; the request id names this failure in the log',
  unavailable: 'the service is shutting down: try again in a moment',
};

const EVERYWHERE: WireCode[] = ['internal_error', 'unavailable'];

/** The error responses of a route, for its schema: one for each status, with an example for each code. */
export function errorResponses(...codes: WireCode[]): Record<number, TSchema> {
  const byStatus = new Map<number, WireCode[]>();
  for (const code of [...codes, ...EVERYWHERE]) {
    byStatus.set(STATUS[code], [...(byStatus.get(STATUS[code]) ?? []), code]);
  }
  return Object.fromEntries([...byStatus].map(([status, list]) => [status, errorResponse(list)]));
}

function errorResponse(codes: WireCode[]): TSchema {
  const examples = Object.fromEntries(
    codes.map((code) => [code, { value: { code, message: ERROR_EXAMPLES[code] ?? code } }]),
  );
  return {
    description: codes.map((code) => `\`${code}\``).join(' or '),
    headers: headersFor(codes),
    content: { 'application/json': { schema: ref('Error'), examples } },
  } as unknown as TSchema;
}

function headersFor(codes: WireCode[]): Record<string, TSchema> {
  const headers: Record<string, TSchema> = {
    'X-Request-Id': Type.String({ description: 'Names this request in the log.' }),
  };
  if (codes.includes('unauthorized')) headers['WWW-Authenticate'] = Type.String({ description: '`Bearer`' });
  if (codes.includes('rate_limited') || codes.includes('unavailable')) {
    headers['Retry-After'] = Type.Integer({ description: 'Seconds to wait before the next try.' });
  }
  if (codes.includes('rate_limited')) {
    headers.RateLimit = Type.String({ description: 'What is left of the limit, and for how long.' });
    headers['RateLimit-Policy'] = Type.String({ description: 'The limit and its window.' });
  }
  return headers;
}

/** A JSON response with an example. */
export function okResponse(description: string, schema: TSchema, examples: Record<string, unknown>): TSchema {
  const named = Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
  return { description, content: { 'application/json': { schema, examples: named } } } as unknown as TSchema;
}
