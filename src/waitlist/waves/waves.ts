import { type Selectable, sql } from 'kysely';
import type { Database, Trx } from '../../db/database.ts';
import type { RunOutcome, WaveRunTable, WaveTable } from '../../db/tables.ts';
import { conflict, damaged, invalid, notFound } from '../../lib/errors.ts';
import { formatId, type Id, parseId } from '../../lib/ids.ts';
import { ifReadable } from '../../vault/crypto.ts';
import { storedJson } from '../../vault/vault.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { readable } from '../queue/readable.ts';
import type { WavePlan } from './plan.ts';

export const WAVE_STATES = ['scheduled', 'running', 'paused', 'done', 'stopped'] as const;
export type WaveState = (typeof WAVE_STATES)[number];
/** Enough for the dashboard. Older runs stay in the database. */
export const RUNS_SHOWN = 50;

export interface Wave {
  id: Id<'wav'>;
  name: string;
  state: WaveState;
  pauseReason: string | null;
  /** Whether it goes on without an operator. */
  resumesItself: boolean;
  /** null if it is damaged. */
  plan: WavePlan | null;
  /** By this wave. */
  invited: number;
  /** Invites of the queue that were accepted since the wave was created, whoever sent them. */
  joined: number;
  /** Open invites of the queue, whoever sent them. */
  openInvites: number;
  nextRunAt: number | null;
  createdAt: number;
  updatedAt: number;
  finishedAt: number | null;
  createdBy: string | null;
}

export interface WaveRun {
  scheduledAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  /** null while it runs. */
  outcome: RunOutcome | null;
  invited: number;
  accepted: number;
  expired: number;
  revoked: number;
  unreadable: number;
}

export type WaveRow = Selectable<WaveTable>;
export type RunRow = Selectable<WaveRunTable>;

/** What waves of a queue are held against. The queue's lock guards them. */
export interface InviteCounts {
  open_invites: number;
  accepted_invites: number;
  waiting: number;
}

type Executor = Database['query'] | Trx;

export function readCounts(executor: Executor, queue: Queue): Promise<InviteCounts> {
  return executor
    .selectFrom('queue_state')
    .select(['open_invites', 'accepted_invites', 'waiting'])
    .where('queue_id', '=', queue.id)
    .executeTakeFirstOrThrow();
}

/** How many more invites the wave may have open now. */
export function roomOf(
  wave: Pick<WaveRow, 'keep_open' | 'until_joined' | 'accepted_before'>,
  counts: InviteCounts,
): number {
  const joined = counts.accepted_invites - wave.accepted_before;
  const limits = [wave.keep_open, wave.until_joined === null ? null : wave.until_joined - joined];
  const most = Math.min(...limits.map((limit) => limit ?? Number.POSITIVE_INFINITY));
  return Math.max(0, most - counts.open_invites);
}

export function hasReachedGoal(wave: WaveRow, { accepted_invites }: InviteCounts): boolean {
  return wave.until_joined !== null && accepted_invites - wave.accepted_before >= wave.until_joined;
}

export function selectWaves(executor: Executor, queue: Queue) {
  return executor.selectFrom('wave').selectAll().where('queue_id', '=', queue.id);
}

/** Throws `Unreadable`. */
export function planOf({ vault }: Queue, { id, plan }: Pick<WaveRow, 'id' | 'plan'>): WavePlan {
  return vault.open<WavePlan>('wave.plan', id, plan);
}

/** Why a wave pauses itself. */
export const DAMAGED = 'what is stored about it is damaged and cannot be read';

/** For what a wave cannot do without its plan. */
export function requirePlan(queue: Queue, row: Pick<WaveRow, 'id' | 'plan'>): WavePlan {
  const plan = ifReadable(() => planOf(queue, row));
  if (!plan) throw damaged('the plan of this wave is damaged: stop the wave, and create another one');
  return plan;
}

export function readablePlan(
  context: Pick<Context, 'log'>,
  queue: Queue,
  row: Pick<WaveRow, 'id' | 'plan'>,
): WavePlan | undefined {
  const stored = {
    what: 'wave',
    id: formatId('wav', row.id),
    queue: queue.id,
    reason: 'its plan cannot be decrypted',
  } as const;
  return readable(context, stored, () => planOf(queue, row));
}

export async function findWave(executor: Executor, queue: Queue, waveId: string): Promise<WaveRow> {
  const id = parseId('wav', waveId);
  const row = id && (await selectWaves(executor, queue).where('id', '=', id).executeTakeFirst());
  if (!row) throw notFound(`there is no wave ${waveId}`);
  return row;
}

