import Type, { type Static } from 'typebox';
import { invalid } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { isoTime, isoTimeOrNull } from '../../lib/time.ts';
import { readEntry } from '../../waitlist/entries/browse-entries.ts';
import { confirmErasure, refuseErasure } from '../../waitlist/entries/decide-erasure.ts';
import { openEntries } from '../../waitlist/entries/entry.ts';
import {
  askForErasure,
  countOpenRequests,
  ERASURE_DECISIONS,
  type ErasureDecision,
  type ErasureRequest,
  listErasureRequests,
  REASON_CHARACTERS_MAX,
} from '../../waitlist/entries/erasure-requests.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import { findBySeqs } from '../../waitlist/queue/entry-rows.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { AdminEntrySchema, EXAMPLE_ADMIN_ENTRY, presentAdminEntry } from '../../wire/entry.ts';
import {
  COUNT_MAX,
  idPattern,
  limits,
  named,
  nullable,
  oneOf,
  time,
  timeOrNull,
  WORD,
  withExamples,
} from '../../wire/schema.ts';
import { operation } from '../core/operation.ts';
import { nextCursorSchema, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, pageOf, pageQuery } from '../core/pages.ts';
import { closed } from '../core/schemas.ts';
import { entryParams } from '../core/scope.ts';

const tag = 'Entries';
const scope = 'queue';
const EXAMPLE_ID = 'ers_06gxx2p9r1yn1vp1ryss481fhw';
const EXAMPLE_ACTOR = 'operator:opr_06gxx2p9r1yn1vp1ryss481fhw';

const ErasureRequestSchema = Type.Object(
  {
    id: Type.String({ ...idPattern('ers'), description: 'Unique id of the request.' }),
    entry: AdminEntrySchema,
    reason: nullable<string>('string', {
      description: 'Why, in the words of who asked. `null` if they gave no reason, and once it is decided.',
    }),
    askedBy: nullable<string>('string', {
      description: 'Who asked: an operator, a token or the command line.',
    }),
    createdAt: time('When it was asked for.'),
    decision: Type.Unsafe<ErasureDecision | null>({
      type: ['string', 'null'],
      enum: [...ERASURE_DECISIONS, null],
      description:
        '`confirmed` once the person is erased, with this request or without. `null` while it is open.',
    }),
    decidedBy: nullable<string>('string', {
      description: 'Who decided. `person` if the person did it by themselves.',
    }),
    decidedAt: timeOrNull('When it was decided.'),
  },
  { ...named('ErasureRequest'), description: 'Asks an admin to erase a person for good.' },
);

const EXAMPLE: Static<typeof ErasureRequestSchema> = {
  id: EXAMPLE_ID,
  entry: EXAMPLE_ADMIN_ENTRY,
  reason: 'Asked for it by phone.',
  askedBy: EXAMPLE_ACTOR,
  createdAt: '2026-11-15T09:30:00.000Z',
  decision: null,
  decidedBy: null,
  decidedAt: null,
};

const ErasureRequestPage = Type.Object(
  {
    requests: Type.Array(ErasureRequestSchema, { maxItems: PAGE_LIMIT_MAX, description: 'Newest first.' }),
    open: Type.Integer({
      minimum: 0,
      maximum: COUNT_MAX,
      description: 'How many requests of the waitlist are open, whatever the filter.',
    }),
    nextCursor: nextCursorSchema,
  },
  { ...named('ErasureRequestPage'), description: 'One page of requests to erase people.' },
);

const ErasureAsked = Type.Object(
  {
    reason: Type.Optional(
      Type.String({
        ...limits({ maxLength: REASON_CHARACTERS_MAX }),
        description: 'Why. It is encrypted, and forgotten once the request is decided.',
        examples: ['Asked for it by phone.'],
      }),
    ),
  },
  {
    ...named('ErasureAsked'),
    ...closed,
    'x-optional': true,
    description: 'Why, if that helps whoever decides.',
    ...withExamples({ reason: { summary: 'With a reason', value: { reason: 'Asked for it by phone.' } } }),
  },
);

const params = {
  requestId: Type.String({ ...WORD, description: 'Id of the request.', examples: [EXAMPLE_ID] }),
};
const decided = {
  conflict: { when: 'It was decided before.', message: 'this request was already refused' },
};

