import Type, { type Static } from 'typebox';
import {
  changeSavedSegment,
  deleteSavedSegment,
  listSavedSegments,
  SAVED_SEGMENTS_MAX,
  saveSegment,
} from '../../waitlist/entries/saved-segments.ts';
import type { Segment } from '../../waitlist/entries/segment.ts';
import { limits, named, WORD, withExamples } from '../../wire/schema.ts';
import {
  EXAMPLE_SEGMENT as EXAMPLE,
  presentSavedSegment,
  SavedSegmentSchema,
  SegmentConditions,
  segmentName,
} from '../../wire/segment.ts';
import { operation } from '../core/operation.ts';
import { closed, Deleted } from '../core/schemas.ts';
import { pairsOf, segmentOf } from '../core/segments.ts';

const tag = 'Segments';
const scope = 'queue';
const params = {
  segmentId: Type.String({ ...WORD, description: 'Id of the segment.', examples: [EXAMPLE.id] }),
};
const errors = {
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

export const segments = [
  operation({
    id: 'listSegments',
    at: 'GET /waitlists/:waitlistId/segments',
    tag,
    summary: 'List saved segments',
    description:
      'Returns the segments that the team has saved, in one environment of a waitlist. Viewers do not see those with `where`. To use ' +
      'one, pass its id or name as `saved` when you list, invite or export entries.',
    role: 'viewer',
    scope,
    answer: { description: 'The segments.', schema: Segments, example: { segments: [EXAMPLE] } },
    run: async ({ context, queue, mask }) => {
      const all = await listSavedSegments(context, queue);
      const shown = mask.on ? all.filter(({ segment }) => segment.pairs === undefined) : all;
      return { segments: shown.map(presentSavedSegment) };
    },
  }),
  operation({
    id: 'createSegment',
    at: 'POST /waitlists/:waitlistId/segments',
    tag,
    summary: 'Save a segment',
    description: `Gives a filter of the queue a name. A waitlist has at most ${SAVED_SEGMENTS_MAX} in each environment.`,
    role: 'support',
    scope,
    body: SegmentRequest,
    answer: {
      status: 201,
      description: 'The segment was saved.',
      schema: SavedSegmentSchema,
      example: EXAMPLE,
    },
    errors,
    run: async ({ context, queue, body: { name, conditions } }) =>
      presentSavedSegment(await saveSegment(context, queue, { name, segment: conditionsOf(conditions) })),
  }),
  operation({
    id: 'updateSegment',
    at: 'PATCH /waitlists/:waitlistId/segments/:segmentId',
    tag,
    summary: 'Rename or change a saved segment',
    description: 'Invites and exports that were started before keep the conditions of that time.',
    role: 'support',
    scope,
    params,
    body: SegmentChange,
    answer: {
      description: 'The segment.',
      schema: SavedSegmentSchema,
      example: { ...EXAMPLE, name: 'Early testers' },
    },
    errors,
    run: async ({ context, queue, params: { segmentId }, body: { name, conditions } }) => {
      const change = { name, segment: conditions && conditionsOf(conditions) };
      return presentSavedSegment(await changeSavedSegment(context, queue, segmentId, change));
    },
  }),
  operation({
    id: 'deleteSegment',
    at: 'DELETE /waitlists/:waitlistId/segments/:segmentId',
    tag,
    summary: 'Delete a saved segment',
    description: 'Only the name and its conditions are deleted. The people stay.',
    role: 'support',
    scope,
    params,
    answer: {
      description: 'The segment was deleted.',
      schema: Deleted,
      example: { id: EXAMPLE.id, deleted: true },
    },
    run: async ({ context, queue, params: { segmentId: id } }) => {
      await deleteSavedSegment(context, queue, id);
      return { id, deleted: true as const };
    },
  }),
];

function conditionsOf({ where = [], status, ...rest }: Static<typeof SegmentConditions>): Segment {
  const segment = segmentOf(pairsOf(where, 'conditions.'), rest, 'conditions.');
  return status === undefined ? segment : { ...segment, status };
}
