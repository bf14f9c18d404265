import Type, { type Static } from 'typebox';
import { isoTime } from '../lib/time.ts';
import { type SavedSegment, SEGMENT_NAME_CHARACTERS_MAX } from '../waitlist/entries/saved-segments.ts';
import { SEGMENT_PAIRS_MAX, type Segment } from '../waitlist/entries/segment.ts';
import { EntryStatusSchema, EXAMPLE_ENTRY } from './entry.ts';
import { COUNT_MAX, described, idPattern, limits, named, PAIR, time, WORD } from './schema.ts';

const TIME = { ...WORD, examples: ['2026-12-01T00:00:00Z'] };

/** What entries can be selected by, besides their metadata. */
export const segmentConditions = {
  minReferrals: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: COUNT_MAX,
      description: 'Only entries with at least this many referrals.',
      examples: [3],
    }),
  ),
  joinedBefore: Type.Optional(
    Type.String({ ...TIME, description: 'Only entries that joined before this ISO 8601 time.' }),
  ),
  joinedAfter: Type.Optional(
    Type.String({ ...TIME, description: 'Only entries that joined at or after this ISO 8601 time.' }),
  ),
  referrer: Type.Optional(
    Type.String({
      ...WORD,
      description: 'Only entries that named this entry as their referrer, whether or not it was credited.',
      examples: [EXAMPLE_ENTRY.id],
    }),
  ),
};

export const SegmentConditions = Type.Object(
  {
    where: Type.Optional(
      Type.Array(Type.String({ ...PAIR, description: 'A `key=value` pair.' }), {
        maxItems: SEGMENT_PAIRS_MAX,
        description: 'Metadata values that entries must have: `key=value`.',
        examples: [['plan=pro']],
      }),
    ),
    ...segmentConditions,
    status: Type.Optional(described(EntryStatusSchema, 'Only entries with this status.')),
  },
  {
    ...named('SegmentConditions'),
    additionalProperties: false,
    description: 'Conditions that an entry must all meet. At least one.',
  },
);

export const segmentName = Type.String({
  ...limits({ minLength: 1, maxLength: SEGMENT_NAME_CHARACTERS_MAX }),
  description: 'What the team calls it. No other segment of the waitlist has this name, in any case.',
});

export const SavedSegmentSchema = Type.Object(
  {
    id: Type.String({ ...idPattern('seg'), description: 'Unique id of the segment.' }),
    name: segmentName,
    conditions: SegmentConditions,
    createdAt: time('When it was saved.'),
    updatedAt: time('When it was last changed.'),
  },
  { ...named('SavedSegment'), description: 'A filter of the queue, with a name.' },
);

export const EXAMPLE_SEGMENT: Static<typeof SavedSegmentSchema> = {
  id: 'seg_06gxx2p9r1yn1vp1ryss481fhw',
  name: 'Beta testers',
  conditions: { where: ['plan=pro'], minReferrals: 3, status: 'waiting' },
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

export function presentSavedSegment(saved: SavedSegment): Static<typeof SavedSegmentSchema> {
  return {
    id: saved.id,
    name: saved.name,
    conditions: presentConditions(saved.segment),
    createdAt: isoTime(saved.createdAt),
    updatedAt: isoTime(saved.updatedAt),
  };
}

export function presentConditions(segment: Segment): Static<typeof SegmentConditions> {
  const { pairs, minReferrals, joinedBefore, joinedAfter, referrer, status } = segment;
  return {
    ...(pairs ? { where: pairs.map(({ key, value }) => `${key}=${value}`) } : {}),
    ...(minReferrals === undefined ? {} : { minReferrals }),
    ...(joinedBefore === undefined ? {} : { joinedBefore: isoTime(joinedBefore) }),
    ...(joinedAfter === undefined ? {} : { joinedAfter: isoTime(joinedAfter) }),
    ...(referrer === undefined ? {} : { referrer }),
    ...(status === undefined ? {} : { status }),
  };
}
