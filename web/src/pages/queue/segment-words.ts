import type { Segment } from './segment.ts';

/** A day begins at midnight where the operator is. */
function toTime(day: string | undefined): string | undefined {
  if (day === undefined) return undefined;
  return (/^\d{4}-\d\d-\d\d$/.test(day) ? new Date(`${day}T00:00:00`) : new Date(day)).toISOString();
}

/** As the API takes it, in queries and in bodies. */
export function conditionsOf({ where, minReferrals, joinedAfter, joinedBefore, referrer }: Segment) {
  return {
    where,
    minReferrals: minReferrals === undefined ? undefined : Number(minReferrals),
    joinedAfter: toTime(joinedAfter),
    joinedBefore: toTime(joinedBefore),
    referrer,
  };
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

/** Each condition in words. The name of the referrer is their email, if that is known. */
export function conditionsIn(segment: Segment, referrerName = segment.referrer): Condition[] {
  const { where = [], minReferrals, joinedAfter, joinedBefore, referrer } = segment;
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
    ...(referrer === undefined
      ? []
      : [{ label: `Referred by ${referrerName}`, rest: { ...segment, referrer: undefined } }]),
  ];
}

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** With the time, unless it is midnight where the operator is. */
function dayOf(text: string): string {
  const at = new Date(toTime(text) ?? text);
  return (isMidnight(at) ? day : moment).format(at);
}

function isMidnight(at: Date): boolean {
  return at.getTime() === new Date(at).setHours(0, 0, 0, 0);
}

/** For a date input: the day where the operator is. */
export function localDay(text: string | undefined): string {
  if (text === undefined) return '';
  const at = new Date(toTime(text) ?? text);
  const pad = (number: number) => String(number).padStart(2, '0');
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
}
