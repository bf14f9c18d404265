import Type, { type TSchema } from 'typebox';
import { ProblemSchema, STATUS, type WireCode } from './problem.ts';

interface ErrorCase {
  when: string;
  message: string;
}

const ERRORS: Record<WireCode, ErrorCase> = {
  invalid_request: {
    when: 'The request is malformed or exceeds a limit.',
    message: 'the path is not valid percent-encoded UTF-8',
  },
  unauthorized: {
    when: 'The server key is missing, malformed, unknown, revoked or expired.',
    message: 'a valid server key is required: send it as Authorization: Bearer <key>',
  },
  code_required: {
    when: 'The password is right, and two-factor authentication requires a `code`.',
    message: 'code: is required',
  },
  forbidden: {
    when: 'The server key is valid but does not have the required grant.',
    message: 'this server key does not have the waitlist:read grant',
  },
  cross_site: {
    when: 'A browser sent this request from another site.',
    message: 'this request came from another site',
  },
  not_found: {
    when: 'The waitlist does not exist, or the server key does not have access to it.',
    message: 'there is no such waitlist',
  },
  method_not_allowed: {
    when: 'The path does not support this method. `Allow` lists the methods it supports.',
    message: 'this path supports only GET, HEAD',
  },
  conflict: {
    when: 'The current state does not allow this.',
    message: 'email: an operator with this email already exists',
  },
  changed: {
    when: 'What was confirmed is not what would happen now.',
    message: 'expect: 120 would be invited now, not 118',
  },
  damaged: {
    when: 'What is stored about this is damaged and cannot be decrypted.',
    message: 'what is stored about this is damaged and cannot be decrypted. A backup may still have it',
  },
  waitlist_closed: {
    when: 'The waitlist is closed to new signups.',
    message: 'this waitlist is closed to new signups',
  },
  accepted: {
    when: 'The invite has already been accepted.',
    message: 'this invite has already been accepted',
  },
  email_mismatch: {
    when: 'The `email` in the request is not the invited email.',
    message: 'email: this invite is for a different email address',
  },
  expired: { when: 'The invite has expired.', message: 'this invite has expired' },
  revoked: { when: 'The invite was revoked.', message: 'this invite was revoked' },
  changed_meanwhile: {
    when: 'The settings are no longer those with the ETag in `If-Match`. Nothing was changed.',
    message: 'If-Match: somebody else has changed this meanwhile; read it again',
  },
  payload_too_large: {
    when: 'The request body is too large.',
    message: 'the body is too large for this endpoint',
  },
  unsupported_media_type: {
    when: 'The request body was not sent as `application/json`, or has a `Content-Encoding`.',
    message: 'the body must be sent as Content-Type: application/json',
  },
  refused: { when: 'The request looks like a bot.', message: 'this request was refused' },
  invalid_fields: { when: 'A field of the form is invalid.', message: 'Check the marked field.' },
  rate_limited: {
    when: 'Too many requests, or too many large bodies at once. Wait for the number of seconds in `Retry-After`.',
    message: 'more than 600 requests per minute: slow down',
  },
  internal_error: {
    when: 'Something went wrong on the server. Look up the request id in the log.',
    message: 'something went wrong on our side; find the request id in the log for details',
  },
  unavailable: {
    when: 'The service is starting, stopping, overloaded, or cannot reach its database. It is safe to retry.',
    message: 'the service is shutting down: try again in a moment',
  },
};

const EVERYWHERE: WireCode[] = ['internal_error', 'unavailable'];

/**
 * The error responses of a route: one per status, with an example for each code. `special` overrides
 * messages.
 */
export function errorResponses(
  codes: WireCode[],
  special: Partial<Record<WireCode, Partial<ErrorCase>>> = {},
  problem: TSchema = ProblemSchema,
): object {
  const byStatus = new Map<number, WireCode[]>();
  for (const code of [...codes, ...EVERYWHERE]) {
    byStatus.set(STATUS[code], [...(byStatus.get(STATUS[code]) ?? []), code]);
  }
  const limited = codes.includes('rate_limited');
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [status, errorResponse(list, special, limited, problem)]),
  );
}

