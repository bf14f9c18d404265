import type { TSchema } from 'typebox';
import type { Role } from '../../../operators/roles.ts';
import { AdminProblemSchema, type WireCode } from '../../problem.ts';
import { errorResponses, type MediaType, okResponse } from '../../responses.ts';

/** The description of an admin route. `authenticate.ts` enforces `role`. */
interface AdminOperation {
  operationId: string;
  tag: string;
  summary: string;
  description: string;
  /** The lowest role that may call it. `anyone` needs no credentials. */
  role: Role | 'anyone';
  /** Not for tokens, because it concerns the caller's own account. */
  person?: true;
  /** Changes something, although it has no body. */
  write?: true;
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

export interface AdminSchema {
  role: Role | 'anyone';
  person: boolean;
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
  const response = {
    [answer.status ?? 200]: okResponse({
      description: answer.description,
      schema: answer.schema,
      examples: { example: { summary: answer.description, value: answer.example } },
      limited: false,
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
    tags: [tag],
    role,
    person,
    description: `${description} ${requirement(role, person)}`,
    security: open ? [] : [{ session: [] }, ...(person ? [] : [{ adminToken: [] }])],
    // For the compiler: a handler returns the response body, whatever its status.
    response: response as unknown as Record<200 | 201 | 202, Operation['answer']['schema']>,
  };
}

function requirement(role: AdminOperation['role'], person: boolean): string {
  if (role === 'anyone') return 'Requires no credential.';
  if (role === 'viewer')
    return person ? 'Requires a signed-in operator; tokens are refused.' : 'Open to every role.';
  return `Requires the \`${role}\` role.`;
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
