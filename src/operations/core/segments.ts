import Type, { type Static } from 'typebox';
import type { Status } from '../../db/tables.ts';
import { invalid } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import {
  bothSegments,
  readSavedSegment,
  SEGMENT_NAME_CHARACTERS_MAX,
} from '../../waitlist/entries/saved-segments.ts';
import { SEGMENT_PAIRS_MAX, type Segment } from '../../waitlist/entries/segment.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { limits, PAIR } from '../../wire/schema.ts';
import { segmentConditions } from '../../wire/segment.ts';
import { parseTime } from './times.ts';

const saved = {
  saved: Type.Optional(
    Type.String({
      ...limits({ maxLength: SEGMENT_NAME_CHARACTERS_MAX }),
      description: 'Only entries of this saved segment: its id or its name. Further conditions narrow it.',
      examples: ['Beta testers'],
    }),
  ),
};

const pair = { type: 'string', ...PAIR };

/** For `querystring`: `where=key=value`, as often as needed. */
export const segmentQuery = {
  where: Type.Optional(
    Type.Unsafe<string | string[]>({
      anyOf: [pair, { type: 'array', maxItems: SEGMENT_PAIRS_MAX, items: pair }],
      description:
        `Only entries with this metadata value: \`key=value\`. Repeat it to combine up to ${SEGMENT_PAIRS_MAX} conditions. ` +
        'Requires the `support` role.',
      examples: ['plan=pro'],
    }),
  ),
  ...segmentConditions,
  ...saved,
};

/** For bodies. */
export const SegmentInput = Type.Object(
  {
    where: Type.Optional(
      Type.Unsafe<Record<string, string> | string[]>({
        anyOf: [
          {
            type: 'object',
            maxProperties: SEGMENT_PAIRS_MAX,
            additionalProperties: pair,
          },
          { type: 'array', maxItems: SEGMENT_PAIRS_MAX, items: pair },
        ],
        description: `Metadata values that entries must have: by key, or a list of \`key=value\`. Up to ${SEGMENT_PAIRS_MAX}.`,
        examples: [{ plan: 'pro' }],
      }),
    ),
    ...segmentConditions,
    ...saved,
  },
  { additionalProperties: false, description: 'Conditions that an entry must all meet.' },
);

type Conditions = Omit<Static<typeof SegmentInput>, 'where' | 'saved'>;
type SegmentQuery = {
  [Name in keyof (Conditions & { saved?: string })]: (Conditions & { saved?: string })[Name] | undefined;
} & { where?: string | string[] | undefined };

export async function segmentOfQuery(
  context: Context,
  queue: Queue,
  { where = [], ...rest }: SegmentQuery,
): Promise<Segment> {
  return withSaved(context, queue, rest.saved, segmentOf(pairsOf([where].flat(), ''), rest, ''), '');
}

export async function segmentOfBody(
  context: Context,
  queue: Queue,
  { where = {}, ...rest }: Static<typeof SegmentInput>,
  field = 'segment',
): Promise<Segment> {
  const given = segmentOf(pairsOf(where, `${field}.`), rest, `${field}.`);
  const segment = await withSaved(context, queue, rest.saved, given, `${field}.`);
  if (Object.keys(segment).length === 0) throw invalid(`${field}: needs at least one condition`);
  return segment;
}

type Pair = NonNullable<Segment['pairs']>[number];

export function pairsOf(where: Record<string, string> | readonly string[], path: string): Pair[] {
  if (!isList(where)) {
    if (Object.hasOwn(where, '')) throw invalid(`${path}where: has an empty key`);
    return Object.entries(where).map(([key, value]) => ({ key, value }));
  }
  return where.map((text, index) => {
    const at = text.indexOf('=');
    // In a query, there is no index.
    if (at < 1) throw invalid(`${path}where${path === '' ? '' : `[${index}]`}: must be key=value`);
    return { key: text.slice(0, at), value: text.slice(at + 1) };
  });
}

const isList = (where: object): where is readonly string[] => Array.isArray(where);

async function withSaved(
  context: Context,
  queue: Queue,
  idOrName: string | undefined,
  given: Segment,
  path: string,
): Promise<Segment> {
  if (idOrName === undefined) return given;
  return bothSegments((await readSavedSegment(context, queue, idOrName)).segment, given, path);
}

export function segmentOf(
  pairs: Pair[],
  { minReferrals, joinedBefore, joinedAfter, referrer }: SegmentQuery,
  path: string,
): Segment {
  if (referrer !== undefined && !parseId('ent', referrer))
    throw invalid(`${path}referrer: must be the id of an entry`);
  return {
    ...(pairs.length === 0 ? {} : { pairs }),
    ...(minReferrals === undefined ? {} : { minReferrals }),
    ...(joinedBefore === undefined ? {} : { joinedBefore: parseTime(joinedBefore, `${path}joinedBefore`) }),
    ...(joinedAfter === undefined ? {} : { joinedAfter: parseTime(joinedAfter, `${path}joinedAfter`) }),
    ...(referrer === undefined ? {} : { referrer }),
  };
}

/** A saved segment can have a status of its own. */
export function agreedStatus(ofSegment: Status | undefined, given: Status | undefined): Status | undefined {
  if (ofSegment !== undefined && given !== undefined && ofSegment !== given)
    throw invalid(`status: the saved segment is about people who are ${ofSegment}`);
  return given ?? ofSegment;
}
