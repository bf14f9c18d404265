import type { RunOutcome } from '../../db/tables.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { nextTime } from './schedule.ts';
import { planOf, type RunRow, type WaveRow } from './waves.ts';

/** Invites that come back one by one are not worth a run each. */
const TOP_UP_EVERY_MS = 60_000;
/** The newest of a wave. One that keeps invites open can have a run each minute. */
export const RUNS_KEPT = 1_000;

export async function updateWave(
  { trx, queue, now }: QueueChange,
  { id }: Pick<WaveRow, 'id'>,
  columns: Partial<Omit<WaveRow, 'queue_id' | 'id'>>,
): Promise<void> {
  await trx
    .updateTable('wave')
    .set({ updated_at: now, ...columns })
    .where('queue_id', '=', queue.id)
    .where('id', '=', id)
    .execute();
}

export async function updateRun(
  { trx, queue }: QueueChange,
  { wave_id, scheduled_at }: Pick<RunRow, 'wave_id' | 'scheduled_at'>,
  columns: Partial<RunRow>,
): Promise<void> {
  await trx
    .updateTable('wave_run')
    .set(columns)
    .where('queue_id', '=', queue.id)
    .where('wave_id', '=', wave_id)
    .where('scheduled_at', '=', scheduled_at)
    .execute();
}

export function endWave(change: QueueChange, wave: WaveRow, state: 'done' | 'stopped'): Promise<void> {
  const ended = { next_at: null, run_at: null, pause_reason: null, finished_at: change.now };
  return updateWave(change, wave, { state, ...ended });
}

/** `resumesItself`: it goes on when emails do, without an operator. */
export function pauseWave(
  change: QueueChange,
  wave: WaveRow,
  reason: string | null,
  { resumesItself = false } = {},
): Promise<void> {
  const resumes_itself = resumesItself ? 1 : 0;
  change.record({
    kind: 'wave.paused',
    wave: factsOf({ ...wave, pause_reason: reason, resumes_itself }),
    run: null,
  });
  return updateWave(change, wave, { state: 'paused', pause_reason: reason, resumes_itself });
}

/** Ends a run of a wave that has no further one. */
export async function closeRun(
  change: QueueChange,
  wave: WaveRow,
  run: RunRow,
  outcome: RunOutcome,
): Promise<void> {
  change.record({ kind: 'wave.finished', wave: factsOf(wave), run: runFacts(run) });
  await updateRun(change, run, { outcome, finished_at: change.now });
  await deleteOldRuns(change, wave);
}

/** Ends a run and plans the next one. Without a next one, the wave is done. */
export async function endRun(
  change: QueueChange,
  wave: WaveRow,
  run: RunRow,
  outcome: RunOutcome,
): Promise<void> {
  await closeRun(change, wave, run, outcome);
  // A schedule that was changed during the run has a later time already.
  if ((wave.next_at ?? 0) > run.scheduled_at) await updateWave(change, wave, { run_at: null });
  else await planNext(change, wave, run.scheduled_at);
}

async function deleteOldRuns({ trx, queue }: QueueChange, { id }: WaveRow): Promise<void> {
  const oldest = await trx
    .selectFrom('wave_run')
    .select('scheduled_at')
    .where('queue_id', '=', queue.id)
    .where('wave_id', '=', id)
    .orderBy('scheduled_at', 'desc')
    .offset(RUNS_KEPT - 1)
    .limit(1)
    .executeTakeFirst();
  if (!oldest) return;
  await trx
    .deleteFrom('wave_run')
    .where('queue_id', '=', queue.id)
    .where('wave_id', '=', id)
    .where('scheduled_at', '<', oldest.scheduled_at)
    .execute();
}

/** What was planned for this time is over. Without another time, so is the wave. */
export async function planNext(change: QueueChange, wave: WaveRow, at: number): Promise<void> {
  const { schedule } = planOf(change.queue, wave);
  const next = schedule === null ? at + TOP_UP_EVERY_MS : nextTime(schedule, at);
  if (next === null) await endWave(change, wave, 'done');
  else await updateWave(change, wave, { next_at: next, run_at: null });
}

export function factsOf({ id, name, pause_reason, resumes_itself }: WaveRow) {
  return { id, name, pauseReason: pause_reason, resumesItself: resumes_itself === 1 };
}

export function runFacts({ scheduled_at, invited }: RunRow) {
  return { scheduledAt: scheduled_at, invited };
}
