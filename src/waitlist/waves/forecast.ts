import { sharedNow } from '../../db/shared-clock.ts';
import { oldestId } from '../../lib/ids.ts';
import { readName } from '../../lib/text.ts';
import { DAY_MS } from '../../lib/time.ts';
import { findSegment } from '../entries/segment.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { NewWave } from './change-waves.ts';
import {
  checkPlan,
  firstTime,
  NEW_PLAN,
  WAVE_NAME_CHARACTERS_MAX,
  type WavePlan,
  withFields,
} from './plan.ts';
import { nextTime } from './schedule.ts';
import { findWave, type InviteCounts, readablePlan, readCounts, roomOf } from './waves.ts';

export const UPCOMING_MAX = 10;
/** Most people who accept do so within a few days, so younger invites say little. */
const OLD_ENOUGH_MS = 7 * DAY_MS;
const SAMPLE_MAX = 10_000;
/** With fewer, the range is too wide to be of use. */
export const SAMPLE_MIN = 30;
/** Of a normal distribution: 95 % are within. */
const Z = 1.96;
/** In a larger segment, as many are expected as are waiting. */
const COUNTED_MAX = 10_000;

/** What part of its invites a queue's people accepted so far. */
export interface AcceptRate {
  likely: number;
  low: number;
  high: number;
  /** The number of invites that it was counted from. */
  sample: number;
}

export interface Forecast {
  /** null if too few invites are old enough. */
  acceptRate: AcceptRate | null;
  /** They take places, whoever sent them. */
  openInvites: number;
  upcoming: UpcomingRun[];
}

export interface UpcomingRun {
  at: number;
  /** At most: if nothing else is invited until then, and no place comes back. */
  invites: number;
  expectedJoins: { low: number; likely: number; high: number } | null;
}

/** What a wave would do, without creating it. */
export async function previewWave(context: Context, queue: Queue, input: NewWave): Promise<Forecast> {
  const { name, ...fields } = input;
  readName(name, { most: WAVE_NAME_CHARACTERS_MAX });
  const plan = withFields(NEW_PLAN, fields);
  checkPlan(plan);
  const counts = await readCounts(context.db.query, queue);
  const limits = {
    keep_open: plan.keepOpen,
    until_joined: plan.untilJoined,
    accepted_before: counts.accepted_invites,
  };
  const nextAt = firstTime(plan, await sharedNow(context));
  return forecast(context, queue, plan, { nextAt, room: roomOf(limits, counts), counts });
}

/** What a wave will do next. Nothing, if it is paused or over. */
export async function forecastWave(context: Context, queue: Queue, waveId: string): Promise<Forecast> {
  const row = await findWave(context.db.query, queue, waveId);
  const counts = await readCounts(context.db.query, queue);
  const plan = readablePlan(context, queue, row);
  if (!plan)
    return {
      acceptRate: await readAcceptRate(context, queue),
      openInvites: counts.open_invites,
      upcoming: [],
    };
  const isWaiting = row.state === 'active' && row.run_at === null;
  const nextAt = isWaiting ? row.next_at : null;
  return forecast(context, queue, plan, { nextAt, room: roomOf(row, counts), counts });
}

interface Start {
  nextAt: number | null;
  room: number;
  counts: InviteCounts;
}

async function forecast(
  context: Context,
  queue: Queue,
  plan: WavePlan,
  { nextAt, room, counts }: Start,
): Promise<Forecast> {
  const acceptRate = await readAcceptRate(context, queue);
  const upcoming: UpcomingRun[] = [];
  let [places, waiting] = [room, await countPeople(context, queue, plan, counts)];
  let at = nextAt;
  while (at !== null && upcoming.length < UPCOMING_MAX) {
    const invites = Math.min(plan.count ?? Number.POSITIVE_INFINITY, places, waiting);
    if (plan.schedule === null && invites === 0) break;
    upcoming.push({ at, invites, expectedJoins: acceptRate && joinsOf(acceptRate, invites) });
    places -= invites;
    waiting -= invites;
    at = plan.schedule && nextTime(plan.schedule, at);
  }
  return { acceptRate, openInvites: counts.open_invites, upcoming };
}

async function countPeople(
  { db }: Context,
  queue: Queue,
  { segment }: WavePlan,
  { waiting }: InviteCounts,
): Promise<number> {
  if (segment === null) return waiting;
  const who = { ...segment, status: 'waiting' as const };
  const found = await findSegment(db, queue, who, { after: 0, limit: COUNTED_MAX });
  return found.length < COUNTED_MAX ? found.length : waiting;
}

function joinsOf({ low, likely, high }: AcceptRate, invites: number) {
  return {
    low: Math.floor(low * invites),
    likely: Math.round(likely * invites),
    high: Math.ceil(high * invites),
  };
}

/** From the newest invites that had some days to be accepted. */
export async function readAcceptRate(context: Context, queue: Queue): Promise<AcceptRate | null> {
  const { query } = context.db;
  const before = oldestId((await sharedNow(context)) - OLD_ENOUGH_MS);
  const newest = query
    .selectFrom('invite')
    .select('accepted_at')
    .where('queue_id', '=', queue.id)
    .where('id', '<', before)
    .orderBy('id', 'desc')
    .limit(SAMPLE_MAX);
  const { sample, accepted } = await query
    .selectFrom(newest.as('newest'))
    .select((e) => [
      e.fn.countAll<number>().as('sample'),
      e.fn.count<number>('newest.accepted_at').as('accepted'),
    ])
    .executeTakeFirstOrThrow();
  return rateOf(Number(accepted), Number(sample));
}

/** The score interval of Wilson, which stays within 0 and 1. */
function rateOf(accepted: number, sample: number): AcceptRate | null {
  if (sample < SAMPLE_MIN) return null;
  const likely = accepted / sample;
  const weight = 1 + Z ** 2 / sample;
  const centre = (likely + Z ** 2 / (2 * sample)) / weight;
  const spread = (Z / weight) * Math.sqrt((likely * (1 - likely)) / sample + Z ** 2 / (4 * sample ** 2));
  return { likely, low: Math.max(0, centre - spread), high: Math.min(1, centre + spread), sample };
}
