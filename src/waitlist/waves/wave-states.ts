import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../../db/dialect.ts';
import type { RunOutcome } from '../../db/tables.ts';
import type { Context } from '../queue/context.ts';
import { whyRefused } from '../queue/mail-pause.ts';
import type { Queue } from '../queue/queue.ts';
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

/** Why invites of the queue are held back by a rate of bounces, if they are sent by email at all. */
export async function whyInvitesWait({ trx, queue, settings }: QueueChange): Promise<string | undefined> {
  if (!settings.mailKinds.includes('invite')) return undefined;
  const paused = await trx
    .selectFrom('mail_sending')
    .select('pause_reason')
    .where('queue_id', '=', queue.id)
    .where('paused_at', 'is not', null)
    .where('resumed_at', 'is', null)
    .executeTakeFirst();
  return paused && inWords(paused.pause_reason ?? '');
}

export function inWords(reason: string): string {
  return `emails of the waitlist are paused: ${reason}`;
}

/**
 * Whether the mail server takes no emails of the queue, so that further invites could expire before anybody reads
 * them. Only while emails wait: they are what the server is tried with, and without them a pause would not end.
 */
export async function doesMailWait(context: Context, queue: Queue): Promise<boolean> {
  if (queue.environment !== 'production' || !(await whyRefused(context, queue))) return false;
  const { query } = context.db;
  const { mail_kinds } = await query
    .selectFrom('waitlist')
    .select('mail_kinds')
    .where('id', '=', queue.waitlist.internalId)
    .executeTakeFirstOrThrow();
  if (!mail_kinds.split(',').includes('invite')) return false;
  const waiting = await query
    .selectFrom('delivery')
    .select('event_id')
    .where('queue_id', '=', queue.id)
    .where('channel', '=', 'email')
    .where('due_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return waiting !== undefined;
}

const JOINED = sql`(q.accepted_invites - w.accepted_before)`;
const REACHED = sql`(w.until_joined is not null and ${JOINED} >= w.until_joined)`;
/** A wave that keeps invites open has nothing to do while enough are open. */
const HAS_ROOM = sql`(w.keep_open is null or (q.waiting > 0 and w.keep_open > q.open_invites
  and (w.until_joined is null or w.until_joined - ${JOINED} > q.open_invites)))`;
const ACTIVE = sql`wave as w join queue_state as q on q.queue_id = w.queue_id
  where w.state = 'active' and w.run_at is null`;

/** When the first wave is due: to run, or to end because enough people have joined. */
export function firstWaveAt(db: Dialect): RawBuilder<{ at: number | null }> {
  return sql`select min(case when ${REACHED} then 0 else w.next_at end) as at from ${ACTIVE}
    and (${REACHED} or ${HAS_ROOM}) and ${db.reachable(sql.ref('q.queue_id'))}`;
}

function due(now: number): RawBuilder<unknown> {
  return sql`${ACTIVE} and (${REACHED} or (w.next_at <= ${now} and ${HAS_ROOM}))`;
}

export async function findDueQueues({ db }: Context, now: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ queue_id: number }>`select distinct w.queue_id from ${due(now)}
    and ${db.reachable(sql.ref('q.queue_id'))} limit ${limit}`.execute(db.query);
  return rows.map(({ queue_id }) => queue_id);
}

/** The waves of a queue that are due, the one that was planned first at the front. */
export async function findDueWaves({ db }: Context, queue: Queue, now: number): Promise<Uint8Array[]> {
  const { rows } = await sql<{ id: Uint8Array }>`select w.id from ${due(now)} and w.queue_id = ${queue.id}
    order by w.next_at, w.id`.execute(db.query);
  return rows.map(({ id }) => id);
}
