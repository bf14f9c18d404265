import { conflict } from '../../lib/errors.ts';
import { formatId, newId } from '../../lib/ids.ts';
import { readName } from '../../lib/text.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import {
  checkPlan,
  firstTime,
  NEW_PLAN,
  type PlanFields,
  WAVE_NAME_CHARACTERS_MAX,
  type WavePlan,
  withFields,
} from './plan.ts';
import { continueRun } from './run-wave.ts';
import { closeRun, endWave, inWords, pauseWave, updateWave, whyInvitesWait } from './wave-states.ts';
import {
  DAMAGED,
  findWave,
  readablePlan,
  readCounts,
  readRun,
  requireOpenWave,
  requirePlan,
  selectWaves,
  toWave,
  type Wave,
  type WaveRow,
} from './waves.ts';

/** In each environment of a waitlist, without those that are over. */
export const OPEN_WAVES_MAX = 100;

export type NewWave = { name: string } & PlanFields;

export async function createWave(context: Context, queue: Queue, input: NewWave): Promise<Wave> {
  const { name: given, ...fields } = input;
  const name = readName(given, { most: WAVE_NAME_CHARACTERS_MAX });
  const plan = withFields(NEW_PLAN, fields);
  checkPlan(plan);
  return changeQueue(context, queue, async (change) => {
    const { trx, now } = change;
    await requireRoom(change);
    const counts = await readCounts(trx, queue);
    const id = newId(now);
    const row: WaveRow = {
      ...{ queue_id: queue.id, id, name, ...columnsOf(queue, { id }, plan) },
      ...{ state: 'active', pause_reason: null, resumes_itself: 0, accepted_before: counts.accepted_invites },
      ...{ next_at: firstTime(plan, now), run_at: null, invited: 0, seats: '[]', checked_at: now },
      ...{ created_by: context.actor ?? null, created_at: now, updated_at: now, finished_at: null },
    };
    trx.insert('wave', [row]);
    await record(context, change, 'wave.created', row, { after: shown(name, plan) });
    return toWave(queue, row, counts);
  });
}

async function requireRoom({ trx, queue }: QueueChange): Promise<void> {
  const { open } = await trx
    .selectFrom('wave')
    .select((e) => e.fn.countAll<number>().as('open'))
    .where('queue_id', '=', queue.id)
    .where('state', 'in', ['active', 'paused'])
    .executeTakeFirstOrThrow();
  if (Number(open) >= OPEN_WAVES_MAX)
    throw conflict(`a waitlist has at most ${OPEN_WAVES_MAX} waves that are not over: stop one first`);
}

type WaveChanges = PlanFields & { name?: string | undefined; paused?: boolean | undefined };

/** Changes a plan, pauses a wave, or lets it go on. A run that is under way follows the new plan. */
export async function changeWave(
  context: Context,
  queue: Queue,
  waveId: string,
  { paused, name: given, ...fields }: WaveChanges,
): Promise<Wave> {
  const name = given === undefined ? undefined : readName(given, { most: WAVE_NAME_CHARACTERS_MAX });
  return changeQueue(context, queue, async (change) => {
    const { trx, now } = change;
    const row = await requireOpenWave(change, waveId);
    const changesPlan = Object.values(fields).some((value) => value !== undefined);
    // A damaged wave can be renamed and paused all the same.
    const before = changesPlan || paused === false ? requirePlan(queue, row) : undefined;
    const plan = before && withFields(before, fields);
    if (plan) checkPlan(plan);
    const wave: WaveRow = {
      ...row,
      name: name ?? row.name,
      ...(plan && changesPlan && columnsOf(queue, row, plan)),
      next_at: plan && (fields.schedule || fields.keepOpen) ? firstTime(plan, now) : row.next_at,
      seats: fields.quotas ? '[]' : row.seats,
    };
    if (name !== undefined || changesPlan) {
      const { name, plan: sealed, keep_open, until_joined, next_at, seats } = wave;
      await updateWave(change, row, { name, plan: sealed, keep_open, until_joined, next_at, seats });
      const described = { before: shown(row.name, before), after: shown(wave.name, plan) };
      await record(context, change, 'wave.updated', wave, described);
    }
    if (paused === true && (wave.state === 'active' || wave.resumes_itself === 1)) {
      await pauseWave(change, wave, null);
      await record(context, change, 'wave.paused', wave);
    }
    if (plan && paused === false && wave.state === 'paused') await resume(context, change, wave, plan);
    const changed = await findWave(trx, queue, waveId);
    return toWave(queue, changed, await readCounts(trx, queue));
  });
}

