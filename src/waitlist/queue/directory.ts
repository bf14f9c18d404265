import type { Database } from '../../db/database.ts';
import type { Tables } from '../../db/tables.ts';
import { formatId } from '../../ids.ts';
import type { Keyring } from '../../vault/keyring.ts';
import type { QueueVault } from '../../vault/queue-vault.ts';

/** The maximum age of the cache: a revoked key or closed waitlist is noticed within this time. */
export const RECHECK_AFTER_MS = 100;
const MOST_CACHED = 10_000;

/** 30 bits make collisions of tags rare. After a collision, creation is retried. */
export const TAG_CHARACTERS = 6;

export function isWaitlistId(text: string): boolean {
  return /^wl_[a-z0-9][a-z0-9_-]{0,61}$/.test(text);
}

export function isEnvironmentName(text: string): boolean {
  return /^[a-z][a-z0-9-]{0,31}$/.test(text);
}

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
  readonly publicId: string;
  /** null for every waitlist. */
  readonly waitlistInternalId: number | null;
  readonly environment: string;
  readonly canRead: boolean;
  readonly expiresAt: number | null;
}

/** The form of a queue, as it is stored. */
export type FormRow = Pick<
  Tables['form'],
  'queue_id' | 'form_key' | 'enabled' | 'settings' | 'captcha_secret'
>;

/** Finds queues and keys, and caches them until settings change anywhere. */
export interface Directory {
  queue(waitlistId: string, environment: string): Promise<Queue | undefined>;
  queueByTag(tag: string): Promise<Queue | undefined>;
  queueById(id: number): Promise<Queue | undefined>;
  key(text: string, hash: (text: string) => Buffer | undefined): Promise<ServerKey | undefined>;
  form(key: string): Promise<FormRow | undefined>;
  /** The database's time at the last check, plus the time since then. */
  now(): number;
  /** Call it after a change of settings, so that this process follows it at once. */
  recheck(): void;
}

export function createDirectory(db: Database, keyring: Keyring): Directory {
  const queues = new Map<string, Queue>();
  const tags = new Map<string, Queue>();
  const ids = new Map<string, Queue>();
  const keys = new Map<string, ServerKey>();
  const forms = new Map<string, FormRow>();
  let version = -1;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let changedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;
  /** The offset of the database's clock from this process's monotonic clock. */
  let ahead = performance.timeOrigin;

  const refresh = async () => {
    const startedAt = performance.now();
    const row = await db.query
      .selectFrom('instance')
      .select(['settings_version', db.clock.as('now')])
      .executeTakeFirstOrThrow();
    ahead = row.now - performance.now();
    if (row.settings_version !== version) {
      for (const cache of [queues, tags, ids, keys, forms]) cache.clear();
      version = row.settings_version;
    }
    checkedAt = startedAt;
  };
  const isCurrent = () => checkedAt >= changedAt;
  const isFresh = () => isCurrent() && performance.now() - checkedAt < RECHECK_AFTER_MS;
  const check = () => {
    checking ??= refresh().finally(() => {
      checking = undefined;
    });
    return checking;
  };
  const load = async <T>(cache: Map<string, T>, name: string, find: () => Promise<T | undefined>) => {
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
  const cached = async <T>(cache: Map<string, T>, name: string, find: () => Promise<T | undefined>) =>
    (isFresh() ? cache.get(name) : undefined) ?? load(cache, name, find);

  return {
    now: () => Math.round(performance.now() + ahead),
    recheck: () => {
      changedAt = performance.now();
    },
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
    queueById: (id) =>
      cached(ids, String(id), async () => {
        const row = await selectQueues(db).where('q.id', '=', id).executeTakeFirst();
        return row && toQueue(keyring, row);
      }),
    form: (key) =>
      cached(forms, key, () =>
        db.query
          .selectFrom('form')
          .select(['queue_id', 'form_key', 'enabled', 'settings', 'captcha_secret'])
          .where('form_key', '=', key)
          .executeTakeFirst(),
      ),
    key: (text, hash) =>
      cached(keys, text, async () => {
        const hashed = hash(text);
        if (!hashed) return undefined;
        const row = await db.query
          .selectFrom('server_key')
          .select(['id', 'waitlist_id', 'environment', 'can_read', 'expires_at'])
          .where('hash', '=', hashed)
          .where('revoked_at', 'is', null)
          .executeTakeFirst();
        return (
          row && {
            id: row.id,
            publicId: formatId('key', row.id),
            waitlistInternalId: row.waitlist_id,
            environment: row.environment,
            canRead: row.can_read === 1,
            expiresAt: row.expires_at,
          }
        );
      }),
  };
}

/** In the same order. Sequential, because most are cached. */
export async function queuesById(
  directory: Directory,
  ids: readonly number[],
): Promise<(Queue | undefined)[]> {
  const queues: (Queue | undefined)[] = [];
  for (const id of ids) queues.push(await directory.queueById(id));
  return queues;
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
