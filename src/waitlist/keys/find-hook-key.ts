import { sql } from 'kysely';
import type { Context } from '../queue/context.ts';
import { type Queue, TAG_CHARACTERS } from '../queue/queue.ts';
import { hasChecksum, newSecret } from './server-key-format.ts';

/** What only some kinds have. */
type OwnColumn = 'provider' | 'topic';
export type OwnValues = { [Name in OwnColumn]?: string | null };

/** A kind of key that is part of a URL which another service calls. */
export interface HookKind<Prefix extends 'gat' | 'mek' = 'gat' | 'mek'> {
  table: 'gate_key' | 'mail_event_key';
  /** Of its hash, and of its place in the cache. */
  purpose: 'gate' | 'mail-event';
  /** What every key starts with. */
  start: `${string}_`;
  idPrefix: Prefix;
  /** What people call it. */
  called: string;
  own: readonly OwnColumn[];
  /** Returns the secret as it is used. Throws if it cannot be one of such a key. */
  checkSecret(text: string, own: OwnValues): string;
}

/** A key that names its queue, and can do only one thing there. */
export interface HookKey {
  readonly id: Uint8Array;
  readonly table: HookKind['table'];
  readonly queue: Queue;
  /** What the provider signs its requests with. null for providers that do not sign. */
  readonly secret: string | null;
  readonly own: Readonly<OwnValues>;
}

export function selectOwn({ own }: HookKind) {
  return own.map((name) => sql.ref<string | null>(name).as(name));
}

export function newHookKey({ start }: HookKind, { tag }: Queue): string {
  return newSecret(start + tag);
}

/** As it is stored. */
export function hashOfHookKey({ purpose }: HookKind, { vault }: Queue, key: string): Buffer {
  return vault.hash(purpose, key);
}

/** Returns undefined if the key does not exist or was deleted. */
export function findHookKey(context: Context, kind: HookKind, text: string): Promise<HookKey | undefined> {
  return context.registry.cached(kind.purpose, text, () => readHookKey(context, kind, text));
}

async function readHookKey(
  { db, registry }: Context,
  kind: HookKind,
  text: string,
): Promise<HookKey | undefined> {
  const { table, start, own } = kind;
  if (!hasShape(start, text) || !hasChecksum(text)) return undefined; // Saves the lookup.
  const queue = await registry.queueByTag(text.slice(start.length, start.length + TAG_CHARACTERS));
  if (!queue) return undefined;
  const row = await db.query
    .selectFrom(table)
    .select(['id', 'secret'])
    .select(() => selectOwn(kind))
    .where('queue_id', '=', queue.id)
    .where('hash', '=', hashOfHookKey(kind, queue, text))
    .executeTakeFirst();
  if (!row) return undefined;
  const secret = row.secret && queue.vault.open<string>(`${table}.secret`, row.id, row.secret);
  return { id: row.id, table, queue, secret, own: pickOwn(own, row) };
}

export function pickOwn(own: readonly OwnColumn[], row: OwnValues): OwnValues {
  return Object.fromEntries(own.map((name) => [name, row[name] ?? null]));
}

const REST = new RegExp(`^[0-9a-z]{${TAG_CHARACTERS}}[0-9A-Za-z]{34}$`);

function hasShape(start: string, text: string): boolean {
  return text.startsWith(start) && REST.test(text.slice(start.length));
}
