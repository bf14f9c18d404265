import Type, { type Static } from 'typebox';
import { invalid } from '../../../lib/errors.ts';
import type { Segment } from '../../../waitlist/entries/segment.ts';
import { parseTime } from './times.ts';

const TIME = { examples: ['2026-12-01T00:00:00Z'] };
const conditions = {
  minReferrals: Type.Optional(
    Type.Integer({
      minimum: 0,
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
};

/** For `querystring`: `where=key=value`, as often as needed. */
export const segmentQuery = {
  where: Type.Optional(
    Type.Unsafe<string | string[]>({
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      description:
        'Only entries with this metadata value: `key=value`. Repeat it to combine conditions. Requires the `support` role.',
      examples: ['plan=pro'],
    }),
  ),
  ...conditions,
};

/** For bodies. */
export const SegmentInput = Type.Object(
  {
    where: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Metadata values that entries must have, by key.',
        examples: [{ plan: 'pro' }],
      }),
    ),
    ...conditions,
  },
  { additionalProperties: false, description: 'Conditions that an entry must all meet.' },
);

type QueryConditions = {
  where?: string | string[] | undefined;
  minReferrals?: number | undefined;
  joinedBefore?: string | undefined;
  joinedAfter?: string | undefined;
};

export function segmentOfQuery({ where = [], ...rest }: QueryConditions): Omit<Segment, 'status'> {
  const pairs = [where].flat().map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw invalid('where: must be key=value');
    return { key: text.slice(0, at), value: text.slice(at + 1) };
  });
  return segmentOf(pairs, rest, '');
}

export function segmentOfBody({ where = {}, ...rest }: Static<typeof SegmentInput>): Omit<Segment, 'status'> {
  const pairs = Object.entries(where).map(([key, value]) => ({ key, value }));
  const segment = segmentOf(pairs, rest, 'segment.');
  if (Object.keys(segment).length === 0) throw invalid('segment: needs at least one condition');
  return segment;
}

function segmentOf(
  pairs: { key: string; value: string }[],
  { minReferrals, joinedBefore, joinedAfter }: Omit<QueryConditions, 'where'>,
  path: string,
): Omit<Segment, 'status'> {
  return {
    ...(pairs.length === 0 ? {} : { pairs }),
    ...(minReferrals === undefined ? {} : { minReferrals }),
    ...(joinedBefore === undefined ? {} : { joinedBefore: parseTime(joinedBefore, `${path}joinedBefore`) }),
    ...(joinedAfter === undefined ? {} : { joinedAfter: parseTime(joinedAfter, `${path}joinedAfter`) }),
  };
}
