import type { Database } from '../db/database.ts';

/** Where deliveries wait in line: those of one channel to one target. */
export interface Lane {
  readonly queueId: number;
  readonly channel: string;
  readonly targetId: Uint8Array;
}

/** Rung after the commit of new deliveries, so that nobody has to wait for the next poll. */
export interface Bell {
  /** Wakes the dispatcher of this process, and through the database those of the others. */
  ring(lanes: readonly Lane[]): void;
  /** Returns what ends the listening. */
  listen(woken: (lanes: readonly Lane[]) => void): () => void;
}

export function createBell(db: Pick<Database, 'notify'>): Bell {
  const listeners = new Set<(lanes: readonly Lane[]) => void>();
  let telling: Promise<void> | undefined;
  let again = false;

  /** One notification at a time, however many commits there are meanwhile; a lost one costs a poll. */
  const tellOthers = () => {
    again = telling !== undefined;
    telling ??= db
      .notify()
      .catch(() => {})
      .finally(() => {
        telling = undefined;
        if (again) tellOthers();
      });
  };
  return {
    ring: (lanes) => {
      for (const woken of listeners) woken(lanes);
      tellOthers();
    },
    listen: (woken) => {
      listeners.add(woken);
      return () => listeners.delete(woken);
    },
  };
}
