import Type, { type TSchema } from 'typebox';
import type { ConditionsOf } from '../../../operations/core/operation.ts';
import { type Access, DUTY_WORDS } from '../../../operators/duties.ts';
import type { Role } from '../../../operators/roles.ts';
import { limits } from '../../../wire/schema.ts';
import { AdminProblemSchema, type WireCode } from '../../problem.ts';
import { errorResponses, type MediaType, okResponse } from '../../responses.ts';
import { idempotencyHeaders } from '../../sdk/sdk-parts.ts';

/** The description of an admin route. `authenticate.ts` enforces `role`. */
interface AdminOperation extends ConditionsOf {
  operationId: string;
  tag: string;
  summary: string;
  description: string;
  /** The lowest role that may call it. `anyone` needs no credentials. */
  role: Role | 'anyone';
  support?: Access['support'];
  /** Not for tokens, because it concerns the caller's own account. */
  person?: true;
  /** Changes something, although it has no body. */
  write?: boolean;
  params?: TSchema;
  querystring?: TSchema;
  body?: TSchema;
  /** The response on success. */
  answer: {
    status?: 200 | 201 | 202;
    description: string;
    schema: TSchema;
    example: unknown;
    /** Default: application/json. */
    type?: string;
    /** What else it can be sent as. */
    otherTypes?: Readonly<Record<string, MediaType>>;
  };
  /** Other successful responses. */
  also?: readonly { status: 200 | 201 | 202; description: string; schema: TSchema; example: unknown }[];
  errors?: readonly WireCode[];
  special?: Partial<Record<WireCode, { when?: string; message?: string }>>;
}

export interface AdminSchema extends ConditionsOf {
  role: Role | 'anyone';
  support?: Access['support'];
  person: boolean;
  body?: TSchema & { properties?: Record<string, TSchema> };
}

/** The schema of a route, including what its role implies. */
export function adminSchema<const Operation extends AdminOperation>(operation: Operation) {
  const {
    tag,
    role,
    person = false,
    answer,
    also = [],
    errors = [],
    special,
    description,
    write = false,
    ...rest
  } = operation;
  const open = role === 'anyone';
  const codes = new Set<WireCode>(['invalid_request', ...errors, 'rate_limited']);
  if (codes.has('not_found')) codes.add('damaged'); // What can be named can be damaged.
  if (!open) codes.add('unauthorized').add('forbidden');
  // A body that is not expected is refused for the same reasons.
  if (rest.body || write) codes.add('cross_site').add('payload_too_large').add('unsupported_media_type');
  if (rest.settings) codes.add('changed_meanwhile');
  const headers = rest.settings || rest.showsSettings ? (['ETag'] as const) : [];
  const response = {
    [answer.status ?? 200]: okResponse({
      description: answer.description,
      schema: answer.schema,
      examples: { example: { summary: answer.description, value: answer.example } },
      limited: false,
      headers: [...headers],
      ...(answer.type ? { type: answer.type } : {}),
      ...(answer.otherTypes ? { otherTypes: answer.otherTypes } : {}),
    }),
    ...Object.fromEntries(
      also.map(({ status, description: about, schema, example }) => [
        status,
        okResponse({
          description: about,
          schema,
          examples: { example: { summary: about, value: example } },
          limited: false,
        }),
      ]),
    ),
    ...errorResponses([...codes], { ...ADMIN_WORDS, ...special }, AdminProblemSchema),
  };
  return {
    ...rest,
    ...(rest.settings ? { headers: Type.Object(ifMatchHeaders) } : {}),
    tags: [tag],
    role,
    person,
    description: `${description} ${requirement(role, person, rest.support)}`,
    security: open ? [] : [{ session: [] }, ...(person ? [] : [{ adminToken: [] }])],
    // For the compiler: a handler returns the response body, whatever its status.
    response: response as unknown as Record<200 | 201 | 202, Operation['answer']['schema']>,
  };
}

const ifMatchHeaders = {
  'if-match': Type.Optional(
    Type.String({
      ...limits({ maxLength: 1_000 }),
      description:
        'ETag of the settings that you change. If somebody else has changed them since, the answer is 412 `changed_meanwhile`.',
      examples: ['"Zk3vQ0p8uVd1mXyT5cRwNg"'],
    }),
  ),
};

const KEY_CONFLICT = {
  when: 'The `Idempotency-Key` was sent with another request before.',
  message: 'Idempotency-Key: was sent with another request before; use a new key for a new request',
};

/** Whether sending a POST again would do something again, so that it takes a key. */
export function takesKey({ role, person, harmless }: AdminSchema): boolean {
  return role !== 'anyone' && !person && harmless === undefined;
}

/** The schema of a route that takes an `Idempotency-Key`. */
export function withKey<Schema extends object>(schema: Schema): Schema {
  const { response } = schema as { response?: Record<string, Described> };
  const { 409: conflict } = errorResponses(
    ['conflict'],
    { conflict: KEY_CONFLICT },
    AdminProblemSchema,
  ) as Record<string, Described>;
  const answers = Object.entries(response ?? {}).map(([status, described]) => [
    status,
    Number(status) < 300
      ? { ...described, headers: { ...described.headers, 'Idempotent-Replayed': Type.String() } }
      : described,
  ]);
  return {
    ...schema,
    headers: Type.Object(idempotencyHeaders),
    response: { 409: conflict, ...Object.fromEntries(answers) },
  };
}

interface Described {
  headers: Record<string, TSchema>;
}

function requirement(role: AdminOperation['role'], person: boolean, support: Access['support']): string {
  if (role === 'anyone') return 'Requires no credential.';
  if (role === 'viewer')
    return person ? 'Requires a signed-in operator; tokens are refused.' : 'Open to every role.';
  if (support === undefined) return `Requires the \`${role}\` role.`;
  const duty = typeof support === 'string' ? DUTY_WORDS[support] : fieldsInWords(support);
  return `Requires the \`${role}\` role, or \`support\` where the owner lets it ${duty}.`;
}

function fieldsInWords(support: Readonly<Record<string, keyof typeof DUTY_WORDS>>): string {
  const duties = Map.groupBy(Object.entries(support), ([, duty]) => duty);
  const words = [...duties].map(([duty, fields]) => {
    const names = fields.map(([name]) => `\`${name}\``).join(', ');
    return `${DUTY_WORDS[duty]} (${names})`;
  });
  return words.join(', or ');
}

const ADMIN_WORDS: AdminOperation['special'] = {
  invalid_request: { message: 'role: must be one of owner, admin, support, viewer' },
  unauthorized: {
    when: 'There is no session and no admin token, or it has expired or was revoked.',
    message: 'sign in, or send an admin token as Authorization: Bearer <token>',
  },
  forbidden: { when: 'The role is not sufficient.', message: 'this requires the admin role' },
  not_found: { when: 'The object does not exist.', message: 'there is no such operator' },
};
