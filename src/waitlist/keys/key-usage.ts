import { repeat } from '../../lib/repeat.ts';
import type { Context } from '../queue/context.ts';
import type { ServerKey } from './find-key.ts';

const WRITE_EVERY_MS = 60_000;

/** Collects when keys were last used and writes it once a minute, so that requests do not wait for it. */
export interface KeyUsage {
  note(key: ServerKey): void;
  /** Writes what is pending, and stops. */
  close(): Promise<void>;
}

export function trackKeyUsage({ db, clock, log }: Context): KeyUsage {
  const used = new Map<ServerKey, number>();
  const write = async () => {
    const batch = [...used];
    used.clear();
    for (const [key, at] of batch) {
      await db.query.updateTable('server_key').set({ last_used_at: at }).where('id', '=', key.id).execute();
    }
  };
  const writeOrLog = () =>
    write().catch((error: Error) =>
      log.warn({ reason: error.message }, 'could not save when keys were last used'),
    );
  const stop = repeat(WRITE_EVERY_MS, writeOrLog);
  return {
    note: (key) => {
      used.set(key, clock());
    },
    close: async () => {
      await stop();
      await writeOrLog();
    },
  };
}
