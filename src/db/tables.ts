import type { Generated } from 'kysely';

/** Times are milliseconds since 1970 in UTC; bytes are sealed values, keyed hashes or binary ids. */
export interface Tables {
  instance: InstanceTable;
  environment: EnvironmentTable;
  waitlist: WaitlistTable;
  queue: QueueTable;
  entry: EntryTable;
  rank_count: RankCountTable;
  metadata_pair: MetadataPairTable;
  job: JobTable;
  import_code: ImportCodeTable;
  import_link: ImportLinkTable;
  referral_alias: ReferralAliasTable;
  operator_confirmation: OperatorConfirmationTable;
  invite: InviteTable;
  server_key: ServerKeyTable;
  webhook_endpoint: WebhookEndpointTable;
  event: EventTable;
  event_subject: EventSubjectTable;
  delivery: DeliveryTable;
  delivery_attempt: DeliveryAttemptTable;
  mail_part: MailPartTable;
  mail_suppression: MailSuppressionTable;
  copy_mark: CopyMarkTable;
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
  /** How often somebody was erased, and up to which time nothing of it is left in the files; SQLite alone counts. */
  erasures: Generated<number>;
  erasures_wiped: Generated<number>;
  /** Of the server that started last; null: none has started yet. */
  public_url: string | null;
  mail_from: string | null;
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
  /** Most referrals that one entry is credited with; null: no limit. */
  referral_cap: number | null;
  /** How long an invite lives unless it is told otherwise; null: for ever. */
  invite_expiry_ms: number | null;
  /** 1: the entry of a revoked or expired invite stays invited instead of going back into the queue. */
  expired_stay_invited: Generated<number>;
  /** 1: an entry with an email is pending until the email is confirmed. */
  confirm_emails: Generated<number>;
  /** The kinds of mail that are switched on, separated by commas. */
  mail_kinds: Generated<string>;
  /** Grows with every change to the mails of this waitlist: a mail is made as things were at its version. */
  mail_version: Generated<number>;
  /** How long before an invite ends its reminder is due. */
  invite_reminder_ms: Generated<number>;
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
  /** No open invite expires before this; null: none expires. */
  next_expiry: number | null;
  /** No reminder of an invite is due before this; null: none is. */
  next_reminder: number | null;
  /** A change of the boost has been applied up to this joining sequence; null: to all. */
  rerank_after: number | null;
  /** The kinds of event that some endpoint wants, separated by commas: nothing else is recorded. */
  listens: Generated<string>;
  created_at: number;
}

