import type { Database } from '../db/database.ts';
import type { Target } from './target.ts';

/** Sent after the commit of new deliveries, so that they do not wait for the next poll. */
export interface WakeUps {
  /** Wakes the dispatcher of this process and, through the database, those of the others. */
  send(targets: readonly Target[]): void;
  /** Returns a function that stops listening. */
  listen(woken: (targets: readonly Target[]) => void): () => void;
}

export function createWakeUps(db: Pick<Database, 'notify'>): WakeUps {
  const listeners = new Set<(targets: readonly Target[]) => void>();
  let notifying: Promise<void> | undefined;
  let again = false;

  /** One notification at a time, however many commits happen meanwhile. A lost one only costs a poll. */
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
