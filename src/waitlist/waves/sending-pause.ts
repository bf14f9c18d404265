import type { Context } from '../queue/context.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { inWords } from './invites-wait.ts';
import { continueRun } from './run-wave.ts';
import { pauseWave, updateWave } from './wave-states.ts';
import { DAMAGED, readablePlan, selectWaves } from './waves.ts';

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