export interface EntryTable {
  queue_id: number;
  seq: number;
  id: Uint8Array;
  status: Status;
  rank: number;
  referrals: number;
  /** Who was named as the referrer, and whether that referrer has the credit. */
  referrer_seq: number | null;
  credited: number;
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

/** Finds entries by a key and value of their metadata, without showing either. */
export interface MetadataPairTable {
  queue_id: number;
  pair_hash: Uint8Array;
  seq: number;
}

/** Long work on a queue that can stop and go on. */
export interface JobTable {
  queue_id: number;
  id: Uint8Array;
  kind: string;
  /** What was asked for, sealed. */
  input: Uint8Array;
  /** How far it has come, as JSON; nothing personal. */
  progress: string;
  created_at: number;
  updated_at: number;
  finished_at: number | null;
}

/** Which entry of a running import had which referral code in the system that it comes from. */
export interface ImportCodeTable {
  queue_id: number;
  job_id: Uint8Array;
  code_hash: Uint8Array;
  seq: number;
}

/** An imported entry whose referrer was not there yet. */
export interface ImportLinkTable {
  queue_id: number;
  job_id: Uint8Array;
  seq: number;
  kind: 'email' | 'phone' | 'code';
  hash: Uint8Array;
}

/** A referral code of another system, by its keyed hash, and whom it leads to here. */
export interface ReferralAliasTable {
  queue_id: number;
  code_hash: Uint8Array;
  seq: number;
}

/** An email that nobody clicked for: an operator said that it is confirmed. */
export interface OperatorConfirmationTable {
  queue_id: number;
  seq: number;
  source: 'import' | 'operator';
  said_by: string;
  said_at: number;
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
  /** When the expiry was noticed and told; the invite ends at `expires_at`, noticed or not. */
  expired_at: number | null;
  /** When its reminder is due; null: there is none, or it was sent. */
  remind_at: number | null;
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

/** Where the events of a queue are sent. */
export interface WebhookEndpointTable {
  queue_id: number;
  id: Uint8Array;
  /** URL, description, headers and secrets: any of them may let its reader in somewhere. */
  sealed: Uint8Array;
  /** Kinds separated by commas; empty: all. */
  events: string;
  /** Deliveries a second; null: as many as it takes. */
  rate_limit: number | null;
  /** Up to when what has been sent uses up the rate. */
  rate_used_until: Generated<number>;
  disabled_at: number | null;
  disabled_reason: string | null;
  /** The first failure since the last success. */
  failing_since: number | null;
  last_success_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface EventTable {
  queue_id: number;
  /** Begins with its time, and so tells which events are old. */
  id: Uint8Array;
  kind: string;
  /** null once a person in it was erased. */
  body: Uint8Array | null;
  created_at: number;
}

/** Which events name an entry or an invite, by its id: so that they can be shredded with it. */
export interface EventSubjectTable {
  queue_id: number;
  subject: Uint8Array;
  event_id: Uint8Array;
}

/** One event on its way to one target. While `due_at` is set it is under way: claiming it moves it to the lease's end. */
export interface DeliveryTable {
  queue_id: number;
  channel: string;
  target_id: Uint8Array;
  event_id: Uint8Array;
  due_at: number | null;
  /** Of the last claim: only who holds it may say how the attempt went. */
  token: Uint8Array | null;
  /** Where on the schedule it stands; a replay starts over. */
  tries: Generated<number>;
  /** All that were ever made. */
  attempts: Generated<number>;
  delivered_at: number | null;
  failed_at: number | null;
}

export interface DeliveryAttemptTable {
  queue_id: number;
  channel: string;
  target_id: Uint8Array;
  event_id: Uint8Array;
  attempt: number;
  at: number;
  duration_ms: number;
  status: number | null;
  /** In our words, never in those of the other side. */
  error: string | null;
  /** The beginning of the answer, sealed. */
  response: Uint8Array | null;
}

/** What mails of a waitlist are made from. Rows are never changed: a part is in force until the next version of it. */
export interface MailPartTable {
  waitlist_id: number;
  /** `settings`, or the kind of mail whose template it is. */
  part: string;
  version: number;
  /** JSON; null: the default. */
  content: string | null;
  created_at: number;
}

/** Addresses that get no mail, by the keyed hash of their email. */
export interface MailSuppressionTable {
  queue_id: number;
  email_hash: Uint8Array;
  reason: 'bounced' | 'unsubscribed';
  created_at: number;
}

/** One row while a copy into this database is unfinished: nothing may be served from it. */
export interface CopyMarkTable {
  id: number;
  /** How far the copy has come, as JSON. */
  progress: string;
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
  credited: 'bigint',
  person: 'bytes',
  email_hash: 'bytes',
  phone_hash: 'bytes',
  created_at: 'bigint',
  invited_at: 'bigint',
  joined_at: 'bigint',
  removed_at: 'bigint',
} as const satisfies Required<Columns<'entry'>>;

export const METADATA_PAIR_COLUMNS = {
  queue_id: 'bigint',
  pair_hash: 'bytes',
  seq: 'bigint',
} as const satisfies Required<Columns<'metadata_pair'>>;

export const IMPORT_CODE_COLUMNS = {
  queue_id: 'bigint',
  job_id: 'bytes',
  code_hash: 'bytes',
  seq: 'bigint',
} as const satisfies Required<Columns<'import_code'>>;

export const IMPORT_LINK_COLUMNS = {
  queue_id: 'bigint',
  job_id: 'bytes',
  seq: 'bigint',
  kind: 'text',
  hash: 'bytes',
} as const satisfies Required<Columns<'import_link'>>;

export const REFERRAL_ALIAS_COLUMNS = {
  queue_id: 'bigint',
  code_hash: 'bytes',
  seq: 'bigint',
} as const satisfies Required<Columns<'referral_alias'>>;

export const OPERATOR_CONFIRMATION_COLUMNS = {
  queue_id: 'bigint',
  seq: 'bigint',
  source: 'text',
  said_by: 'text',
  said_at: 'bigint',
} as const satisfies Required<Columns<'operator_confirmation'>>;

export const INVITE_COLUMNS = {
  queue_id: 'bigint',
  id: 'bytes',
  code_hash: 'bytes',
  email_hash: 'bytes',
  sealed: 'bytes',
  created_at: 'bigint',
  expires_at: 'bigint',
  remind_at: 'bigint',
} as const satisfies Columns<'invite'>;

export const RANK_COUNT_COLUMNS = {
  queue_id: 'bigint',
  level: 'bigint',
  bucket: 'bigint',
  waiting: 'bigint',
} as const satisfies Required<Columns<'rank_count'>>;

export const EVENT_COLUMNS = {
  queue_id: 'bigint',
  id: 'bytes',
  kind: 'text',
  body: 'bytes',
  created_at: 'bigint',
} as const satisfies Required<Columns<'event'>>;

export const EVENT_SUBJECT_COLUMNS = {
  queue_id: 'bigint',
  subject: 'bytes',
  event_id: 'bytes',
} as const satisfies Required<Columns<'event_subject'>>;

export const DELIVERY_COLUMNS = {
  queue_id: 'bigint',
  channel: 'text',
  target_id: 'bytes',
  event_id: 'bytes',
  due_at: 'bigint',
} as const satisfies Columns<'delivery'>;

export const DELIVERY_ATTEMPT_COLUMNS = {
  queue_id: 'bigint',
  channel: 'text',
  target_id: 'bytes',
  event_id: 'bytes',
  attempt: 'bigint',
  at: 'bigint',
  duration_ms: 'bigint',
  status: 'bigint',
  error: 'text',
  response: 'bytes',
} as const satisfies Required<Columns<'delivery_attempt'>>;