function columnsOf({ vault }: Queue, { id }: Pick<WaveRow, 'id'>, plan: WavePlan) {
  const { keepOpen: keep_open, untilJoined: until_joined } = plan;
  return { plan: vault.seal('wave.plan', id, plan), keep_open, until_joined };
}

/** A run that was under way goes on. Times that passed meanwhile are over, unless there is only one. */
async function resume(context: Context, change: QueueChange, wave: WaveRow, plan: WavePlan): Promise<void> {
  const { now } = change;
  const waits = await whyInvitesWait(change);
  if (waits) throw conflict(`${waits}. The wave goes on when they do`);
  const isOver = plan.schedule !== null && plan.schedule.repeat !== 'once' && (wave.next_at ?? now) <= now;
  const next_at = isOver && wave.run_at === null ? firstTime(plan, now) : wave.next_at;
  await updateWave(change, wave, { state: 'active', pause_reason: null, checked_at: now, next_at });
  await record(context, change, 'wave.resumed', wave);
  await continueRun(context, change, wave);
}

/** Ends a wave for good. Invites that it sent stay open. */
export async function stopWave(context: Context, queue: Queue, waveId: string): Promise<Wave> {
  return changeQueue(context, queue, async (change) => {
    const wave = await requireOpenWave(change, waveId);
    if (wave.run_at !== null)
      await closeRun(change, wave, await readRun(change, wave, wave.run_at), 'stopped');
    await endWave(change, wave, 'stopped');
    await record(context, change, 'wave.stopped', wave);
    const stopped = await findWave(change.trx, queue, waveId);
    return toWave(queue, stopped, await readCounts(change.trx, queue));
  });
}

/** Without conditions of segments, which can contain data of people. */
function shown(name: string, plan: WavePlan | undefined): Record<string, unknown> {
  if (!plan) return { name };
  const { segment, quotas, ...rest } = plan;
  return { name, ...rest, hasSegment: segment !== null, quotas: quotas.map(({ percent }) => percent) };
}

async function record(
  context: Context,
  { trx, queue }: QueueChange,
  action: `wave.${'created' | 'updated' | 'paused' | 'resumed' | 'stopped'}`,
  { id, name }: WaveRow,
  { before, after }: { before?: Record<string, unknown>; after?: Record<string, unknown> } = {},
): Promise<void> {
  const where = { waitlist: queue.waitlist.id, environment: queue.environment };
  await context.audit?.(trx, {
    action,
    object: { kind: 'wave', id: formatId('wav', id), name },
    ...(before ? { before } : {}),
    after: { ...after, ...where },
  });
}

/** While emails of the queue are paused, nobody is invited by them. */
export async function pauseWaves(change: QueueChange, reason: string): Promise<void> {
  const { trx, queue, settings } = change;
  if (!settings.mailKinds.includes('invite')) return;
  const active = await selectWaves(trx, queue).where('state', '=', 'active').orderBy('id').execute();
  for (const wave of active) await pauseWave(change, wave, inWords(reason), { resumesItself: true });
}

/** A time that passed meanwhile is made up for, unless it is too late. */
export async function resumeWaves(context: Context, change: QueueChange): Promise<void> {
  const { trx, queue, now } = change;
  const paused = await selectWaves(trx, queue)
    .where('state', '=', 'paused')
    .where('resumes_itself', '=', 1)
    .orderBy('id')
    .execute();
  for (const wave of paused) {
    if (!readablePlan(context, queue, wave)) {
      await updateWave(change, wave, { pause_reason: DAMAGED, resumes_itself: 0 });
      continue;
    }
    await updateWave(change, wave, { state: 'active', pause_reason: null, checked_at: now });
    await continueRun(context, change, wave);
  }
}
