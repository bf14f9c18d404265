import { sharedNow } from '../../db/shared-clock.ts';
import { formatId } from '../../lib/ids.ts';
import { whenReadable } from '../../vault/crypto.ts';
import { storedJson } from '../../vault/vault.ts';
import { inviteAll } from '../invites/create-invites.ts';
import {
  advanceJob,
  createJob,
  finishJob,
  type HeldJob,
  type JobKind,
  type JobLease,
  readProgress,
} from '../jobs/jobs.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { whyFailing } from './failures.ts';
import { pickPeople, type SizedGroup, sizeGroups } from './pick-people.ts';
import type { WavePlan } from './plan.ts';
import { mustStartBefore, nextTime } from './schedule.ts';
import {
  doesMailWait,
  endRun,
  endWave,
  factsOf,
  findDueWaves,
  pauseWave,
  planNext,
  runFacts,
  updateRun,
  updateWave,
  whyInvitesWait,
} from './wave-states.ts';
import {
  DAMAGED,
  findRun,
  findWave,
  hasReachedGoal,
  planOf,
  type RunRow,
  readablePlan,
  readCounts,
  readRun,
  roomOf,
  selectWaves,
  type WaveRow,
} from './waves.ts';

/** Invites per transaction: few enough that signups do not wait long. */
const CHUNK = 500;
/** A wave that keeps invites open, but finds nobody to invite, looks again after this time. */
const LOOK_AGAIN_MS = 5 * 60_000;
const KIND = 'wave';

/** Starts the runs of a queue that are due. Whoever gets the lock first starts a run; for others it is no longer due. */
export async function runDueWaves(context: Context, queue: Queue): Promise<void> {
  const due = await findDueWaves(context, queue, await sharedNow(context));
  const mailWaits = due.length > 0 && (await doesMailWait(context, queue));
  for (const id of due) {
    const started = startRun(context, queue, id, mailWaits).then(() => true);
    if (!(await whenReadable(started))) await pauseDamaged(context, queue, id);
  }
}

/** What is read before the lock. It is of no use if the plan has changed by then. */
interface Prepared {
  plan: Uint8Array;
  groups: readonly SizedGroup[];
  /** Why the wave must not go on. */
  failing: string | undefined;
}

