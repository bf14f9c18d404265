import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { CHECKPOINT_PAGES } from './writer.ts';

/** Asking takes 10 µs, and in this time less than a tenth of the pages is written. */
const LOOK_EVERY_MS = 100;
/** So few are copied in milliseconds. */
const LAST_PAGES = 128;
/** Each round leaves what was written meanwhile. If that does not become less, writing must stop for it. */
const ROUNDS_MAX = 4;
/** Asking an earlier SQLite, such as that of Node 24.0, would copy the log. There, commits do. */
const CAN_ASK = Number(process.versions.sqlite?.split('.')[1]) >= 51;
const THREAD = `./checkpoint-thread${path.extname(import.meta.filename)}`;

export interface CheckpointData {
  file: string;
}

/** The log, as the writer's connection sees it between two transactions. */
interface Log {
  pages(): number;
  pagesToCopy(): number;
  copy(): void;
}

interface Checkpoints {
  /** Between two transactions. */
  advance(): void;
  close(): Promise<void>;
}

/**
 * Copies the log into the database on another thread, so that no commit waits for it. SQLite begins the log anew when
 * nothing is left to copy, so the writer itself copies the little that was written meanwhile.
 */
export function checkpointsBeside(file: string, log: Log): Checkpoints {
  let thread: Worker | undefined;
  let state: 'idle' | 'copying' | 'copied' = 'idle';
  let rounds = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;

  const copyBeside = () => {
    state = 'copying';
    rounds += 1;
    thread ??= startThread(file, (failed) => {
      if (failed) thread = undefined;
      state = 'copied';
    });
    thread.postMessage('copy');
  };
  const look = () => {
    if (!CAN_ASK || performance.now() - lookedAt < LOOK_EVERY_MS) return;
    lookedAt = performance.now();
    if (log.pages() >= CHECKPOINT_PAGES) copyBeside();
  };
  const goOn = () => {
    if (log.pagesToCopy() > LAST_PAGES && rounds < ROUNDS_MAX) return copyBeside();
    state = 'idle';
    rounds = 0;
    log.copy();
  };
  return {
    advance: () => {
      try {
        if (state === 'idle') look();
        else if (state === 'copied') goOn();
      } catch {
        // Commits meet the same problem, such as a full disk, and have somebody to tell.
      }
    },
    close: async () => {
      await thread?.terminate();
    },
  };
}

function startThread(file: string, copied: (failed?: Error) => void): Worker {
  const thread = new Worker(new URL(THREAD, import.meta.url), {
    workerData: { file } satisfies CheckpointData,
  });
  thread.on('message', () => copied());
  thread.on('error', copied);
  return thread;
}
