import { bytes, type ColumnsOf, generated, integer, oneOf, orNull, text } from './column.ts';

// The whole schema in one file, long as it is: what a migration changes is changed here, and nowhere else.
// Times are milliseconds since 1970 in UTC; bytes are sealed values, keyed hashes or binary ids.

export const STATUSES = ['pending', 'waiting', 'invited', 'joined', 'removed'] as const;
export type Status = (typeof STATUSES)[number];

/** One row: what is true of the whole installation. */
const instance = {
  id: integer,
  master_key_id: bytes,
  /** A known value sealed by the master key: opens only with the right one. */
  master_key_check: bytes,
  /** Grows with every change to keys, waitlists or queues, so that caches know when to forget. */
  settings_version: integer,
  created_at: integer,
  /** How often somebody was erased, and up to which time nothing of it is left in the files; SQLite alone counts. */
  erasures: generated(integer),
  erasures_wiped: generated(integer),
  /** Of the server that started last; null: none has started yet. */
  public_url: orNull(text),
  mail_from: orNull(text),
};

const environment = {
  name: text,
  created_at: integer,
};

const waitlist = {
  id: generated(integer),
  public_id: text,
  name: text,
  boost: integer,
  /** Most referrals that one entry is credited with; null: no limit. */
  referral_cap: orNull(integer),
  /** How long an invite lives unless it is told otherwise; null: for ever. */
  invite_expiry_ms: orNull(integer),
  /** 1: the entry of a revoked or expired invite stays invited instead of going back into the queue. */
  expired_stay_invited: generated(integer),
  /** 1: an entry with an email is pending until the email is confirmed. */
  confirm_emails: generated(integer),
  /** The kinds of mail that are switched on, separated by commas. */
  mail_kinds: generated(text),
  /** Grows with every change to the mails of this waitlist: a mail is made as things were at its version. */
  mail_version: generated(integer),
  /** How long before an invite ends its reminder is due. */
  invite_reminder_ms: generated(integer),
  closed_at: orNull(integer),
  created_at: integer,
};

/** One waitlist in one environment. Its row is the lock that every change to the queue takes first. */
const queue = {
  id: generated(integer),
  waitlist_id: integer,
  environment: text,
  /** Starts every invite code of this queue, so that a code leads to its queue. */
  code_tag: text,
  wrapped_keys: bytes,
  last_seq: integer,
  pending: integer,
  waiting: integer,
  invited: integer,
  joined: integer,
  removed: integer,
  /** No open invite expires before this; null: none expires. */
  next_expiry: orNull(integer),
  /** No reminder of an invite is due before this; null: none is. */
  next_reminder: orNull(integer),
  /** A change of the boost has been applied up to this joining sequence; null: to all. */
  rerank_after: orNull(integer),
  /** The kinds of event that some endpoint wants, separated by commas: nothing else is recorded. */
  listens: generated(text),
  created_at: integer,
};

const entry = {
  queue_id: integer,
  seq: integer,
  id: bytes,
  status: oneOf(...STATUSES),
  rank: integer,
  referrals: integer,
  /** Who was named as the referrer, and whether that referrer has the credit. */
  referrer_seq: orNull(integer),
  credited: integer,
  person: orNull(bytes),
  email_hash: orNull(bytes),
  phone_hash: orNull(bytes),
  created_at: integer,
  invited_at: orNull(integer),
  joined_at: orNull(integer),
  removed_at: orNull(integer),
};

/** How many waiting entries have `rank >> shift(level) = bucket`. */
const rankCount = {
  queue_id: integer,
  level: integer,
  bucket: integer,
  waiting: integer,
};

/** Finds entries by a key and value of their metadata, without showing either. */
const metadataPair = {
  queue_id: integer,
  pair_hash: bytes,
  seq: integer,
};

/** Long work on a queue that can stop and go on. */
const job = {
  queue_id: integer,
  id: bytes,
  kind: text,
  /** What was asked for, sealed. */
  input: bytes,
  /** How far it has come, as JSON; nothing personal. */
  progress: text,
  created_at: integer,
  updated_at: integer,
  finished_at: orNull(integer),
};

/** Which entry of a running import had which referral code in the system that it comes from. */
const importCode = {
  queue_id: integer,
  job_id: bytes,
  code_hash: bytes,
  seq: integer,
};

/** An imported entry whose referrer was not there yet. */
const importLink = {
  queue_id: integer,
  job_id: bytes,
  seq: integer,
  kind: oneOf('email', 'phone', 'code'),
  hash: bytes,
};

/** A referral code of another system, by its keyed hash, and whom it leads to here. */
const referralAlias = {
  queue_id: integer,
  code_hash: bytes,
  seq: integer,
};

/** An email that nobody clicked for: an operator said that it is confirmed. */
const operatorConfirmation = {
  queue_id: integer,
  seq: integer,
  source: oneOf('import', 'operator'),
  said_by: text,
  said_at: integer,
};

