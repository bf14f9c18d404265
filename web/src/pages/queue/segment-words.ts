import { installationZone } from '../../api/instance.ts';
import { dayIn, midnightIn } from '../../ui/day.ts';
import { number } from '../../ui/number.ts';
import type { Segment } from './segment.ts';

/** A day begins at midnight in the time zone of the installation, so that a link shows everyone the same people. */
export function toTime(day: string | undefined): string | undefined {
  if (day === undefined) return undefined;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(day);
  return new Date(isDay ? midnightIn(day, installationZone()) : day).toISOString();
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
            label: `${number(Number(minReferrals))} or more referrals`,
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

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** With the time, unless it is midnight, and with the time zone where it is not that of the person who looks. */
function dayOf(text: string): string {
  const timeZone = installationZone();
  const at = Date.parse(toTime(text) ?? text);
  const isMidnight = at === midnightIn(dayIn(timeZone, at), timeZone);
  const format = new Intl.DateTimeFormat('en', {
    dateStyle: 'medium',
    timeStyle: isMidnight ? undefined : 'short',
    timeZone,
  });
  return [format.format(at), ...(timeZone === OWN_ZONE ? [] : [nameOfZone(timeZone)])].join(', ');
}

/** For a date input. */
export function inputDay(text: string | undefined): string {
  return text === undefined ? '' : dayIn(installationZone(), Date.parse(toTime(text) ?? text));
}

/** What a day in a date input means. */
export const midnightInWords = () => `Midnight in ${nameOfZone(installationZone())}.`;

const nameOfZone = (timeZone: string) => timeZone.replaceAll('_', ' ');
