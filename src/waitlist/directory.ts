import type { Database } from '../db/database.ts';
import type { Keyring } from '../vault/keyring.ts';
import type { QueueVault } from '../vault/queue-vault.ts';

/** What is cached may be this old: a revoked key or a closed waitlist is noticed within it. */
const RECHECK_AFTER_MS = 100;
const MOST_CACHED = 10_000;

export interface Waitlist {
  readonly internalId: number;
  readonly id: string;
  readonly name: string;
}

export interface Queue {
  readonly id: number;
  readonly tag: string;
  readonly environment: string;
  readonly waitlist: Waitlist;
  readonly vault: QueueVault;
}

export interface ServerKey {
  readonly id: Uint8Array;
  /** null: every waitlist. */
  readonly waitlistInternalId: number | null;
  readonly environment: string;
  readonly canRead: boolean;
  readonly expiresAt: number | null;
}

/** Finds queues and keys; remembers them until a change of settings anywhere makes it forget. */
export interface Directory {
  queue(waitlistId: string, environment: string): Promise<Queue | undefined>;
  queueByTag(tag: string): Promise<Queue | undefined>;
  key(hash: Buffer): Promise<ServerKey | undefined>;
}

export function createDirectory(db: Database, keyring: Keyring): Directory {
  const queues = new Map<string, Queue>();
  const tags = new Map<string, Queue>();
  const keys = new Map<string, ServerKey>();
  let version = -1;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;

  const refresh = async () => {
    const startedAt = performance.now();
    const row = await db.query.selectFrom('instance').select('settings_version').executeTakeFirstOrThrow();
    if (row.settings_version !== version) {
      for (const cache of [queues, tags, keys]) cache.clear();
      version = row.settings_version;
    }
    checkedAt = startedAt;
  };
  const current = async () => {
    if (performance.now() - checkedAt < RECHECK_AFTER_MS) return;
    checking ??= refresh().finally(() => {
      checking = undefined;
    });
    await checking;
  };
  const cached = async <T>(cache: Map<string, T>, name: string, load: () => Promise<T | undefined>) => {
    await current();
    const hit = cache.get(name);
    if (hit) return hit;
    const loadedAt = version;
    const found = await load();
    if (found && loadedAt === version) {
      if (cache.size >= MOST_CACHED) cache.clear();
      cache.set(name, found);
    }
    return found;
  };

  return {
    queue: (waitlistId, environment) =>
      cached(queues, `${environment} ${waitlistId}`, async () => {
        const row = await selectQueues(db)
          .where('w.public_id', '=', waitlistId)
          .where('q.environment', '=', environment)
          .executeTakeFirst();
        return row && toQueue(keyring, row);
      }),
    queueByTag: (tag) =>
      cached(tags, tag, async () => {
        const row = await selectQueues(db).where('q.code_tag', '=', tag).executeTakeFirst();
        return row && toQueue(keyring, row);
      }),
    key: (hash) =>
      cached(keys, hash.toString('latin1'), async () => {
        const row = await db.query
          .selectFrom('server_key')
          .select(['id', 'waitlist_id', 'environment', 'can_read', 'expires_at'])
          .where('hash', '=', hash)
          .where('revoked_at', 'is', null)
          .executeTakeFirst();
        return (
          row && {
            id: row.id,
            waitlistInternalId: row.waitlist_id,
            environment: row.environment,
            canRead: row.can_read === 1,
            expiresAt: row.expires_at,
          }
        );
      }),
  };
}

function selectQueues(db: Database) {
  return db.query
    .selectFrom('queue as q')
    .innerJoin('waitlist as w', 'w.id', 'q.waitlist_id')
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
  return {
    id: row.id,
    tag: row.code_tag,
    environment: row.environment,
    waitlist: { internalId: row.waitlist_id, id: row.public_id, name: row.name },
    vault: keyring.openQueue(row.code_tag, row.wrapped_keys),
  };
}
