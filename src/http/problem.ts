import Type, { type TSchema } from 'typebox';
import type { ErrorCode } from '../lib/errors.ts';
import { named, oneOf } from '../wire/schema.ts';

/** Errors that only HTTP has. */
export type HttpErrorCode =
  | 'method_not_allowed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'internal_error';
export type WireCode = ErrorCode | HttpErrorCode;

export const STATUS: Record<WireCode, number> = {
  invalid_request: 400,
  unauthorized: 401,
  code_required: 401,
  forbidden: 403,
  cross_site: 403,
  refused: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  changed: 409,
  damaged: 409,
  waitlist_closed: 409,
  accepted: 409,
  email_mismatch: 409,
  expired: 410,
  revoked: 410,
  changed_meanwhile: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  invalid_fields: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
};

const ADMIN_CODES: WireCode[] = [
  'code_required',
  'cross_site',
  'conflict',
  'changed',
  'changed_meanwhile',
  'damaged',
];
/** Only for the public form, which is not in these documents. */
const FORM_CODES: WireCode[] = ['refused', 'invalid_fields'];
const ALL_CODES = (Object.keys(STATUS) as WireCode[]).filter((code) => !FORM_CODES.includes(code));

export const ProblemSchema = problemSchema(ALL_CODES.filter((code) => !ADMIN_CODES.includes(code)));
export const AdminProblemSchema = problemSchema(ALL_CODES, {
  fields: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String({ description: 'Path of the field, such as `fields[0].name`.' }),
        message: Type.String({ description: 'What is wrong with it.' }),
      }),
      { description: 'The fields that the error is about, at most 100. Left out if it is about none.' },
    ),
  ),
});

function problemSchema(codes: WireCode[], more: Record<string, TSchema> = {}) {
  return Type.Object(
    {
      code: oneOf(codes, {
        ...named('ErrorCode'),
        description: 'Identifies the error. Use it in your code.',
      }),
      message: Type.String({
        description:
          'Explains the error and names the field that caused it. Wording can change; do not parse it.',
      }),
      ...more,
    },
    { ...named('Problem'), description: 'An error. Every endpoint returns errors in this shape.' },
  );
}
