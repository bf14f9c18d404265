import type { Database } from '../../db/database.ts';
import type { Sum } from '../../lib/counts.ts';

/** The maximum age of the cache: a revoked key or closed waitlist is noticed within this time. */
export const RECHECK_AFTER_MS = 100;
const MOST_CACHED = 10_000;

type Find<T> = () => Promise<T | undefined>;

/** Keeps what was found until settings change anywhere. */
export interface SettingsCache {
  /** What has this name among what is of this kind. */
  cached<T>(
    kind: 'key' | 'gate' | 'mail-event' | 'form' | 'queue' | 'tag' | 'id',
    name: string,
    find: Find<T>,
  ): Promise<T | undefined>;
  /** The database's time at the last check, plus the time since then. */
  now(): number;
  /** Call it after a change of settings, so that this process follows it at once, on all its threads. */
  recheck(): void;
}

export function createSettingsCache(db: Database, changes: Sum): SettingsCache {
  const caches = {
    key: new Map(),
    gate: new Map(),
    'mail-event': new Map(),
    form: new Map(),
    queue: new Map(),
    tag: new Map(),
    id: new Map(),
  };
  let version = -1;
  let checkedAt = Number.NEGATIVE_INFINITY;
  /** How many changes of this process the last check has seen. */
  let seen = -1;
  let checking: Promise<void> | undefined;
  /** The offset of the database's clock from this process's monotonic clock. */
  let ahead = performance.timeOrigin;

  const refresh = async () => {
    const startedAt = performance.now();
    const changed = changes.value;
    const row = await db.query
      .selectFrom('instance')
      .select(['settings_version', db.clock.as('now')])
      .executeTakeFirstOrThrow();
    ahead = row.now - performance.now();
    if (row.settings_version !== version) {
      for (const cache of Object.values(caches)) cache.clear();
      version = row.settings_version;
    }
    checkedAt = startedAt;
    seen = changed;
  };
  const isCurrent = () => seen === changes.value;
  const isFresh = () => isCurrent() && performance.now() - checkedAt < RECHECK_AFTER_MS;
  const check = () => {
    checking ??= refresh().finally(() => {
      checking = undefined;
    });
    return checking;
  };
  const load = async <T>(cache: Map<string, T>, name: string, find: Find<T>) => {
    if (!isFresh()) {
      await check();
      if (!isCurrent()) await check(); // The first one may have started before the change.
    }
    const loadedAt = version;
    const found = cache.get(name) ?? (await find());
    if (found && loadedAt === version) {
      if (cache.size >= MOST_CACHED) cache.clear();
      cache.set(name, found);
    }
    return found;
  };

  return {
    cached: async <T>(kind: keyof typeof caches, name: string, find: Find<T>) => {
      const cache: Map<string, T> = caches[kind];
      return (isFresh() ? cache.get(name) : undefined) ?? load(cache, name, find);
    },
    now: () => Math.round(performance.now() + ahead),
    recheck: () => {
      changes.add(1);
    },
  };
}
