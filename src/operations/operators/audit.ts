import Type, { type Static } from 'typebox';
import { isoTime } from '../../lib/time.ts';
import { AUDIT_ACTIONS } from '../../operators/audit.ts';
import { type AuditRecord, listAudit as readAudit } from '../../operators/read-audit.ts';
import { named, oneOf, time, WORD } from '../../wire/schema.ts';
import { operation } from '../core/operation.ts';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '../core/pages.ts';
import { EXAMPLE_OPERATOR } from './operators.ts';

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
  {
    ...named('AuditRecord'),
    description:
      'One thing that an operator, a token or the command line did, or a person with their own data.',
  },
);

const AuditPage = Type.Object(
  {
    records: Type.Array(AuditObject, { maxItems: PAGE_LIMIT_MAX, description: 'Newest first.' }),
    nextCursor: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      pattern: '^[0-9]+$',
      description: 'Pass this as `cursor` to get the next page. `null` on the last page.',
    }),
  },
  { ...named('AuditPage'), description: 'One page of the audit trail.' },
);

const query = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
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
};

export const listAudit = operation({
  id: 'listAudit',
  at: 'GET /audit',
  tag: 'Audit trail',
  summary: 'List the audit trail',
  description: 'Returns who did what, newest first. Records cannot be changed or deleted.',
  role: 'admin',
  scope: 'installation',
  query,
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
  run: async ({ parts, query: { limit = PAGE_LIMIT_DEFAULT, ...filter } }) => {
    const { records, nextCursor } = await readAudit(parts.context, { limit, ...filter });
    return { records: records.map(presentAudit), nextCursor };
  },
});

function presentAudit(record: AuditRecord): Static<typeof AuditObject> {
  const { seq, at, action, actor, object, details, isDamaged } = record;
  const { actorName, objectName, address, before, after } = details;
  return {
    number: seq,
    at: isoTime(at),
    action,
    actor: { ...reference(actor), name: actorName },
    object: object === null ? null : { ...reference(object), name: objectName },
    address,
    before,
    after,
    damaged: isDamaged,
  };
}

/** Splits `operator:opr_…`, which is stored in one column. */
function reference(text: string): { kind: string; id: string | null } {
  const [kind = '', id = null] = text.split(':');
  return { kind, id };
}
