import { dayProblem } from '../../ui/day.ts';
import { isEmpty, type Segment } from './segment.ts';
import { inputDay, splitPair } from './segment-words.ts';

/** A segment while it is being filled in. */
export interface SegmentDraft {
  pairs: { id: number; key: string; value: string }[];
  minReferrals: string;
  joinedAfter: string;
  joinedBefore: string;
  /** What it was made from. A time that is not changed stays exact, and so does what has no field. */
  given: Segment;
}

export function draftOf(segment: Segment): SegmentDraft {
  const pairs = (segment.where ?? []).map((pair, id) => {
    const [key, value] = splitPair(pair);
    return { id, key, value };
  });
  return {
    pairs: pairs.length > 0 ? pairs : [{ id: 0, key: '', value: '' }],
    minReferrals: segment.minReferrals ?? '',
    joinedAfter: inputDay(segment.joinedAfter),
    joinedBefore: inputDay(segment.joinedBefore),
    given: segment,
  };
}

export function segmentOf(draft: SegmentDraft): Segment {
  const { pairs, minReferrals, given } = draft;
  const timeOf = (name: 'joinedAfter' | 'joinedBefore') =>
    draft[name] === inputDay(given[name]) ? given[name] : draft[name] || undefined;
  const where = pairs
    .filter(({ key }) => key.trim() !== '')
    .map(({ key, value }) => `${key.trim()}=${value.trim()}`);
  return {
    where: where.length > 0 ? [...new Set(where)] : undefined,
    minReferrals: minReferrals === '' ? undefined : minReferrals,
    joinedAfter: timeOf('joinedAfter'),
    joinedBefore: timeOf('joinedBefore'),
    referrer: given.referrer,
  };
}

/** What is wrong with a condition. The API would say it in its own words. */
export function problemsOf({ minReferrals, joinedAfter, joinedBefore }: SegmentDraft) {
  return {
    minReferrals: /^\d{0,9}$/.test(minReferrals) ? undefined : 'Enter a whole number from 0 to 999,999,999.',
    joinedAfter: dayProblem(joinedAfter),
    joinedBefore: dayProblem(joinedBefore),
  };
}

export const isSound = (draft: SegmentDraft) =>
  Object.values(problemsOf(draft)).every((problem) => problem === undefined);

export const isBlank = (draft: SegmentDraft) => isEmpty(segmentOf(draft));
