import type { Database } from '../../db/database.ts';
import type { Counts, Sum } from '../../lib/counts.ts';
import { notFound } from '../../lib/errors.ts';
import { whenReadable } from '../../vault/crypto.ts';
import type { Keyring } from '../../vault/keyring.ts';
import { isEnvironmentName, isWaitlistId, type Queue } from './queue.ts';

/**
 * Finds queues, and caches them until settings change anywhere. Throws `Unreadable` if the keys of a queue are damaged: where
 * there are many, use `readable.ts`.
 */
export interface Registry extends SettingsCache {
  queue(waitlistId: string, environment: string): Promise<Queue | undefined>;
  queueByTag(tag: string): Promise<Queue | undefined>;
  queueById(id: number): Promise<Queue | undefined>;
  /** A page of all queues: those after this id, sorted by id. `last` is the id of the last one, if there may be more. */
  queuesAfter(
    id: number,
    limit: number,
  ): Promise<{ queues: Queue[]; damaged: number[]; last: number | undefined }>;
}

export function createRegistry(db: Database, keyring: Keyring, counts: Counts): Registry {
  const cache = createSettingsCache(db, counts.sum('settings changes'));
  return {
    ...cache,
    queue: (waitlistId, environment) =>
      cache.cached('queue', `${environment} ${waitlistId}`, async () => {
        const row = await selectQueues(db)
          .where('w.public_id', '=', waitlistId)
          .where('q.environment', '=', environment)
          .executeTakeFirst();
        return row && toQueue(keyring, row);
      }),
    queueByTag: (tag) =>
      cache.cached('tag', tag, async () => {
        const row = await selectQueues(db).where('q.code_tag', '=', tag).executeTakeFirst();
        return row && toQueue(keyring, row);
      }),
    queueById: (id) =>
      cache.cached('id', String(id), async () => {
        const row = await selectQueues(db).where('q.id', '=', id).executeTakeFirst();
        return row && toQueue(keyring, row);
      }),
    queuesAfter: async (id, limit) => {
      const rows = await selectQueues(db).where('q.id', '>', id).orderBy('q.id').limit(limit).execute();
      const queues: Queue[] = [];
      const damaged: number[] = [];
      for (const row of rows) {
        const found = cache.cached('id', String(row.id), async () => toQueue(keyring, row));
        const queue = await whenReadable(found);
        if (queue) queues.push(queue);
        else damaged.push(row.id);
      }
      return { queues, damaged, last: rows.length < limit ? undefined : rows.at(-1)?.id };
    },
  };
}

export const DEFAULT_ENVIRONMENT = 'production';

/** One waitlist in one environment, or an error that says which of the two is unknown. */
export async function requireQueue(
  { registry }: { registry: Registry },
  waitlistId: string,
  environment = DEFAULT_ENVIRONMENT,
): Promise<Queue> {
  if (!isWaitlistId(waitlistId)) throw notFound(`there is no waitlist ${waitlistId}`);
  const queue = isEnvironmentName(environment) ? await registry.queue(waitlistId, environment) : undefined;
  if (queue) return queue;
  const known = await registry.queue(waitlistId, DEFAULT_ENVIRONMENT);
  throw notFound(known ? `there is no environment ${environment}` : `there is no waitlist ${waitlistId}`);
}

function selectQueues(db: Database) {
  return db.query
    .selectFrom('queue as q')
    .innerJoin('waitlist as w', 'w.id', 'q.waitlist_id')
    .where('w.deleted_at', 'is', null)
    .select([
      'q.id',
      'q.code_tag',
      'q.environment',
      'q.wrapped_keys',
      'w.id as waitlist_id',
      'w.public_id',
      'w.name',
    ]);
}

interface QueueRow {
  id: number;
  code_tag: string;
  environment: string;
  wrapped_keys: Uint8Array;
  waitlist_id: number;
  public_id: string;
  name: string;
}

function toQueue(keyring: Keyring, row: QueueRow): Queue {
  const vault = keyring.openQueue(row.code_tag, row.wrapped_keys);
  return {
    id: row.id,
    tag: row.code_tag,
    environment: row.environment,
    waitlist: { internalId: row.waitlist_id, id: row.public_id, name: row.name },
    vault,
  };
}

/** The maximum age of the cache: a revoked key or closed waitlist is noticed within this time. */
export const RECHECK_AFTER_MS = 100;
const MOST_CACHED = 10_000;

type Find<T> = () => Promise<T | undefined>;

/** Keeps what was found until settings change anywhere. */
interface SettingsCache {
  /** What has this name among what is of this kind. */
  cached<T>(
    kind: 'key' | 'gate' | 'mail-event' | 'form' | 'queue' | 'tag' | 'id' | 'duties' | 'installation',
    name: string,
    find: Find<T>,
  ): Promise<T | undefined>;
  /** The database's time at the last check, plus the time since then. */
  now(): number;
  /** Call it after a change of settings, so that this process follows it at once, on all its threads. */
  recheck(): void;
}

function createSettingsCache(db: Database, changes: Sum): SettingsCache {
  const caches = {
    key: new Map(),
    gate: new Map(),
    'mail-event': new Map(),
    form: new Map(),
    queue: new Map(),
    tag: new Map(),
    id: new Map(),
    duties: new Map(),
    installation: new Map(),
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
