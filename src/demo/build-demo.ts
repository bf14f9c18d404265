import type { Config } from '../config/config.ts';
import { openContext } from '../installation/open.ts';
import { createLogger } from '../lib/log.ts';
import { DAY_MS, HOUR_MS } from '../lib/time.ts';
import { confirmAll } from '../waitlist/entries/confirm-entry.ts';
import { eraseEntry } from '../waitlist/entries/erase-entry.ts';
import { changeQueue, readAndChangeQueue } from '../waitlist/queue/change-queue.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { findMembers } from '../waitlist/referrals/members.ts';
import { addEntries } from '../waitlist/signup/add-entries.ts';
import { prepareCandidate } from '../waitlist/signup/candidate.ts';
import type { Signup } from '../waitlist/signup/signup-input.ts';
import { keepUp } from '../waitlist/upkeep/upkeep.ts';
import { createTimeline, type Deliveries, startDeliveries, type Timeline } from './deliveries.ts';
import { createInviteWaves } from './invite-waves.ts';
import { createPeople, DAYS, type Random, seededRandom, signupTimes } from './people.ts';
import {
  BETA,
  createOwner,
  createProduct,
  createTeam,
  planWave,
  shareCodes,
  TEAMS,
  turnOnForm,
  turnOnMails,
  turnOnWebhooks,
} from './product.ts';

const SEED = 20_260_401;
const TEAM_DAY = 12;
const FIRST_INVITES_DAY = 33;
const INVITES_EVERY_DAYS = 4;
/** Long enough for a delivery to use up its retries. */
const WEBHOOKS_DAY = DAYS - 5;
const MAILS_DAY = DAYS - 3;
const CODES_DAY = DAYS - 2;
const REMOVAL_EVERY_DAYS = 11;
/** The share of signups for the second waitlist. */
const TEAMS_SHARE = 0.05;
const TEST_ENTRIES = 24;
/** Long enough for a few runs. Until then, the owner invites by hand. */
const WAVE_DAY = DAYS - 15;
/** Of everyone who ever signs up, invited by one run of a wave. */
const WAVE_SHARE = 1 / 400;
const TEAMS_WAVE_SHARE = 1 / 50;

interface DemoInput {
  entries: number;
  password: string;
  receiverPort: number;
  /** When the story ends. */
  end: number;
  onDay?: (day: number) => void;
}

interface Story extends DemoInput {
  context: Context;
  config: Config;
  timeline: Timeline;
  deliveries: Deliveries;
}

/**
 * Plays the first ninety days of a product with the verbs of the domain and a clock of its own, so that
 * positions, counters, statistics and the audit trail are what they would be.
 */
export async function buildDemo(config: Config, input: DemoInput): Promise<void> {
  const timeline = createTimeline(input.end - DAYS * DAY_MS);
  const context = await openContext(config, createLogger('silent'), timeline.clock);
  try {
    const { accounts, actor, owned } = await createOwner(context, input.password);
    const deliveries = await startDeliveries(context, config, timeline);
    try {
      await createProduct(owned);
      const story = { ...input, context: owned, config, timeline, deliveries };
      await playBeta(story, () => createTeam(accounts, actor));
    } finally {
      await deliveries.stop();
    }
  } finally {
    await context.db.close();
  }
}

async function playBeta(story: Story, onTeamDay: () => Promise<void>): Promise<void> {
  const { context, timeline, deliveries, entries, end } = story;
  const random = seededRandom(SEED);
  const [beta, teams, test] = await Promise.all([
    queueOf(context, BETA, 'production'),
    queueOf(context, TEAMS, 'production'),
    queueOf(context, BETA, 'development'),
  ]);
  const arrivals = arrivalsOf(random, entries, end);
  const teamArrivals = arrivalsOf(random, Math.round(entries * TEAMS_SHARE), end);
  const waves = createInviteWaves(context, beta, timeline, random);
  // With chance of its own, so that the story of the other waitlist stays the same.
  const teamWaves = createInviteWaves(context, teams, timeline, seededRandom(SEED + 1));
  let confirming: number[] = [];
  for (let day = 0; day < DAYS; day += 1) {
    const startsAt = end - (DAYS - day) * DAY_MS;
    timeline.moveTo(startsAt);
    if (day === 1) await turnOnForm(context, beta);
    if (day === 2) await confirm(context, test, await signUp(context, test, testArrivals(startsAt), random));
    if (day === TEAM_DAY) await onTeamDay();
    if (day === WEBHOOKS_DAY) await turnOnWebhooks(context, beta, story.config, story.receiverPort);
    if (day === MAILS_DAY) await turnOnMails(context);
    if (day === CODES_DAY) await shareCodes(context, beta, entries, startsAt);
    if (day === WAVE_DAY) {
      await planWave(context, beta, entries, WAVE_SHARE);
      await planWave(context, teams, entries * TEAMS_SHARE, TEAMS_WAVE_SHARE);
    }
    if (isInviteDay(day)) await waves.invite(waveSize(day, entries));
    const busy = day >= WEBHOOKS_DAY;
    const hours = busy ? 1 : 6;
    for (let hour = 0; hour < 24; hour += hours) {
      const until = startsAt + (hour + hours) * HOUR_MS;
      await waves.decideUntil(until);
      await teamWaves.decideUntil(until);
      timeline.moveTo(until);
      await waves.runPlanned();
      await teamWaves.runPlanned();
      await confirm(context, beta, confirming);
      confirming = await signUp(context, beta, takeUntil(arrivals, until), random);
      if (busy) await deliveries.settle();
    }
    await signUp(context, teams, takeUntil(teamArrivals, timeline.clock()), random);
    if (day > 0 && day % REMOVAL_EVERY_DAYS === 0) await removeSomeone(context, beta);
    await keepUp(context);
    if (busy) await deliveries.settle(); // Before the next hour decides on what the emails are about.
    story.onDay?.(day + 1);
  }
}

