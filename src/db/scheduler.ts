import { setTimeout } from 'node:timers';
import { type RawBuilder, sql } from 'kysely';
import type { Log } from '../lib/log.ts';
import { awaitedLater } from '../lib/promises.ts';
import { reportState } from '../lib/state-log.ts';
import type { Clock } from '../lib/time.ts';
import type { Database } from './database.ts';
import type { Dialect } from './dialect.ts';
import { sharedTime } from './shared-clock.ts';

/** An idle server asks the database this often: a database that sleeps when idle is not kept busy. */
const IDLE_MS = 30_000;
/** Between two looks, however much changes. */
const LOOK_EVERY_MS = 500;

/** Periodic work. It runs when something is due, after changes, or at fixed times. */
export interface ScheduledTask {
  /** For the log. */
  name: string;
  /** The least time between two runs. */
  everyMs: number;
  /** The most time between two runs, even if nothing happens. */
  atLeastEveryMs?: number;
  /** Run after something was written. */
  afterChanges?: boolean;
  /** SQL for the earliest time at which there is something to do, or null. All tasks are asked in one statement. */
  dueAt?(db: Dialect): RawBuilder<number | null>;
  /** Resolves to false if it must run again, even without changes. */
  run(): unknown;
}

interface Scheduler {
  /** Waits for running tasks. */
  close(): Promise<void>;
}

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
}

interface TaskState {
  readonly task: ScheduledTask;
  running: Promise<void> | undefined;
  startedAt: number;
  changed: boolean;
  /** On the monotonic clock. Infinity if nothing is due. */
  dueAt: number;
  askedAt: number;
  /** Whether `dueAt` may have changed since then. */
  unsure: boolean;
  /** Grows while the task is due again and again without any change. */
  pauseMs: number;
}

/**
 * Looks with one statement which tasks are due: after changes, at the next due time, and every 30 s, for what another
 * instance left behind. A task never runs twice at the same time in this process.
 */
export function startScheduler(parts: Parts, tasks: readonly ScheduledTask[]): Scheduler {
  const states = tasks.map(
    (task): TaskState => ({
      task,
      ...{ running: undefined, startedAt: Number.NEGATIVE_INFINITY, changed: true },
      ...{ dueAt: Number.POSITIVE_INFINITY, pauseMs: task.everyMs },
      ...{ askedAt: Number.NEGATIVE_INFINITY, unsure: true },
    }),
  );
  let lookedAt = Number.NEGATIVE_INFINITY;
  let closing = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  const turn = async () => {
    lookedAt = performance.now();
    const unsure = states.filter((state) => nextAskAt(state) <= lookedAt);
    // Without a change, all are asked, so that the next look is far away for all.
    const asked = unsure.length > 0 ? unsure : states.filter(({ task }) => task.dueAt);
    try {
      await ask(parts, asked);
      reportState(parts.log, 'background work', 'ok');
    } catch (error) {
      for (const state of asked) state.unsure = true;
      reportState(parts.log, 'background work', 'failing', { reason: (error as Error).message });
      return;
    }
    if (closing) return;
    for (const state of states) if (performance.now() >= nextRunAt(state)) start(state);
  };
  const start = (state: TaskState) => {
    const { task } = state;
    const wasDue = state.dueAt <= performance.now();
    state.startedAt = performance.now();
    state.pauseMs = wasDue ? Math.min(2 * state.pauseMs, Math.max(IDLE_MS, task.everyMs)) : task.everyMs;
    state.changed = false;
    state.running = runTask(parts.log, task).then((outcome) => {
      state.running = undefined;
      if (outcome === false) state.changed = true;
      if (wasDue) state.unsure = true;
      schedule();
    });
  };
  const schedule = () => {
    clearTimeout(timer);
    if (closing || looking) return;
    const next = Math.min(lookedAt + IDLE_MS, ...states.map(nextRunAt), ...states.map(nextAskAt));
    const at = Math.max(next, lookedAt + LOOK_EVERY_MS);
    timer = setTimeout(
      () => {
        looking = turn().finally(() => {
          looking = undefined;
          schedule();
        });
      },
      Math.max(0, at - performance.now()),
    );
  };
  const changed = () => {
    if (states.every(({ changed, unsure }) => changed && unsure)) return;
    for (const state of states) {
      state.changed = true;
      state.unsure = true;
      state.pauseMs = state.task.everyMs;
    }
    schedule();
  };
  const endChanges = parts.db.onChange(changed);
  const endNotifications = awaitedLater(parts.db.listen(changed));
  schedule();
  return {
    close: async () => {
      closing = true;
      clearTimeout(timer);
      endChanges();
      await looking;
      await Promise.all([...states.map(({ running }) => running), (await endNotifications)()]);
    },
  };
}

function nextRunAt({ task, running, startedAt, changed, dueAt, pauseMs }: TaskState): number {
  if (running) return Number.POSITIVE_INFINITY;
  const { atLeastEveryMs } = task;
  const atTheLatest = atLeastEveryMs === undefined ? Number.POSITIVE_INFINITY : startedAt + atLeastEveryMs;
  const afterChanges = task.afterChanges && changed ? startedAt + task.everyMs : Number.POSITIVE_INFINITY;
  return Math.min(atTheLatest, afterChanges, Math.max(dueAt, startedAt + pauseMs));
}

function nextAskAt({ task, askedAt, unsure }: TaskState): number {
  return task.dueAt && unsure ? askedAt + task.everyMs : Number.POSITIVE_INFINITY;
}

async function runTask(log: Log, { name, run }: ScheduledTask): Promise<unknown> {
  try {
    const outcome = await run();
    reportState(log, name, 'ok');
    return outcome;
  } catch (error) {
    reportState(log, name, 'failing', { reason: (error as Error).message });
  }
}

async function ask(parts: Parts, states: readonly TaskState[]): Promise<void> {
  if (states.length === 0) return;
  const { db } = parts;
  for (const state of states) Object.assign(state, { askedAt: performance.now(), unsure: false });
  const columns = states.map(({ task }, n) => sql`${task.dueAt?.(db)} as ${sql.ref(`due_${n}`)}`);
  const { rows } = await sql<Record<string, number | null>>`
    select ${sql.join([sql`${db.clock} as now`, ...columns])}`.execute(db.query);
  const at = performance.now();
  const now = sharedTime(parts, rows[0]?.now ?? 0);
  for (const [n, state] of states.entries()) {
    const dueAt = rows[0]?.[`due_${n}`] ?? null;
    state.dueAt = dueAt === null ? Number.POSITIVE_INFINITY : at + dueAt - now;
    if (state.dueAt > at) state.pauseMs = state.task.everyMs;
  }
}
