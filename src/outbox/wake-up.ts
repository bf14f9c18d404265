import type { Database } from '../db/database.ts';
import type { Target } from './target.ts';

/** Sent after new deliveries are committed, so that they do not wait for the next poll. */
export interface WakeUps {
  /** Wakes the dispatcher of this process and, through the database, those of other processes. */
  send(targets: readonly Target[]): void;
  /** Returns a function that stops listening. */
  listen(woken: (targets: readonly Target[]) => void): () => void;
}

export function createWakeUps(db: Pick<Database, 'notify'>): WakeUps {
  const listeners = new Set<(targets: readonly Target[]) => void>();
  let notifying: Promise<void> | undefined;
  let again = false;

  /**
   * Sends one notification at a time, however many commits happen meanwhile. Losing one only means waiting
   * for the next poll.
   */
  const notifyOthers = () => {
    again = notifying !== undefined;
    notifying ??= db
      .notify()
      .catch(() => {})
      .finally(() => {
        notifying = undefined;
        if (again) notifyOthers();
      });
  };
  return {
    send: (targets) => {
      for (const woken of listeners) woken(targets);
      notifyOthers();
    },
    listen: (woken) => {
      listeners.add(woken);
      return () => listeners.delete(woken);
    },
  };
}
