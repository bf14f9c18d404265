import { setTimeout as pause } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { WorkersWatch } from '../cluster.ts';
import type { Tables } from '../tables.ts';
import { askWorkers } from './citus-workers.ts';

const ASK_AGAIN_MS = 5_000;

/** Which queues can be asked while a worker is down. */
export interface Reach {
  /** Null while all workers answer, as far as is known. */
  readonly queues: ReadonlySet<number> | null;
  /** Asks the workers, again and again until all of them answer. Called after a failure. */
  doubt(): void;
  close(): Promise<void>;
}

/** `restored` is called when all workers answer again. */
export function createReach(
  query: Kysely<Tables>,
  { restored, onWorkers = () => {} }: { restored: () => void; onWorkers?: WorkersWatch | undefined },
): Reach {
  const closing = new AbortController();
  let queues: ReadonlySet<number> | null = null;
  let watching: Promise<void> | undefined;
  /** Returns whether all answer. */
  const look = async () => {
    const workers = await askWorkers(query);
    const up = workers.filter(({ isUp }) => isUp);
    const wasDown = queues !== null;
    queues = up.length === workers.length ? null : new Set(up.flatMap(({ queueIds }) => queueIds));
    onWorkers(workers.filter(({ isUp }) => !isUp).map(({ name }) => name));
    if (queues === null && wasDown) restored();
    return queues === null;
  };
  const watch = async () => {
    // If the coordinator does not answer, nothing is known, and nothing can be asked.
    while (!closing.signal.aborted && !(await look().catch(() => queues === null)))
      await pause(ASK_AGAIN_MS, undefined, { signal: closing.signal, ref: false }).catch(() => {});
    watching = undefined;
  };
  return {
    get queues() {
      return queues;
    },
    doubt: () => {
      if (!closing.signal.aborted) watching ??= watch();
    },
    close: async () => {
      closing.abort();
      await watching;
    },
  };
}
