import type { Generated } from 'kysely';

/** Times are milliseconds since 1970 in UTC; bytes are sealed values, keyed hashes or binary ids. */
export interface Tables {
  instance: InstanceTable;
  environment: EnvironmentTable;
  waitlist: WaitlistTable;
  queue: QueueTable;
  entry: EntryTable;
  rank_count: RankCountTable;
  invite: InviteTable;
  server_key: ServerKeyTable;
}

export const STATUSES = ['pending', 'waiting', 'invited', 'joined', 'removed'] as const;
export type Status = (typeof STATUSES)[number];

/** One row: what is true of the whole installation. */
export interface InstanceTable {
  id: number;
  master_key_id: Uint8Array;
  /** A known value sealed by the master key: opens only with the right one. */
  master_key_check: Uint8Array;
  /** Grows with every change to keys, waitlists or queues, so that caches know when to forget. */
  settings_version: number;
  created_at: number;
}

export interface EnvironmentTable {
  name: string;
  created_at: number;
}

export interface WaitlistTable {
  id: Generated<number>;
  public_id: string;
  name: string;
  boost: number;
  closed_at: number | null;
  created_at: number;
}

/** One waitlist in one environment. Its row is the lock that every change to the queue takes first. */
export interface QueueTable {
  id: Generated<number>;
  waitlist_id: number;
  environment: string;
  /** Starts every invite code of this queue, so that a code leads to its queue. */
  code_tag: string;
  wrapped_keys: Uint8Array;
  last_seq: number;
  pending: number;
  waiting: number;
  invited: number;
  joined: number;
  removed: number;
  created_at: number;
}

export interface EntryTable {
  queue_id: number;
  seq: number;
  id: Uint8Array;
  status: Status;
  rank: number;
  referrals: number;
  referrer_seq: number | null;
  person: Uint8Array | null;
  email_hash: Uint8Array | null;
  phone_hash: Uint8Array | null;
  created_at: number;
  invited_at: number | null;
  joined_at: number | null;
  removed_at: number | null;
}

/** How many waiting entries have `rank >> shift(level) = bucket`. */
export interface RankCountTable {
  queue_id: number;
  level: number;
  bucket: number;
  waiting: number;
}

export interface InviteTable {
  queue_id: number;
  id: Uint8Array;
  code_hash: Uint8Array;
  email_hash: Uint8Array;
  /** The invited email and the code, for the operator's eyes. */
  sealed: Uint8Array;
  created_at: number;
  expires_at: number | null;
  accepted_at: number | null;
  revoked_at: number | null;
  /** Keyed hash of the Idempotency-Key that came with the accept, and the answer it got. */
  accept_key_hash: Uint8Array | null;
  accept_answer: Uint8Array | null;
}

export interface ServerKeyTable {
  id: Uint8Array;
  hash: Uint8Array;
  /** The last four characters, so that people can tell keys apart. */
  hint: string;
  /** null: a product key, good for every waitlist. */
  waitlist_id: number | null;
  environment: string;
  can_read: number;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
}

export type ColumnType = 'bigint' | 'text' | 'bytes';
export type Columns<T extends keyof Tables> = { readonly [C in keyof Tables[T]]?: ColumnType };

export const ENTRY_COLUMNS = {
  queue_id: 'bigint',
  seq: 'bigint',
  id: 'bytes',
  status: 'text',
  rank: 'bigint',
  referrals: 'bigint',
  referrer_seq: 'bigint',
  person: 'bytes',
  email_hash: 'bytes',
  phone_hash: 'bytes',
  created_at: 'bigint',
  invited_at: 'bigint',
  joined_at: 'bigint',
  removed_at: 'bigint',
} as const satisfies Required<Columns<'entry'>>;

export const RANK_COUNT_COLUMNS = {
  queue_id: 'bigint',
  level: 'bigint',
  bucket: 'bigint',
  waiting: 'bigint',
} as const satisfies Required<Columns<'rank_count'>>;
