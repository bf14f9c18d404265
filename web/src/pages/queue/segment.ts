import { textOf } from '../../search.ts';

/** Conditions that a person must all meet, as they are in the address. */
export interface Segment {
  /** `key=value` of the metadata. */
  where?: string[];
  minReferrals?: string;
  /** A day such as `2026-11-15`, or an ISO time. */
  joinedAfter?: string;
  joinedBefore?: string;
  /** Id of the entry that referred them. */
  referrer?: string;
}

export function readSegment(search: Record<string, unknown>): Segment {
  const where = [search.where ?? []]
    .flat()
    .filter((pair): pair is string => typeof pair === 'string' && pair.indexOf('=') > 0);
  const least = textOf(search.minReferrals);
  const referrer = textOf(search.referrer);
  return {
    where: where.length > 0 ? where : undefined,
    minReferrals: least !== undefined && /^\d{1,9}$/.test(least) ? least : undefined,
    joinedAfter: timeOf(search.joinedAfter),
    joinedBefore: timeOf(search.joinedBefore),
    referrer: referrer !== undefined && /^ent_[0-9a-z]{26}$/.test(referrer) ? referrer : undefined,
  };
}

function timeOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text !== undefined && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

export const NO_SEGMENT: Segment = {
  where: undefined,
  minReferrals: undefined,
  joinedAfter: undefined,
  joinedBefore: undefined,
  referrer: undefined,
};

export function isEmpty(segment: Segment): boolean {
  return Object.values(segment).every((value) => value === undefined);
}
