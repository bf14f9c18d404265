import Type from 'typebox';
import { closed, EXAMPLE_OPERATOR } from '../../../operations/core/schemas.ts';
import { AUDIT_ACTIONS } from '../../../operators/audit.ts';
import { listAudit } from '../../../operators/read-audit.ts';
import { named, oneOf, time, WORD } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { presentAudit } from './present.ts';

const LIMIT = 50;
const LIMIT_MAX = 200;

const nullableText = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description });
const nullableObject = (description: string) =>
  Type.Unsafe<object | null>({ type: ['object', 'null'], additionalProperties: true, description });

const Reference = (name: string, description: string) =>
  Type.Object(
    {
      kind: Type.String({
        description:
          'Kind of object: `operator`, `token`, `session`, `command-line`, or `anonymous` for somebody who is not signed in.',
      }),
      id: nullableText('Its id. `null` for the command line.'),
      name: nullableText('Email or name at that time.'),
    },
    { ...named(name), description },
  );

const AuditObject = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'Number of the record, without gaps.' }),
    at: time('When it happened.'),
    action: oneOf(AUDIT_ACTIONS, { ...named('AuditAction'), description: 'What happened.' }),
    actor: Reference('AuditActor', 'Who did it.'),
    object: Type.Unsafe<object | null>({
      anyOf: [Reference('AuditObject', 'What it was done to.'), { type: 'null' }],
      description: 'What it was done to. `null` when it was the account of the actor.',
    }),
    address: nullableText('Address the request came from.'),
    before: nullableObject('Values before the change.'),
    after: nullableObject('Values after the change.'),
    damaged: Type.Boolean({
      description: 'Whether names, address and values are missing because they cannot be decrypted.',
    }),
  },
  { ...named('AuditRecord'), description: 'One thing that an operator, a token or the command line did.' },
);

const AuditPage = Type.Object(
  {
    records: Type.Array(AuditObject, { maxItems: LIMIT_MAX, description: 'Newest first.' }),
    nextCursor: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      pattern: '^[0-9]+$',
      description: 'Pass this as `cursor` to get the next page. `null` on the last page.',
    }),
  },
  { ...named('AuditPage'), description: 'One page of the audit trail.' },
);

const Query = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMIT_MAX,
        description: 'Records per page. Default: 50.',
        examples: [50],
      }),
    ),
    cursor: Type.Optional(
      Type.String({ ...WORD, description: '`nextCursor` of the previous page.', examples: ['1280'] }),
    ),
    action: Type.Optional(
      oneOf(AUDIT_ACTIONS, { description: 'Only this action.', examples: ['session.created'] }),
    ),
    actor: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Only what this actor did: its kind and id, joined with a colon.',
        examples: [`operator:${EXAMPLE_OPERATOR.id}`],
      }),
    ),
    object: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Only what was done to this object: its kind and id, joined with a colon.',
        examples: [`operator:${EXAMPLE_OPERATOR.id}`],
      }),
    ),
  },
  closed,
);

const schema = adminSchema({
  operationId: 'listAudit',
  tag: 'Audit trail',
  summary: 'List the audit trail',
  description: 'Returns who did what, newest first. Records cannot be changed or deleted.',
  role: 'admin',
  querystring: Query,
  answer: {
    description: 'A page of records.',
    schema: AuditPage,
    example: {
      records: [
        {
          number: 7,
          at: '2026-11-15T09:30:00.000Z',
          action: 'operator.role_changed',
          actor: { kind: 'operator', id: EXAMPLE_OPERATOR.id, name: 'grace@example.com' },
          object: { kind: 'operator', id: 'opr_06gxx2p9r1yn1vp1ryss481fhx', name: 'ada@example.com' },
          address: '192.0.2.1',
          before: { role: 'viewer' },
          after: { role: 'support' },
          damaged: false,
        },
      ],
      nextCursor: '7',
    },
  },
});

export function registerAudit(app: TypedApp, { context }: AdminParts): void {
  app.get('/audit', { schema }, async ({ query }) => {
    const { limit = LIMIT, ...filter } = query;
    const { records, nextCursor } = await listAudit(context, { limit, ...filter });
    return { records: records.map(presentAudit), nextCursor };
  });
}
