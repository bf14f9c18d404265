import { textOf } from '../../search.ts';

/** Conditions that a person must all meet, as they are in the address. */
export interface Segment {
  /** `key=value` of the metadata. */
  where?: string[];
  minReferrals?: string;
  /** A day such as `2026-11-15`, or an ISO time. */
  joinedAfter?: string;
  joinedBefore?: string;
}

export function readSegment(search: Record<string, unknown>): Segment {
  const where = [search.where ?? []]
    .flat()
    .filter((pair): pair is string => typeof pair === 'string' && pair.indexOf('=') > 0);
  const least = textOf(search.minReferrals);
  return {
    where: where.length > 0 ? where : undefined,
    minReferrals: least !== undefined && /^\d{1,9}$/.test(least) ? least : undefined,
    joinedAfter: timeOf(search.joinedAfter),
    joinedBefore: timeOf(search.joinedBefore),
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
};

export function isEmpty(segment: Segment): boolean {
  return Object.values(segment).every((value) => value === undefined);
}

/** A day begins at midnight where the operator is. */
function toTime(day: string | undefined): string | undefined {
  if (day === undefined) return undefined;
  return (/^\d{4}-\d\d-\d\d$/.test(day) ? new Date(`${day}T00:00:00`) : new Date(day)).toISOString();
}

function conditionsOf({ minReferrals, joinedAfter, joinedBefore }: Segment) {
  return {
    minReferrals: minReferrals === undefined ? undefined : Number(minReferrals),
    joinedAfter: toTime(joinedAfter),
    joinedBefore: toTime(joinedBefore),
  };
}

export function segmentQuery(segment: Segment) {
  return { ...conditionsOf(segment), where: segment.where };
}

export function segmentBody(segment: Segment) {
  const where = segment.where && Object.fromEntries(segment.where.map(splitPair));
  return { ...conditionsOf(segment), where };
}

export function splitPair(pair: string): [key: string, value: string] {
  const at = pair.indexOf('=');
  return [pair.slice(0, at), pair.slice(at + 1)];
}

export interface Condition {
  label: string;
  /** The segment without it. */
  rest: Segment;
}

/** Each condition in words. */
export function conditionsIn(segment: Segment): Condition[] {
  const { where = [], minReferrals, joinedAfter, joinedBefore } = segment;
  return [
    ...where.map((pair) => {
      const [key, value] = splitPair(pair);
      const others = where.filter((each) => each !== pair);
      return {
        label: `${key} is ${value || 'empty'}`,
        rest: { ...segment, where: others.length > 0 ? others : undefined },
      };
    }),
    ...(minReferrals === undefined
      ? []
      : [
          {
            label: `${Number(minReferrals).toLocaleString('en')} or more referrals`,
            rest: { ...segment, minReferrals: undefined },
          },
        ]),
    ...(joinedAfter === undefined
      ? []
      : [{ label: `Signed up from ${dayOf(joinedAfter)}`, rest: { ...segment, joinedAfter: undefined } }]),
    ...(joinedBefore === undefined
      ? []
      : [
          { label: `Signed up before ${dayOf(joinedBefore)}`, rest: { ...segment, joinedBefore: undefined } },
        ]),
  ];
}

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

function dayOf(text: string): string {
  return day.format(new Date(toTime(text) ?? text));
}
