import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { MailTemplate } from './settings.ts';
import {
  type TaskName,
  type TaskReply,
  type TaskRequest,
  TemplateFailed,
  type TemplateFailure,
  type TemplateTasks,
} from './tasks.ts';

const THREAD = `./template-thread${path.extname(import.meta.filename)}`;
/** A mail takes about a millisecond, and fifty as the first one of a thread. */
const TASK_MS_MAX = 2_000;
/** Counted in ticks of this thread: a machine that was asleep or busy does not count against a template. */
const TICK_MS = 50;
const MEMORY_MAX_MIB = 128;
const STACK_MAX_MIB = 1;
/** Starting takes a quarter of a second, so it stays for the next mail. */
const IDLE_MS = 60_000;
/** A template that took too long is not tried again with each mail. */
const AVOIDED_MS = 10 * 60_000;
const MOST_AVOIDED = 100;

interface Job {
  request: TaskRequest;
  resolve(result: unknown): void;
  reject(error: TemplateFailed): void;
}

export interface TemplateWorker {
  /** Rejects with TemplateFailed, whatever the template does. */
  run<Name extends TaskName>(
    task: Name,
    input: TemplateTasks[Name]['input'],
  ): Promise<TemplateTasks[Name]['result']>;
  /** Ends the thread as soon as it has nothing to do. The next task starts it again. */
  rest(): Promise<void>;
}

/** Renders templates of operators on a thread of its own, which is ended when one takes too long. */
export function createTemplateWorker(taskMsMax = TASK_MS_MAX): TemplateWorker {
  const jobs: Job[] = [];
  const avoided = new Map<string, { failure: TemplateFailure; until: number }>();
  let thread: { worker: Worker; ready: boolean } | undefined;
  let running: Job | undefined;
  let ticking: NodeJS.Timeout | undefined;
  let idling: NodeJS.Timeout | undefined;
  const resting: (() => void)[] = [];

  const start = () => {
    const worker = new Worker(new URL(THREAD, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MIB, stackSizeMb: STACK_MAX_MIB },
    });
    const started = { worker, ready: false };
    thread = started;
    worker.on('message', (reply: TaskReply) => {
      if (thread !== started) return;
      if (reply === 'ready') started.ready = true;
      else
        finish((job) =>
          'failed' in reply ? job.reject(new TemplateFailed(reply.failed)) : job.resolve(reply.result),
        );
      next();
    });
    const ended = (failure: TemplateFailure) => {
      if (thread === started) giveUp(failure);
    };
    worker.on('error', ({ code }: NodeJS.ErrnoException) =>
      ended(code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'needs too much memory' : 'cannot be rendered'),
    );
    worker.on('exit', () => ended('cannot be rendered'));
  };

  const finish = (settle: (job: Job) => void) => {
    const job = running;
    running = undefined;
    clearInterval(ticking);
    if (job) settle(job);
  };

  /** The thread is lost, and with it the task that it was working on, or the first one if it never started. */
  const giveUp = (failure: TemplateFailure) => {
    void end();
    running ??= jobs.shift();
    if (running && failure !== 'cannot be rendered') avoid(running.request, failure);
    finish((job) => job.reject(new TemplateFailed(failure)));
    next();
  };

  const avoid = ({ input: { template } }: TaskRequest, failure: TemplateFailure) => {
    if (avoided.size >= MOST_AVOIDED) avoided.clear();
    avoided.set(nameOf(template), { failure, until: performance.now() + AVOIDED_MS });
  };

  const next = () => {
    if (running) return;
    const job = jobs[0];
    if (!job) return pause();
    clearTimeout(idling);
    if (!thread) start();
    thread?.worker.ref();
    if (!thread?.ready) return;
    running = jobs.shift();
    thread.worker.postMessage(job.request);
    let ticks = 0;
    ticking = setInterval(() => {
      ticks += 1;
      if (ticks * TICK_MS >= taskMsMax) giveUp('takes too long to render');
    }, TICK_MS);
  };

  const pause = () => {
    for (const rested of resting.splice(0)) end().then(rested, rested);
    thread?.worker.unref();
    clearTimeout(idling);
    if (thread) idling = setTimeout(end, IDLE_MS).unref();
  };

  const end = async () => {
    const ending = thread;
    thread = undefined;
    clearTimeout(idling);
    await ending?.worker.terminate();
  };

  return {
    run: (task, input) => {
      const request = { task, input } as TaskRequest;
      const known = avoided.get(nameOf(input.template));
      if (known && known.until > performance.now()) return Promise.reject(new TemplateFailed(known.failure));
      return new Promise((resolve, reject) => {
        jobs.push({ request, resolve: resolve as Job['resolve'], reject });
        next();
      });
    },
    rest: () => {
      if (!running && jobs.length === 0) return end();
      return new Promise((resolve) => {
        resting.push(resolve);
      });
    },
  };
}

function nameOf({ subject, body }: MailTemplate): string {
  return `${subject}\n${body}`;
}

/** Shared by the process. Mails do not wait for what operators look at. */
export const mailTemplates: TemplateWorker = createTemplateWorker();
export const draftTemplates: TemplateWorker = createTemplateWorker();