export const erasureRequests = [
  operation({
    id: 'requestErasure',
    at: 'POST /waitlists/:waitlistId/entries/:entryId/erasure-request',
    tag,
    summary: 'Ask for an erasure',
    description:
      'Asks admins to erase a person for good, for those who may not do it themselves. Nothing happens to the entry until one confirms.',
    role: 'support',
    scope,
    params: entryParams,
    body: ErasureAsked,
    answer: {
      status: 201,
      description: 'It was asked for.',
      schema: ErasureRequestSchema,
      example: EXAMPLE,
    },
    errors: {
      conflict: {
        when: 'There is an open request about the person, or they were erased.',
        message: 'an erasure of this person is asked for already',
      },
    },
    run: async ({ context, queue, params: { entryId }, body: { reason } }) =>
      presentOne(context, queue, await askForErasure(context, queue, entryId, reason)),
  }),
  operation({
    id: 'listErasureRequests',
    at: 'GET /waitlists/:waitlistId/erasure-requests',
    tag,
    summary: 'List erasures that are asked for',
    description: 'Returns what was asked for and what became of it.',
    role: 'support',
    shows: 'people',
    scope,
    query: {
      ...pageQuery,
      state: Type.Optional(
        oneOf(['open', 'decided'] as const, { description: 'Only these. Default: all.', examples: ['open'] }),
      ),
      entry: Type.Optional(
        Type.String({
          ...WORD,
          description: 'Only requests about this entry.',
          examples: [EXAMPLE_ADMIN_ENTRY.id],
        }),
      ),
    },
    answer: {
      description: 'The requests.',
      schema: ErasureRequestPage,
      example: { requests: [EXAMPLE], open: 1, nextCursor: null },
    },
    run: async ({ context, queue, query }) => {
      const { state, entry, limit = PAGE_LIMIT_DEFAULT, cursor } = query;
      const after = cursor === undefined ? undefined : parseId('ers', cursor);
      if (cursor !== undefined && !after) throw invalid('cursor: is invalid');
      const seq = entry === undefined ? undefined : (await readEntry(context, queue, entry)).seq;
      const found = await listErasureRequests(context, queue, { state, seq, limit: limit + 1, after });
      const { items, nextCursor } = pageOf(found, limit, ({ id }) => id);
      return {
        requests: await present(context, queue, items),
        open: await countOpenRequests(context, queue),
        nextCursor,
      };
    },
  }),
  operation({
    id: 'confirmErasure',
    at: 'POST /waitlists/:waitlistId/erasure-requests/:requestId/confirm',
    tag,
    summary: 'Confirm an erasure',
    description:
      'Erases the person for good, as removing an entry with `erase=true` does. It cannot be undone.',
    role: 'admin',
    scope,
    params,
    answer: {
      description: 'The person was erased.',
      schema: ErasureRequestSchema,
      example: {
        ...EXAMPLE,
        reason: null,
        decision: 'confirmed',
        decidedBy: EXAMPLE_ACTOR,
        decidedAt: '2026-11-15T10:00:00.000Z',
      },
    },
    errors: decided,
    run: async ({ context, queue, params: { requestId } }) =>
      presentOne(context, queue, await confirmErasure(context, queue, requestId)),
  }),
  operation({
    id: 'refuseErasure',
    at: 'POST /waitlists/:waitlistId/erasure-requests/:requestId/refuse',
    tag,
    summary: 'Refuse an erasure',
    description: 'Closes the request. The person stays as they are.',
    role: 'admin',
    scope,
    params,
    answer: {
      description: 'It was refused.',
      schema: ErasureRequestSchema,
      example: {
        ...EXAMPLE,
        reason: null,
        decision: 'refused',
        decidedBy: EXAMPLE_ACTOR,
        decidedAt: '2026-11-15T10:00:00.000Z',
      },
    },
    errors: decided,
    run: async ({ context, queue, params: { requestId } }) =>
      presentOne(context, queue, await refuseErasure(context, queue, requestId)),
  }),
];

async function presentOne(context: Context, queue: Queue, request: ErasureRequest) {
  const [presented] = await present(context, queue, [request]);
  return presented as NonNullable<typeof presented>;
}

async function present(
  context: Context,
  queue: Queue,
  requests: readonly ErasureRequest[],
): Promise<Static<typeof ErasureRequestSchema>[]> {
  const seqs = [...new Set(requests.map(({ seq }) => seq))];
  const rows = seqs.length === 0 ? [] : await context.db.run(findBySeqs, { queueId: queue.id, seqs });
  const entries = new Map(openEntries(context, queue, rows).map((entry) => [entry.seq, entry]));
  return requests.flatMap(({ seq, createdAt, decidedAt, ...request }) => {
    const entry = entries.get(seq);
    if (!entry) return [];
    return {
      ...request,
      entry: presentAdminEntry(entry),
      createdAt: isoTime(createdAt),
      decidedAt: isoTimeOrNull(decidedAt),
    };
  });
}
