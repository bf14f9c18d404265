import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { MetricsPage } from '../http/plugins/metrics.ts';
import { type Logger, writeLines } from '../lib/log.ts';
import { logSparingly } from '../lib/sparing-log.ts';
import { reportState } from '../lib/state-log.ts';
import { connectThread, type OtherThread } from '../lib/thread-calls.ts';
import type { Passwords } from '../operators/password.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Address } from './listen.ts';
import type { ThreadMetrics } from './metrics.ts';
import type { BuildState, MainOffers, ThreadData, ThreadOffers } from './thread-offers.ts';
import type { ClosableTracer } from './tracer.ts';

const FILE = `./request-thread${path.extname(import.meta.filename)}`;
/** For a thread that is busy: then it is not asked whether somebody checks its health. */
const ANNOUNCE_WITHIN_MS = 1_000;

/** The further threads that answer requests. There may be none. */
export interface RequestThreads {
  readonly count: number;
  open(parts: MainParts, dashboard: BuildState): Promise<void>;
  listen(address: Address): Promise<void>;
  showDashboard(state: BuildState): void;
  metrics(): Promise<ThreadMetrics[]>;
  /** Returns whether a load balancer asks one of them for its health. */
  announceStop(): Promise<boolean>;
  drain(): Promise<void>;
  close(): Promise<void>;
  /** Without waiting for anything. */
  terminate(): Promise<void>;
}

/** Of the main thread, which works for the others. */
interface MainParts {
  context: Context;
  metrics: MetricsPage;
  passwords: Passwords;
  tracer: ClosableTracer | undefined;
}

interface Thread {
  worker: Worker;
  other: OtherThread<ThreadOffers>;
}

/** Begins to load them. If one fails, so does the whole server: its supervisor starts it again. */
export function startRequestThreads(data: readonly ThreadData[], log: Logger): RequestThreads {
  const workers = data.map(
    (workerData, at) =>
      new Worker(new URL(FILE, import.meta.url), { workerData, name: `requests ${at + 2}` }),
  );
  let threads: Thread[] = [];
  let isEnding = false;
  const fail = (error: Error) => {
    if (isEnding) return;
    log.error({ reason: error.message }, 'a thread that answers requests failed, so the server ends');
    throw error; // Ends the process as an error on the main thread does.
  };
  for (const worker of workers) {
    let cause: Error | undefined;
    // Not thrown here: Node may swallow what is thrown while it delivers the last messages of a thread that ended.
    worker.on('error', (error: Error) => {
      cause = error;
    });
    worker.on('exit', (code) =>
      fail(cause ?? new Error(`a thread that answers requests ended with ${code}`)),
    );
  }
  const all = <T>(work: (thread: Thread) => Promise<T>) => Promise.all(threads.map(work));
  const terminate = async () => {
    isEnding = true;
    threads = [];
    await Promise.all(workers.map((worker) => worker.terminate()));
  };

  return {
    count: workers.length,
    open: async (parts, dashboard) => {
      const offers = offersOf(parts, log);
      threads = workers.map((worker) => ({ worker, other: connectThread<ThreadOffers>(worker, offers) }));
      await all(({ other }) => {
        const port = parts.context.db.share();
        return other.call('open', { port, dashboard }, port ? [port] : []);
      });
    },
    listen: async (address) => {
      await all(({ other }) => other.call('listen', address));
    },
    showDashboard: (state) => {
      for (const { other } of threads) other.tell('showDashboard', state);
    },
    metrics: () => all(({ other }) => other.call('metrics', undefined)),
    announceStop: async () => {
      const asked = all(({ other }) => other.call('announceStop', undefined));
      const answers = await Promise.race([asked, pause(ANNOUNCE_WITHIN_MS, undefined, { ref: false })]);
      return answers?.includes(true) ?? true;
    },
    drain: async () => {
      await all(({ other }) => other.call('drain', undefined));
    },
    close: async () => {
      const closing = all(({ other }) => other.call('close', undefined));
      threads = [];
      await closing;
      await terminate();
    },
    terminate,
  };
}

function offersOf({ context, metrics, passwords, tracer }: MainParts, log: Logger): MainOffers {
  return {
    writeLog: writeLines,
    reportState: ({ name, state, fields }) => reportState(log, name, state, fields),
    logSparingly: ({ kind, level, fields, message }) => logSparingly(log, level, fields, message, kind),
    wake: (targets) => context.wakeUps.send(targets),
    noteChange: () => context.db.noteChange(),
    // A write of its own meets the same, and then the main thread knows.
    noteSuperseded: () => void context.db.probe().catch(() => {}),
    probe: () => context.db.probe(),
    rememberOrigin: ({ traceId, origin }) => tracer?.remember(traceId, origin),
    readMetrics: () => metrics.read(),
    hashPassword: (password) => passwords.hash(password),
    verifyPassword: ({ stored, password, isStranger }) => passwords.verify(stored, password, isStranger),
  };
}