const invite = {
  queue_id: integer,
  id: bytes,
  code_hash: bytes,
  email_hash: bytes,
  /** The invited email and the code, for the operator's eyes. */
  sealed: bytes,
  created_at: integer,
  expires_at: orNull(integer),
  accepted_at: orNull(integer),
  revoked_at: orNull(integer),
  /** When the expiry was noticed and told; the invite ends at `expires_at`, noticed or not. */
  expired_at: orNull(integer),
  /** When its reminder is due; null: there is none, or it was sent. */
  remind_at: orNull(integer),
  /** Keyed hash of the Idempotency-Key that came with the accept, and the answer it got. */
  accept_key_hash: orNull(bytes),
  accept_answer: orNull(bytes),
};

const serverKey = {
  id: bytes,
  hash: bytes,
  /** The last four characters, so that people can tell keys apart. */
  hint: text,
  /** null: a product key, good for every waitlist. */
  waitlist_id: orNull(integer),
  environment: text,
  can_read: integer,
  created_at: integer,
  expires_at: orNull(integer),
  revoked_at: orNull(integer),
  last_used_at: orNull(integer),
};

/** Where the events of a queue are sent. */
const webhookEndpoint = {
  queue_id: integer,
  id: bytes,
  /** URL, description, headers and secrets: any of them may let its reader in somewhere. */
  sealed: bytes,
  /** Kinds separated by commas; empty: all. */
  events: text,
  /** Deliveries a second; null: as many as it takes. */
  rate_limit: orNull(integer),
  /** Up to when what has been sent uses up the rate. */
  rate_used_until: generated(integer),
  disabled_at: orNull(integer),
  disabled_reason: orNull(text),
  /** The first failure since the last success. */
  failing_since: orNull(integer),
  last_success_at: orNull(integer),
  created_at: integer,
  updated_at: integer,
};

const event = {
  queue_id: integer,
  /** Begins with its time, and so tells which events are old. */
  id: bytes,
  kind: text,
  /** null once a person in it was erased. */
  body: orNull(bytes),
  created_at: integer,
};

/** Which events name an entry or an invite, by its id: so that they can be shredded with it. */
const eventSubject = {
  queue_id: integer,
  subject: bytes,
  event_id: bytes,
};

/** One event on its way to one target. While `due_at` is set it is under way: claiming it moves it to the lease's end. */
const delivery = {
  queue_id: integer,
  channel: text,
  target_id: bytes,
  event_id: bytes,
  due_at: orNull(integer),
  /** Of the last claim: only who holds it may say how the attempt went. */
  token: orNull(bytes),
  /** Where on the schedule it stands; a replay starts over. */
  tries: generated(integer),
  /** All that were ever made. */
  attempts: generated(integer),
  delivered_at: orNull(integer),
  failed_at: orNull(integer),
};

const deliveryAttempt = {
  queue_id: integer,
  channel: text,
  target_id: bytes,
  event_id: bytes,
  attempt: integer,
  at: integer,
  duration_ms: integer,
  status: orNull(integer),
  /** In our words, never in those of the other side. */
  error: orNull(text),
  /** The beginning of the answer, sealed. */
  response: orNull(bytes),
};

/** What mails of a waitlist are made from. Rows are never changed: a part is in force until the next version of it. */
const mailPart = {
  waitlist_id: integer,
  /** `settings`, or the kind of mail whose template it is. */
  part: text,
  version: integer,
  /** JSON; null: the default. */
  content: orNull(text),
  created_at: integer,
};

/** Addresses that get no mail, by the keyed hash of their email. */
const mailSuppression = {
  queue_id: integer,
  email_hash: bytes,
  reason: oneOf('bounced', 'unsubscribed'),
  created_at: integer,
};

/** One row while a copy into this database is unfinished: nothing may be served from it. */
const copyMark = {
  id: integer,
  /** How far the copy has come, as JSON. */
  progress: text,
};

export const TABLES = {
  instance,
  environment,
  waitlist,
  queue,
  entry,
  rank_count: rankCount,
  metadata_pair: metadataPair,
  job,
  import_code: importCode,
  import_link: importLink,
  referral_alias: referralAlias,
  operator_confirmation: operatorConfirmation,
  invite,
  server_key: serverKey,
  webhook_endpoint: webhookEndpoint,
  event,
  event_subject: eventSubject,
  delivery,
  delivery_attempt: deliveryAttempt,
  mail_part: mailPart,
  mail_suppression: mailSuppression,
  copy_mark: copyMark,
};

/** The tables as the query builder knows them. */
export type Tables = { [Table in keyof typeof TABLES]: ColumnsOf<(typeof TABLES)[Table]> };
export type TableName = keyof Tables;

export type WaitlistTable = Tables['waitlist'];
export type EntryTable = Tables['entry'];
export type ImportLinkTable = Tables['import_link'];
export type OperatorConfirmationTable = Tables['operator_confirmation'];
export type InviteTable = Tables['invite'];
export type WebhookEndpointTable = Tables['webhook_endpoint'];
export type DeliveryTable = Tables['delivery'];
export type DeliveryAttemptTable = Tables['delivery_attempt'];
