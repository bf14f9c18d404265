import { Problems } from '../../lib/errors.ts';
import type { Segment } from '../entries/segment.ts';
import { checkSchedule, nextTime, type Schedule } from './schedule.ts';

export const WAVE_NAME_CHARACTERS_MAX = 100;
export const COUNT_MAX = 999_999_999;
export const QUOTAS_MAX = 10;
/** Years have four digits. */
const TIME_MAX = Date.UTC(10_000, 0) - 1;
/** Of the last invites: fewer failures are normal. */
const FAILURE_PERCENT = 10;

/** A part of the invites that is for the people of a segment. */
export interface Quota {
  percent: number;
  segment: Segment;
}

/** Who is invited, when, and how many. */
export interface WavePlan {
  /** Invites of a run. null for everyone who is waiting. */
  count: number | null;
  /** Instead of a schedule: as many invites are kept open. */
  keepOpen: number | null;
  schedule: Schedule | null;
  /** Together with the open invites, no more than this many people join. */
  untilJoined: number | null;
  segment: Segment | null;
  /** What they leave of 100 % is for everyone else. */
  quotas: readonly Quota[];
  /** Pauses if more than this part of the invites could not be delivered. null for never. */
  failurePercent: number | null;
}

export const NEW_PLAN: WavePlan = {
  count: null,
  keepOpen: null,
  schedule: null,
  untilJoined: null,
  segment: null,
  quotas: [],
  failurePercent: FAILURE_PERCENT,
};

export type PlanFields = { [Name in keyof WavePlan]?: WavePlan[Name] | undefined };

export function withFields(plan: WavePlan, fields: PlanFields): WavePlan {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { ...plan, ...Object.fromEntries(given) };
}

/** Whether it chooses people by metadata. How many match then tells about people. */
export function usesMetadata({ segment, quotas }: WavePlan): boolean {
  return [segment, ...quotas.map((quota) => quota.segment)].some((each) => each?.pairs !== undefined);
}

/** Throws an error that names each field that is wrong. */
export function checkPlan(plan: WavePlan): void {
  const { count, keepOpen, schedule, untilJoined, segment, quotas, failurePercent } = plan;
  const problems = new Problems();
  for (const [name, value] of Object.entries({ count, keepOpen, untilJoined })) {
    if (value !== null && !(Number.isInteger(value) && value >= 1 && value <= COUNT_MAX))
      problems.add(name, `must be a whole number from 1 to ${COUNT_MAX}`);
  }
  if (schedule === null && keepOpen === null) problems.add('schedule', 'is required without keepOpen');
  if (schedule !== null && keepOpen !== null) problems.add('schedule', 'cannot be combined with keepOpen');
  if (count !== null && keepOpen !== null) problems.add('count', 'cannot be combined with keepOpen');
  if (schedule) checkSchedule(schedule, problems);
  if (segment && quotas.length > 0) problems.add('quotas', 'cannot be combined with segment');
  if (segment) checkSegment('segment', segment, problems);
  checkQuotas(quotas, problems);
  if (failurePercent !== null && !(failurePercent >= 0 && failurePercent <= 100))
    problems.add('failurePercent', 'must be 0 to 100');
  problems.throwIfAny();
}

function checkQuotas(quotas: readonly Quota[], problems: Problems): void {
  if (quotas.length > QUOTAS_MAX) problems.add('quotas', `has more than ${QUOTAS_MAX}`);
  for (const [index, { percent, segment }] of quotas.entries()) {
    if (!Number.isInteger(percent) || percent < 1 || percent > 100)
      problems.add(`quotas[${index}].percent`, 'must be a whole number from 1 to 100');
    checkSegment(`quotas[${index}].segment`, segment, problems);
  }
  if (quotas.reduce((sum, { percent }) => sum + percent, 0) > 100)
    problems.add('quotas', 'add up to more than 100 %');
}

function checkSegment(name: string, { status, ...conditions }: Segment, problems: Problems): void {
  if (status !== undefined && status !== 'waiting')
    problems.add(name, `is about people who are ${status}; only waiting people can be invited`);
  if (Object.keys(conditions).length === 0) problems.add(name, 'needs at least one condition');
}

/** When a wave with this plan is due next. A wave that keeps invites open is due whenever one is missing. */
export function firstTime({ schedule }: WavePlan, now: number): number {
  const time = schedule === null ? now : nextTime(schedule, now);
  const problems = new Problems();
  if (time === null) problems.add('schedule.date', 'must be in the future');
  else if (time > TIME_MAX) problems.add('schedule.date', 'must be before the year 10000 in UTC');
  else return time;
  throw problems.toError();
}

/** Disjoint: a person belongs to the first segment that matches. */
export interface Group {
  weight: number;
  segment: Segment | null;
  /** People of these segments belong to another group. */
  without: readonly Segment[];
}

export function groupsOf({ segment, quotas }: WavePlan): Group[] {
  if (quotas.length === 0) return [{ weight: 1, segment, without: [] }];
  const segments = quotas.map((quota) => quota.segment);
  const groups = quotas.map(({ percent, segment }, index) => {
    const without = segments.slice(0, index);
    return { weight: percent, segment, without };
  });
  const rest = 100 - quotas.reduce((sum, { percent }) => sum + percent, 0);
  return rest > 0 ? [...groups, { weight: rest, segment: null, without: segments }] : groups;
}