/** A wave that is over stays as it was. */
export async function requireOpenWave({ trx, queue }: QueueChange, waveId: string): Promise<WaveRow> {
  const row = await findWave(trx, queue, waveId);
  if (row.state === 'done' || row.state === 'stopped') throw conflict(`this wave is already ${row.state}`);
  return row;
}

export async function readRun(change: QueueChange, wave: WaveRow, scheduledAt: number): Promise<RunRow> {
  const run = await findRun(change, wave, scheduledAt);
  if (!run) throw new Error('a wave has no run at the time of its run');
  return run;
}

export function findRun(
  { trx, queue }: QueueChange,
  wave: WaveRow,
  scheduledAt: number,
): Promise<RunRow | undefined> {
  return trx
    .selectFrom('wave_run')
    .selectAll()
    .where('queue_id', '=', queue.id)
    .where('wave_id', '=', wave.id)
    .where('scheduled_at', '=', scheduledAt)
    .executeTakeFirst();
}

export function stateOf({ state, run_at }: Pick<WaveRow, 'state' | 'run_at'>): WaveState {
  if (state !== 'active') return state;
  return run_at === null ? 'scheduled' : 'running';
}

export function toWave(queue: Queue, row: WaveRow, counts: InviteCounts): Wave {
  return {
    id: formatId('wav', row.id),
    name: row.name,
    state: stateOf(row),
    pauseReason: row.pause_reason,
    resumesItself: row.state === 'paused' && row.resumes_itself === 1,
    plan: ifReadable(() => planOf(queue, row)) ?? null,
    invited: row.invited,
    joined: counts.accepted_invites - row.accepted_before,
    openInvites: counts.open_invites,
    nextRunAt: row.state === 'active' && row.keep_open === null ? row.next_at : null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    finishedAt: row.finished_at,
    createdBy: row.created_by,
  };
}

/** Newest first. `before` is the id of the last wave of the previous page. */
export async function listWaves(
  context: Context,
  queue: Queue,
  page: { limit: number; before?: string | undefined },
): Promise<Wave[]> {
  const { db } = context;
  const before = page.before === undefined ? undefined : parseId('wav', page.before);
  if (page.before !== undefined && !before) throw invalid('cursor: is invalid');
  let query = selectWaves(db.query, queue);
  if (before) query = query.where('id', '<', before);
  const rows = await query.orderBy('id', 'desc').limit(page.limit).execute();
  const counts = await readCounts(db.query, queue);
  return rows.map((row) => toWave(queue, row, counts));
}

export async function readWave({ db }: Context, queue: Queue, waveId: string): Promise<Wave> {
  const row = await findWave(db.query, queue, waveId);
  return toWave(queue, row, await readCounts(db.query, queue));
}

/** The last runs of a wave, newest first, with what became of their invites. */
export async function listRuns({ db }: Context, queue: Queue, waveId: string): Promise<WaveRun[]> {
  const { id } = await findWave(db.query, queue, waveId);
  const { count } = db.query.fn;
  const runs = await db.query
    .selectFrom('wave_run')
    .selectAll()
    .where('queue_id', '=', queue.id)
    .where('wave_id', '=', id)
    .orderBy('scheduled_at', 'desc')
    .limit(RUNS_SHOWN)
    .execute();
  const oldest = runs.at(-1)?.scheduled_at ?? 0;
  const fates = await db.query
    .selectFrom('invite')
    .select([
      'wave_run',
      count<number>('accepted_at').as('accepted'),
      count<number>('expired_at').as('expired'),
    ])
    .select(sql<number>`count(case when expired_at is null then revoked_at end)`.as('revoked'))
    .where('queue_id', '=', queue.id)
    .where('wave_id', '=', id)
    .where('wave_run', '>=', oldest)
    .groupBy('wave_run')
    .execute();
  const byRun = new Map(fates.map((fate) => [fate.wave_run, fate]));
  return runs.map((run) => ({
    scheduledAt: run.scheduled_at,
    startedAt: run.started_at,
    finishedAt: run.finished_at,
    outcome: run.outcome,
    invited: run.invited,
    accepted: byRun.get(run.scheduled_at)?.accepted ?? 0,
    expired: byRun.get(run.scheduled_at)?.expired ?? 0,
    revoked: byRun.get(run.scheduled_at)?.revoked ?? 0,
    unreadable: (ifReadable(() => storedJson<number[]>(run.unreadable)) ?? []).length,
  }));
}
