import { sql } from 'kysely';
import { repeat } from '../../lib/promises.ts';
import type { Context } from '../queue/context.ts';
import type { HookKey } from './find-hook-key.ts';

const WRITE_EVERY_MS = 60_000;

/** A server key, or a hook key, which belongs to a queue. */
type UsedKey = HookKey | { readonly id: Uint8Array; readonly table?: never };

/**
 * Writes when keys were last used, without letting requests wait for it: the first use at once, so that a key in use is
 * never shown as unused, and those after it once a minute.
 */
export interface KeyUsage {
  note(key: UsedKey): void;
  /** Writes what is pending, and stops. */
  close(): Promise<void>;
}

export function trackKeyUsage({ db, clock, log }: Context): KeyUsage {
  const used = new Map<UsedKey, number>();
  const seen = new WeakSet<UsedKey>();
  const write = async () => {
    for (const [key, last_used_at] of [...used]) {
      // Another thread or instance may have noted a later use, and written it before.
      const isEarlier = sql<boolean>`(last_used_at is null or last_used_at < ${last_used_at})`;
      if (key.table !== undefined) {
        const ours = db.query.updateTable(key.table).where('queue_id', '=', key.queue.id);
        await ours.set({ last_used_at }).where('id', '=', key.id).where(isEarlier).execute();
      } else {
        const ours = db.query.updateTable('server_key').where('id', '=', key.id);
        await ours.set({ last_used_at }).where(isEarlier).execute();
      }
      // What fails is tried again. A later use is still to be written.
      if (used.get(key) === last_used_at) used.delete(key);
    }
  };
  const writeOrLog = () =>
    write().catch((error: Error) =>
      log.warn({ reason: error.message }, 'could not save when keys were last used'),
    );
  const stop = repeat(WRITE_EVERY_MS, writeOrLog);
  let firstUses = Promise.resolve();
  return {
    note: (key) => {
      used.set(key, clock());
      if (seen.has(key)) return;
      seen.add(key);
      firstUses = firstUses.then(writeOrLog);
    },
    close: async () => {
      await stop();
      await firstUses;
      await writeOrLog();
    },
  };
}