async function queueOf(context: Context, waitlistId: string, environment: string): Promise<Queue> {
  const queue = await context.registry.queue(waitlistId, environment);
  if (!queue) throw new Error(`there is no ${waitlistId} in ${environment}`);
  return queue;
}

function arrivalsOf(random: Random, count: number, end: number): Arrival[] {
  const next = createPeople(random);
  return signupTimes(random, count, end).map((at) => ({ at, signup: next() }));
}

function takeUntil(arrivals: Arrival[], time: number): Arrival[] {
  const later = arrivals.findIndex(({ at }) => at > time);
  return arrivals.splice(0, later === -1 ? arrivals.length : later);
}

function testArrivals(at: number): Arrival[] {
  return Array.from({ length: TEST_ENTRIES }, (_, n) => {
    const key = `test+${n + 1}@orbit.example`;
    const email = { shown: key, key };
    return { at, signup: { email, phone: null, metadata: { source: 'test' }, referrer: null } };
  });
}

function isInviteDay(day: number): boolean {
  return day >= FIRST_INVITES_DAY && day < WAVE_DAY && (day - FIRST_INVITES_DAY) % INVITES_EVERY_DAYS === 0;
}

/** More each time, up to about a tenth of everyone in total. */
function waveSize(day: number, entries: number): number {
  return Math.max(1, Math.round((entries / 25_000) * (80 + 3 * (day - FIRST_INVITES_DAY))));
}

/** The last person who joined the queue asks to be forgotten. */
async function removeSomeone(context: Context, queue: Queue): Promise<void> {
  const row = await context.db.query
    .selectFrom('entry')
    .select(['id', 'person'])
    .where('queue_id', '=', queue.id)
    .where('status', '=', 'waiting')
    .orderBy('seq', 'desc')
    .executeTakeFirst();
  if (!row?.person) return;
  const { email } = queue.vault.open<{ email: string }>('entry.person', row.id, row.person);
  await eraseEntry(context, queue, email);
}

/** The share of people who confirm their email. */
const CONFIRMED = 0.91;

export interface Arrival {
  signup: Signup;
  at: number;
}

/** Signs people up at the times given. Returns the numbers of those who will confirm their email. */
export async function signUp(
  context: Context,
  queue: Queue,
  arrivals: readonly Arrival[],
  random: Random,
): Promise<number[]> {
  if (arrivals.length === 0) return [];
  const candidates = arrivals.map(({ signup, at }) => ({
    ...prepareCandidate(queue, signup, at),
    joinedAt: at,
  }));
  return readAndChangeQueue(
    context,
    queue,
    (trx) => findMembers(trx, queue, candidates),
    (change, members) => {
      addEntries(change, members, candidates);
      const seqs = candidates.flatMap((candidate) => members.holder(candidate)?.seq ?? []);
      return seqs.filter(() => random() < CONFIRMED);
    },
  );
}

export async function confirm(context: Context, queue: Queue, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return;
  await changeQueue(context, queue, async (change) => {
    const pending = await change.trx
      .selectFrom('entry')
      .select(['seq', 'status', 'rank'])
      .where('queue_id', '=', queue.id)
      .where('status', '=', 'pending')
      .where((e) => context.db.in(e.ref('seq'), seqs))
      .orderBy('seq')
      .execute();
    await confirmAll(change, pending, undefined);
  });
}