function errorResponse(
  codes: WireCode[],
  special: Partial<Record<WireCode, Partial<ErrorCase>>>,
  limited: boolean,
  problem: TSchema,
): TSchema {
  const cases = codes.map((code) => ({ code, ...ERRORS[code], ...special[code] }));
  const examples = Object.fromEntries(
    cases.map(({ code, when, message }) => [code, { summary: when, value: { code, message } }]),
  );
  const counted = limited && !codes.some((code) => EVERYWHERE.includes(code));
  return {
    description: cases.map(({ code, when }) => `\`${code}\`: ${when}`).join(' '),
    headers: headers(...codes.flatMap((code) => ERROR_HEADERS[code] ?? []), ...(counted ? RATE_LIMIT : [])),
    content: { 'application/json': { schema: problem, examples } },
  } as unknown as TSchema;
}

/** Defined once under `components`. Responses refer to those they have. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': {
    description: 'Identifies the request in the log: the id you sent, if it was valid, or a generated one.',
    schema: {
      type: 'string',
      pattern: '^[A-Za-z0-9._:/+=-]{1,128}$',
      examples: ['req_5f0c1d2e3b4a5968770a1'],
    },
  },
  'WWW-Authenticate': {
    description: 'The authentication scheme to use.',
    schema: { type: 'string', const: 'Bearer' },
  },
  'Retry-After': {
    description: 'Number of seconds to wait before retrying.',
    schema: { type: 'integer', minimum: 1, examples: [12] },
  },
  ETag: {
    description:
      'Names the settings in this answer. Send it as `If-Match` with a change, to change nothing if they are others by then.',
    schema: { type: 'string', examples: ['"Zk3vQ0p8uVd1mXyT5cRwNg"'] },
  },
  'Idempotent-Replayed': {
    description:
      '`true` if this is the answer to an earlier request with the same `Idempotency-Key`. Not sent otherwise.',
    schema: { type: 'string', const: 'true' },
  },
  'Preference-Applied': {
    description: 'The preference of the `Prefer` header that was honored. Not sent otherwise.',
    schema: { type: 'string', const: 'return=representation' },
  },
  RateLimit: {
    description:
      'Requests remaining (`r`) and seconds until the limit resets (`t`). Not sent when the limit is turned off.',
    schema: {
      type: 'string',
      pattern: '^"[a-z-]+";r=[0-9]+;t=[0-9]+$',
      examples: ['"invite-check";r=599;t=60'],
    },
  },
  'RateLimit-Policy': {
    description:
      'The limit: requests allowed (`q`) in a window of `w` seconds. Not sent when the limit is turned off.',
    schema: {
      type: 'string',
      pattern: '^"[a-z-]+";q=[0-9]+;w=[0-9]+$',
      examples: ['"invite-check";q=600;w=60'],
    },
  },
};

type HeaderName = keyof typeof RESPONSE_HEADERS;

const RATE_LIMIT: HeaderName[] = ['RateLimit', 'RateLimit-Policy'];
const ERROR_HEADERS: Partial<Record<WireCode, HeaderName[]>> = {
  unauthorized: ['WWW-Authenticate'],
  code_required: ['WWW-Authenticate'],
  rate_limited: ['Retry-After'],
  unavailable: ['Retry-After'],
};

function headers(...names: HeaderName[]): Record<string, TSchema> {
  return Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, Type.String()]));
}

interface OkOptions<T extends TSchema> {
  description: string;
  schema: T;
  examples: Record<string, { summary: string; value: unknown }>;
  /** Whether a rate limit counts these requests. */
  limited?: boolean;
  /** Besides those of every response. */
  headers?: HeaderName[];
  /** Default: application/json. */
  type?: string;
  /** What else it can be sent as. */
  otherTypes?: Readonly<Record<string, MediaType>>;
}

export interface MediaType {
  schema: TSchema;
  examples: Record<string, { summary: string; value: unknown }>;
}

/** A response with examples. To the compiler, it is the schema of the body that handlers must return. */
export function okResponse<T extends TSchema>({
  description,
  schema,
  examples,
  limited = true,
  headers: more = [],
  type = 'application/json',
  otherTypes = {},
}: OkOptions<T>): T {
  return {
    description,
    headers: headers(...(limited ? RATE_LIMIT : []), ...more),
    content: { [type]: { schema, examples }, ...otherTypes },
  } as unknown as T;
}