async function prepare(context: Context, queue: Queue, wave: WaveRow, last?: Prepared): Promise<Prepared> {
  const plan = planOf(queue, wave);
  const isKnown = last !== undefined && isSame(last.plan, wave.plan);
  return {
    plan: wave.plan,
    groups: isKnown ? last.groups : await sizeGroups(context, queue, plan),
    failing: await whyFailing(context, queue, wave, plan),
  };
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

async function startRun(context: Context, queue: Queue, id: Uint8Array, mailWaits: boolean): Promise<void> {
  const seen = await selectWaves(context.db.query, queue).where('id', '=', id).executeTakeFirst();
  if (!seen) return;
  // It is looked at again. A time that passes meanwhile is made up for, or else skipped.
  if (mailWaits && !hasReachedGoal(seen, await readCounts(context.db.query, queue))) return;
  const { plan, groups, failing } = await prepare(context, queue, seen);
  await changeQueue(context, queue, async (change) => {
    const { trx, now } = change;
    const wave = await selectWaves(trx, queue).where('id', '=', id).executeTakeFirst();
    if (wave?.state !== 'active' || wave.run_at !== null || !isSame(wave.plan, plan)) return;
    if (hasReachedGoal(wave, await readCounts(trx, queue))) return endWave(change, wave, 'done');
    if (wave.next_at === null || wave.next_at > now) return;
    const waits = await whyInvitesWait(change);
    if (waits) return pauseWave(change, wave, waits, { resumesItself: true });
    if (failing) return pauseWave(change, wave, failing);
    const at = await skipMissed(change, wave, planOf(queue, wave));
    if (at === null) return;
    // After the clock was set back, a changed schedule can come to the same time again.
    if (await findRun(change, wave, at)) await planNext(change, wave, at);
    else await startAt(context, change, wave, groups, at);
  });
}

/** An operator sees it, and can stop it. Otherwise it would stay due. */
function pauseDamaged(context: Context, queue: Queue, id: Uint8Array): Promise<void> {
  return changeQueue(context, queue, async (change) => {
    const wave = await selectWaves(change.trx, queue).where('id', '=', id).executeTakeFirst();
    if (wave?.state !== 'active') return;
    readablePlan(context, queue, wave); // So that the log has it.
    await pauseWave(change, wave, DAMAGED);
  });
}

/**
 * Records times that passed while nothing ran as skipped. Returns the last one, if it is not too late for it, or
 * null.
 */
async function skipMissed(
  change: QueueChange,
  wave: WaveRow,
  { schedule }: WavePlan,
): Promise<number | null> {
  const { trx, queue, now } = change;
  if (schedule === null) return now;
  const missed: number[] = [];
  let at: number | null = wave.next_at;
  while (at !== null && at <= now && mustStartBefore(schedule, at, wave.checked_at) <= now) {
    missed.push(at);
    at = nextTime(schedule, at);
  }
  trx.insert(
    'wave_run',
    missed.map((time) => ({
      ...{ queue_id: queue.id, wave_id: wave.id, scheduled_at: time },
      ...{ finished_at: now, outcome: 'skipped' as const },
    })),
    { onConflict: 'ignore' },
  );
  if (at !== null && at <= now) return at;
  if (at === null) await endWave(change, wave, 'done');
  else await updateWave(change, wave, { next_at: at });
  return null;
}

/** Inserts the run together with its first batch. If that is not all, a job continues. */
async function startAt(
  context: Context,
  change: QueueChange,
  wave: WaveRow,
  groups: readonly SizedGroup[],
  at: number,
): Promise<void> {
  const { trx, queue, now } = change;
  const run: RunRow = {
    ...{ queue_id: queue.id, wave_id: wave.id, scheduled_at: at, started_at: now },
    ...{ finished_at: null, outcome: null, invited: 0, unreadable: '[]', job_id: null },
  };
  const batch = await inviteBatch(context, change, wave, run, groups);
  if (wave.keep_open !== null && batch.run.invited === 0 && batch.done)
    return updateWave(change, wave, { next_at: now + LOOK_AGAIN_MS });
  const started = { ...batch.wave, next_at: at, run_at: at };
  change.record({ kind: 'wave.started', wave: factsOf(wave), run: runFacts(run) });
  const lease = batch.done ? null : continueLater(context, change, started, batch.run);
  trx.insert('wave_run', [{ ...batch.run, job_id: lease?.id ?? null }]);
  await updateWave(change, started, columnsOf(started));
  if (batch.done) await endRun(change, started, batch.run, 'done');
}

/** What a run changes in its wave. */
function columnsOf({ next_at, run_at, invited, seats }: WaveRow) {
  return { next_at, run_at, invited, seats };
}

/** After a pause: a run that was under way goes on. */
export async function continueRun(context: Context, change: QueueChange, wave: WaveRow): Promise<void> {
  if (wave.run_at === null) return;
  const { trx, queue } = change;
  const run = await readRun(change, wave, wave.run_at);
  const job = await trx
    .selectFrom('job')
    .select('finished_at')
    .where('queue_id', '=', queue.id)
    .where('id', '=', run.job_id)
    .executeTakeFirst();
  if (job?.finished_at === null) return; // It has not noticed the pause.
  await updateRun(change, run, { job_id: continueLater(context, change, wave, run).id });
}

function continueLater(
  context: Context,
  change: QueueChange,
  wave: WaveRow,
  { scheduled_at: scheduledAt }: Pick<RunRow, 'scheduled_at'>,
): JobLease {
  const waveId = formatId('wav', wave.id);
  const { count: total } = planOf(change.queue, wave);
  const input: WaveJobInput = { waveId, scheduledAt };
  return createJob(context, change, { kind: KIND, input, total, subject: waveId, runner: 'server' });
}

interface Batch {
  wave: WaveRow;
  run: RunRow;
  /** Whether the run has invited everyone it may. */
  done: boolean;
}

/** Invites the next people, as far as there is room under the lock. The caller writes the returned rows. */
async function inviteBatch(
  context: Context,
  change: QueueChange,
  wave: WaveRow,
  run: RunRow,
  groups: readonly SizedGroup[],
): Promise<Batch> {
  const { count } = planOf(change.queue, wave);
  const left = (count ?? Number.POSITIVE_INFINITY) - run.invited;
  const limit = Math.min(CHUNK, left, roomOf(wave, await readCounts(change.trx, change.queue)));
  if (limit <= 0) return { wave, run, done: true };
  const before = storedJson<number[]>(run.unreadable);
  const seats = storedJson<number[]>(wave.seats);
  const picking = { waveId: wave.id, groups, seats, limit, unreadable: before };
  const picked = await pickPeople(context, change, picking);
  await inviteAll(change, picked.invitees, undefined, { id: wave.id, run: run.scheduled_at });
  const invited = picked.invitees.length;
  return {
    wave: { ...wave, invited: wave.invited + invited, seats: JSON.stringify(picked.seats) },
    run: { ...run, invited: run.invited + invited, unreadable: JSON.stringify(picked.unreadable) },
    done: picked.nobodyLeft || (invited === limit && limit < CHUNK) || left === invited,
  };
}

interface WaveJobInput {
  waveId: string;
  scheduledAt: number;
}

/** Continues a run, batch by batch. How far it is stands in the run, so another job can go on after a pause. */
export const waveJob: JobKind = {
  kind: KIND,
  run: async (context, queue, { lease, input }: HeldJob<WaveJobInput>) => {
    let prepared: Prepared | undefined;
    for (let working = true; working; ) {
      const wave = await findWave(context.db.query, queue, input.waveId);
      const ready: Prepared = await prepare(context, queue, wave, prepared);
      working = await changeQueue(context, queue, (change) => jobStep(context, change, lease, input, ready));
      prepared = ready;
    }
  },
  cleanUp: async (change, jobId) => {
    const { trx, queue } = change;
    const run = await trx
      .selectFrom('wave_run')
      .select('wave_id')
      .where('queue_id', '=', queue.id)
      .where('job_id', '=', jobId)
      .where('finished_at', 'is', null)
      .executeTakeFirst();
    if (!run) return;
    const wave = await findWave(trx, queue, formatId('wav', run.wave_id));
    if (wave.state === 'active')
      await pauseWave(change, wave, `its job ${formatId('job', jobId)} was cancelled or failed`);
  },
};

/** Returns whether there is more to do. */
async function jobStep(
  context: Context,
  change: QueueChange,
  lease: JobLease,
  { waveId, scheduledAt }: WaveJobInput,
  { plan, groups, failing }: Prepared,
): Promise<boolean> {
  const { trx, queue } = change;
  await readProgress(trx, queue, lease);
  const wave = await findWave(trx, queue, waveId);
  const run = await readRun(change, wave, scheduledAt);
  const finish = ({ invited }: RunRow) => {
    finishJob(change, lease, null, { done: invited, result: { invited } });
    return false;
  };
  if (wave.state !== 'active' || wave.run_at !== scheduledAt) return finish(run);
  if (!isSame(wave.plan, plan)) return true;
  const waits = await whyInvitesWait(change);
  if (waits || failing) {
    await pauseWave(change, wave, waits ?? failing ?? null, { resumesItself: waits !== undefined });
    return finish(run);
  }
  const batch = await inviteBatch(context, change, wave, run, groups);
  const { invited, unreadable } = batch.run;
  await updateRun(change, run, { invited, unreadable });
  await updateWave(change, wave, { invited: batch.wave.invited, seats: batch.wave.seats });
  if (batch.done) {
    await endRun(change, batch.wave, batch.run, 'done');
    return finish(batch.run);
  }
  advanceJob(change, lease, null, { done: invited, result: { invited } });
  return true;
}
