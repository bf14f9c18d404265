import Type, { type Static } from 'typebox';
import { closed, Deleted } from '../../../operations/core/schemas.ts';
import { pairsOf, segmentOf } from '../../../operations/core/segments.ts';
import {
  changeSavedSegment,
  deleteSavedSegment,
  listSavedSegments,
  SAVED_SEGMENTS_MAX,
  saveSegment,
} from '../../../waitlist/entries/saved-segments.ts';
import type { Segment } from '../../../waitlist/entries/segment.ts';
import { maskFor } from '../../../wire/mask.ts';
import { limits, named, WORD, withExamples } from '../../../wire/schema.ts';
import {
  EXAMPLE_SEGMENT as EXAMPLE,
  presentSavedSegment,
  SavedSegmentSchema,
  SegmentConditions,
  segmentName,
} from '../../../wire/segment.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { domainFor, environmentQuery, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';

const tag = 'Segments';
const Query = Type.Object(environmentQuery, closed);
const SegmentParams = Type.Object({
  ...waitlistParams,
  segmentId: Type.String({ ...WORD, description: 'Id of the segment.', examples: [EXAMPLE.id] }),
});
const special = {
  not_found: {
    when: 'The waitlist or the segment does not exist.',
    message: `there is no saved segment ${EXAMPLE.id}`,
  },
  conflict: {
    when: `Another segment has this name, or there are ${SAVED_SEGMENTS_MAX} already.`,
    message: 'name: another segment has this name',
  },
  invalid_request: { message: 'conditions: needs at least one condition' },
};

const Segments = Type.Object(
  {
    segments: Type.Array(SavedSegmentSchema, {
      maxItems: SAVED_SEGMENTS_MAX,
      description: 'Sorted by name.',
    }),
  },
  { ...named('SavedSegments'), description: 'The saved segments of a waitlist in one environment.' },
);

const listSchema = adminSchema({
  operationId: 'listSegments',
  tag,
  summary: 'List saved segments',
  description:
    'Returns the segments that the team has saved, in one environment of a waitlist. Viewers do not see those with `where`. To use ' +
    'one, pass its id or name as `saved` when you list, invite or export entries.',
  role: 'viewer',
  params: Type.Object(waitlistParams),
  querystring: Query,
  answer: { description: 'The segments.', schema: Segments, example: { segments: [EXAMPLE] } },
  errors: ['not_found'],
  special: { not_found: special.not_found },
});

const SegmentRequest = Type.Object(
  { name: segmentName, conditions: SegmentConditions },
  {
    ...named('SegmentRequest'),
    ...closed,
    description: 'A segment to save.',
    ...withExamples({
      segment: { summary: 'A segment', value: { name: EXAMPLE.name, conditions: EXAMPLE.conditions } },
    }),
  },
);

const createSchema = adminSchema({
  operationId: 'createSegment',
  tag,
  summary: 'Save a segment',
  description: `Gives a filter of the queue a name. A waitlist has at most ${SAVED_SEGMENTS_MAX} in each environment.`,
  role: 'support',
  params: Type.Object(waitlistParams),
  querystring: Query,
  body: SegmentRequest,
  answer: {
    status: 201,
    description: 'The segment was saved.',
    schema: SavedSegmentSchema,
    example: EXAMPLE,
  },
  errors: ['not_found', 'conflict'],
  special,
});

const SegmentChange = Type.Object(
  { name: Type.Optional(segmentName), conditions: Type.Optional(SegmentConditions) },
  {
    ...named('SegmentChange'),
    ...closed,
    ...limits({ minProperties: 1 }),
    description: 'What to change. Conditions are replaced as a whole.',
    ...withExamples({ rename: { summary: 'Rename it', value: { name: 'Early testers' } } }),
  },
);

const changeSchema = adminSchema({
  operationId: 'updateSegment',
  tag,
  summary: 'Rename or change a saved segment',
  description: 'Invites and exports that were started before keep the conditions of that time.',
  role: 'support',
  params: SegmentParams,
  querystring: Query,
  body: SegmentChange,
  answer: {
    description: 'The segment.',
    schema: SavedSegmentSchema,
    example: { ...EXAMPLE, name: 'Early testers' },
  },
  errors: ['not_found', 'conflict'],
  special,
});

const deleteSchema = adminSchema({
  operationId: 'deleteSegment',
  write: true,
  tag,
  summary: 'Delete a saved segment',
  description: 'Only the name and its conditions are deleted. The people stay.',
  role: 'support',
  params: SegmentParams,
  querystring: Query,
  answer: {
    description: 'The segment was deleted.',
    schema: Deleted,
    example: { id: EXAMPLE.id, deleted: true },
  },
  errors: ['not_found'],
  special: { not_found: special.not_found },
});

function conditionsOf({ where = [], status, ...rest }: Static<typeof SegmentConditions>): Segment {
  const segment = segmentOf(pairsOf(where, 'conditions.'), rest, 'conditions.');
  return status === undefined ? segment : { ...segment, status };
}

export function registerSavedSegments(app: TypedApp, parts: AdminParts): void {
  const path = '/waitlists/:waitlistId/segments';

  app.get(path, { schema: listSchema }, async ({ params, query, caller }) => {
    const queue = await requireQueue(parts, params, query);
    const all = await listSavedSegments(parts.waitlists, queue);
    const isMasked = maskFor(caller.actor.role).on;
    const shown = isMasked ? all.filter(({ segment }) => segment.pairs === undefined) : all;
    return { segments: shown.map(presentSavedSegment) };
  });

  app.post(path, { schema: createSchema }, async (request, reply) => {
    const { params, query, body } = request;
    const queue = await requireQueue(parts, params, query);
    const { name, conditions } = body;
    const segment = conditionsOf(conditions);
    const saved = await saveSegment(domainFor(parts, request), queue, { name, segment });
    reply.code(201);
    return presentSavedSegment(saved);
  });

  app.patch(`${path}/:segmentId`, { schema: changeSchema }, async (request) => {
    const { params, query, body } = request;
    const queue = await requireQueue(parts, params, query);
    const { name, conditions } = body;
    const change = { name, segment: conditions && conditionsOf(conditions) };
    return presentSavedSegment(
      await changeSavedSegment(domainFor(parts, request), queue, params.segmentId, change),
    );
  });

  app.delete(`${path}/:segmentId`, { schema: deleteSchema }, async (request) => {
    const { params, query } = request;
    const queue = await requireQueue(parts, params, query);
    await deleteSavedSegment(domainFor(parts, request), queue, params.segmentId);
    return { id: params.segmentId, deleted: true as const };
  });
}
