import { added, bytes, type ColumnsOf, generated, integer, oneOf, orNull, text } from './column.ts';

// All tables are in one file, despite its length, so that a migration has only one counterpart. `schema/` creates
// them, as of version 40. Times are milliseconds since 1970 in UTC. Bytes are sealed values, keyed hashes or binary ids.

export const STATUSES = ['pending', 'waiting', 'invited', 'joined', 'removed', 'declined'] as const;
export type Status = (typeof STATUSES)[number];

/** A single row for the whole installation. */
const instance = {
  id: integer,
  master_key_id: bytes,
  /** A known value sealed with the master key, to verify the key. */
  master_key_check: bytes,
  /** Incremented with every change to keys, waitlists or queues, to invalidate caches. */
  settings_version: integer,
  created_at: integer,
  /** Counts erasures, and those already wiped from the files. Only used by SQLite. */
  erasures: generated(integer),
  erasures_wiped: generated(integer),
  /** Of the server that started last, or null if none has. */
  public_url: orNull(text),
  mail_from: orNull(text),
  /** The keys for what belongs to no queue, wrapped by the master key. null until they are first needed. */
  installation_keys: orNull(bytes),
  default_time_zone: generated(text),
  /** When `backup` last wrote a file. */
  backup_at: orNull(integer),
  /** Sealed: who is told when a check of the health fails. null for nobody. */
  alerts: orNull(bytes),
  /** The duties that support does not have, separated by commas. */
  support_off: added(42, text, ''),
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
  /** The most referrals credited to one entry, or null for no limit. */
  referral_cap: orNull(integer),
  /** The default lifetime of an invite, or null for no expiry. */
  invite_expiry_ms: orNull(integer),
  /** 1: the entry of a revoked or expired invite stays invited instead of returning to the queue. */
  expired_stay_invited: generated(integer),
  /** 1: an entry with an email is pending until the email is confirmed. */
  confirm_emails: generated(integer),
  /** The enabled kinds of mail, separated by commas. */
  mail_kinds: generated(text),
  /**
   * Incremented with every change to this waitlist's mails. A mail is rendered from the version it was
   * created with.
   */
  mail_version: generated(integer),
  /** How long before an invite expires its reminder is due. */
  invite_reminder_ms: generated(integer),
  /** The metadata keys whose values are counted: a JSON array. */
  metadata_keys: generated(text),
  /** 1: the dashboard no longer shows the first steps. */
  first_steps_dismissed: generated(integer),
  /** What its queues have not taken over yet (JSON), or null. Each queue follows under its own lock. */
  unsettled: orNull(text),
  closed_at: orNull(integer),
  created_at: integer,
  /** Its keys are gone, and its rows are being removed. */
  deleted_at: orNull(integer),
};

/** One waitlist in one environment. */
const queue = {
  id: generated(integer),
  waitlist_id: integer,
  environment: text,
  /** The prefix of every invite code of this queue, which identifies the queue. */
  code_tag: text,
  wrapped_keys: bytes,
  created_at: integer,
};

/** Of each queue. The row is the lock that every change to the queue takes first. */
const queueState = {
  queue_id: integer,
  last_seq: generated(integer),
  pending: generated(integer),
  waiting: generated(integer),
  invited: generated(integer),
  joined: generated(integer),
  removed: generated(integer),
  /** No open invite expires before this. null if none expires. */
  next_expiry: orNull(integer),
  /** No invite reminder is due before this. null if none is due. */
  next_reminder: orNull(integer),
  /** A changed boost has been applied up to this joining sequence. null if it has been applied to all. */
  rerank_after: orNull(integer),
  /** The kinds of event that some endpoint wants, separated by commas. Others are not recorded. */
  listens: generated(text),
  /** How many entries are gone as if they had never joined. Their joining sequences are not used again. */
  undone: generated(integer),
  /** What the next entry gets: see there. */
  closed: generated(integer),
  opened: generated(integer),
  /** Places behind this joining sequence may still count those who are gone. null if none does. */
  close_after: orNull(integer),
  /** Invites that were neither accepted nor revoked, and whose expiry has not been recorded. */
  open_invites: generated(integer),
  /** Invites that were ever accepted. */
  accepted_invites: generated(integer),
  declined: added(42, integer, 0),
  /** How many rules there are. */
  rules: added(42, integer, 0),
};

const entry = {
  queue_id: integer,
  /** Who it is. Its place, where it joined among those who count, is `seq - closed + opened`. */
  seq: integer,
  /** Joining sequences before it that are closed up: nobody has them any more. */
  closed: generated(integer),
  /** Places before it that were opened for those whom an operator moved to the end. */
  opened: generated(integer),
  id: bytes,
  status: oneOf(...STATUSES),
  rank: integer,
  referrals: integer,
  /** How many ranks an operator moved it back, or forward if negative. */
  moved: generated(integer),
  /** The referrer, and whether they were credited. */
  referrer_seq: orNull(integer),
  credited: integer,
  person: orNull(bytes),
  email_hash: orNull(bytes),
  phone_hash: orNull(bytes),
  /** The hash of the mailbox's own address, if that is not the email. */
  mailbox_hash: orNull(bytes),
  created_at: integer,
  invited_at: orNull(integer),
  joined_at: orNull(integer),
  removed_at: orNull(integer),
  /** Its status before it was removed. null if it was not, or if it was erased. */
  removed_from: orNull(oneOf(...STATUSES)),
  /** When a pending entry was confirmed. null if it was never pending. */
  confirmed_at: orNull(integer),
  /** The length of the chain of referrals that led to this entry: 0 without a referrer. */
  depth: generated(integer),
  /** When its email became another one: links that were mailed before are not for this person. null if it never did. */
  addressed_at: added(42, orNull(integer)),
  declined_at: added(42, orNull(integer)),
  /** The status that it goes back to if the decline is taken back. */
  declined_from: added(42, orNull(oneOf(...STATUSES))),
  /** How many ranks earlier the code puts it that it joined with. */
  advanced: added(42, integer, 0),
};

/** How many waiting entries have `rank >> shift(level) = bucket`. */
const rankCount = {
  queue_id: integer,
  level: integer,
  bucket: integer,
  waiting: integer,
};

/** Finds entries by a key and value of their metadata, without revealing either. */
const metadataPair = {
  queue_id: integer,
  pair_hash: bytes,
  seq: integer,
};

/** What happened in a queue, by quarter of an hour. */
const queueStat = {
  queue_id: integer,
  /** When the quarter starts. */
  slot: integer,
  signups: integer,
  referred: integer,
  confirmed: integer,
  invited: integer,
  accepted: integer,
  expired: integer,
  revoked: integer,
  removed: integer,
  declined: added(42, integer, 0),
  /** What people did with their own data. Nothing else tells. */
  downloads: added(42, integer, 0),
  deletions: added(42, integer, 0),
};

/** Signups by referral depth, and accepted invites by the time it took, by quarter of an hour. */
const queueHistogram = {
  queue_id: integer,
  kind: oneOf('depth', 'accept_time'),
  slot: integer,
  bucket: integer,
  count: integer,
};

/** A metadata key whose values are counted, and up to which joining sequence they are. */
const metadataKey = {
  queue_id: integer,
  key: text,
  counted_seq: integer,
};

/** A value that is counted by itself, and the sealed value. */
const metadataValue = {
  queue_id: integer,
  key: text,
  pair_hash: bytes,
  label: bytes,
};

/** Signups by value and day in UTC. An empty hash stands for all other values. */
const metadataCount = {
  queue_id: integer,
  key: text,
  day: integer,
  pair_hash: bytes,
  signups: integer,
};

/** A name for a filter of the queue. */
const savedSegment = {
  queue_id: integer,
  id: bytes,
  name: text,
  /** Sealed, because they can contain values of metadata. */
  conditions: bytes,
  created_at: integer,
  updated_at: integer,
};

const WAVE_STATES = ['active', 'paused', 'done', 'stopped'] as const;
const RUN_OUTCOMES = ['done', 'skipped', 'stopped'] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** A plan of invites. */
const wave = {
  queue_id: integer,
  id: bytes,
  name: text,
  /** Sealed, because segments can contain values of metadata. */
  plan: bytes,
  /** From the plan, to find waves that are due. */
  keep_open: orNull(integer),
  until_joined: orNull(integer),
  state: oneOf(...WAVE_STATES),
  /** Why it paused itself. null if an operator paused it. */
  pause_reason: orNull(text),
  /** 1 if it paused because of a pause of emails, and goes on after it. */
  resumes_itself: generated(integer),
  /** The queue's accepted invites when the wave was created. */
  accepted_before: integer,
  /** When its next run is due, or may be. null if there is none. */
  next_at: orNull(integer),
  /** When the run that has not ended yet was scheduled. */
  run_at: orNull(integer),
  invited: generated(integer),
  /** How many places each quota was given so far: a JSON array. */
  seats: generated(text),
  /** When it was created or resumed. Invites that failed before no longer count. */
  checked_at: integer,
  created_by: orNull(text),
  created_at: integer,
  updated_at: integer,
  finished_at: orNull(integer),
};

/** What a wave did at one of its times. */
const waveRun = {
  queue_id: integer,
  wave_id: bytes,
  scheduled_at: integer,
  /** null if it was skipped. */
  started_at: orNull(integer),
  finished_at: orNull(integer),
  outcome: orNull(oneOf(...RUN_OUTCOMES)),
  invited: generated(integer),
  /** Joining sequences of entries whose data cannot be decrypted: a JSON array. */
  unreadable: generated(text),
  /** The job that continues it, if one batch was not enough. */
  job_id: orNull(bytes),
};

const JOB_RUNNERS = ['server', 'command-line', 'request'] as const;
export type JobRunner = (typeof JOB_RUNNERS)[number];
const JOB_OUTCOMES = ['done', 'failed', 'cancelled'] as const;
export type JobOutcome = (typeof JOB_OUTCOMES)[number];

/** Long work on a queue that can stop and continue. */
const job = {
  queue_id: integer,
  id: bytes,
  kind: text,
  /** The sealed options. */
  input: bytes,
  /** JSON without personal data. */
  progress: text,
  created_at: integer,
  updated_at: integer,
  finished_at: orNull(integer),
  /** Who may work on it: a job of the command line is not taken over by a server. */
  runner: generated(oneOf(...JOB_RUNNERS)),
  /** How much of `total` is done. `total` is null if unknown. */
  done: generated(integer),
  total: orNull(integer),
  /** null until it is finished. */
  outcome: orNull(oneOf(...JOB_OUTCOMES)),
  /** Our own wording, for operators. */
  error: orNull(text),
  /** JSON without personal data. */
  result: orNull(text),
  /** Kind and id, as in the audit trail. */
  created_by: orNull(text),
  /** Public id of what it is about, if that is not the whole waitlist. */
  subject: orNull(text),
  /** Of the process that works on it. Only the holder of the token may write. */
  lease_token: orNull(bytes),
  lease_until: orNull(integer),
  /** When an operator asked to cancel it. It ends between two steps. */
  cancel_at: orNull(integer),
};

/** An uploaded file while its import runs, the list of its bad rows, and for a day what these say. */
const importChunk = {
  queue_id: integer,
  job_id: bytes,
  part: oneOf('file', 'errors', 'rows'),
  /** Where it begins, in bytes of the part. */
  position: integer,
  sealed: bytes,
};

/** The referral codes that entries of a running import had in their previous system. */
const importCode = {
  queue_id: integer,
  job_id: bytes,
  code_hash: bytes,
  seq: integer,
};

/** An imported entry whose referrer has not been imported yet. */
const importLink = {
  queue_id: integer,
  job_id: bytes,
  seq: integer,
  kind: oneOf('email', 'phone', 'code'),
  hash: bytes,
};

/** Joining sequences that an import added, until it is undone or forgotten. */
const importRange = {
  queue_id: integer,
  job_id: bytes,
  first_seq: integer,
  last_seq: integer,
};

/** A referral code from another system, by its keyed hash, and the entry it belongs to. */
const referralAlias = {
  queue_id: integer,
  code_hash: bytes,
  seq: integer,
};

export const DECISIONS = ['approved', 'declined', 'reconsidered'] as const;
export type Decision = (typeof DECISIONS)[number];

/** What was decided about an entry. */
const entryDecision = {
  queue_id: integer,
  seq: integer,
  id: bytes,
  decision: oneOf(...DECISIONS),
  /** Sealed: what the operator noted. */
  note: orNull(bytes),
  /** Kind and id, as in the audit trail. */
  decided_by: orNull(text),
  decided_at: integer,
};

export const RULE_OUTCOMES = ['approve', 'advance', 'decline'] as const;
export type RuleOutcome = (typeof RULE_OUTCOMES)[number];

/** Decides about people when they sign up. */
const entryRule = {
  queue_id: integer,
  id: bytes,
  /** Sealed, because they can contain values of metadata. */
  conditions: bytes,
  outcome: oneOf(...RULE_OUTCOMES),
  created_at: integer,
};

/** An email that was confirmed by an operator instead of its owner. */
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
  /** The invited email and the code, for operators. */
  sealed: bytes,
  created_at: integer,
  expires_at: orNull(integer),
  accepted_at: orNull(integer),
  revoked_at: orNull(integer),
  /** When the expiry was recorded. The invite ends at `expires_at` either way. */
  expired_at: orNull(integer),
  /** When its reminder is due. null if there is none or it was sent. */
  remind_at: orNull(integer),
  /** Keyed hash of the accept's Idempotency-Key, and the stored result. */
  accept_key_hash: orNull(bytes),
  accept_answer: orNull(bytes),
  /** The wave that it belongs to, and the time of its run. */
  wave_id: orNull(bytes),
  wave_run: orNull(integer),
  /** The code for many that let the person in. */
  code_id: added(42, orNull(bytes)),
};

const serverKey = {
  id: bytes,
  hash: bytes,
  /** The last four characters, so that people can tell keys apart. */
  hint: text,
  /** What operators call it. */
  label: generated(text),
  /** null for a product key, which is valid for every waitlist. */
  waitlist_id: orNull(integer),
  environment: text,
  can_read: integer,
  created_at: integer,
  expires_at: orNull(integer),
  revoked_at: orNull(integer),
  last_used_at: orNull(integer),
};

/** A key in a URL that another service calls: the gate for a product's sign-up, or bounces from a mail provider. */
const hookKey = {
  queue_id: integer,
  id: bytes,
  /** Keyed, by the queue that the key names. */
  hash: bytes,
  /** The last four characters, so that people can tell keys apart. */
  hint: text,
  /** What operators call it. */
  name: text,
  /** What the provider signs its requests with, sealed. null for providers that do not sign. */
  secret: orNull(bytes),
  created_at: integer,
  last_used_at: orNull(integer),
};

const mailEventKey = {
  ...hookKey,
  /** Whose reports it takes. null in rows of earlier releases, until their next report. */
  provider: orNull(text),
  /** Of Amazon SNS: the topic whose messages it takes. null until one is known. */
  topic: orNull(text),
};

/** Where the events of a queue are sent. */
const webhookEndpoint = {
  queue_id: integer,
  id: bytes,
  /** URL, description, headers and secrets: any of them may contain credentials. */
  sealed: bytes,
  /** Kinds separated by commas. Empty means all. */
  events: text,
  /** Deliveries per second, or null for no limit. */
  rate_limit: orNull(integer),
  /** The rate is used up by sent deliveries until then. */
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
  /** Starts with its time, so old events can be found by id. */
  id: bytes,
  kind: text,
  /** null once a person in it has been erased. */
  body: orNull(bytes),
  created_at: integer,
};

/** The ids of entries and invites that an event contains, to erase it with them. */
const eventSubject = {
  queue_id: integer,
  subject: bytes,
  event_id: bytes,
};

/**
 * One event for one target. It is unfinished while `due_at` is set. Claiming it moves `due_at` to the end of
 * the lease.
 */
const delivery = {
  queue_id: integer,
  channel: text,
  target_id: bytes,
  event_id: bytes,
  due_at: orNull(integer),
  /** Of the last claim. Only its holder may record the outcome of the attempt. */
  token: orNull(bytes),
  /** The attempts in the current retry schedule. A resend resets it. */
  tries: generated(integer),
  /** All attempts ever made. */
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
  /** Our own wording, never the receiver's. */
  error: orNull(text),
  /** The beginning of the response, sealed. */
  response: orNull(bytes),
};

/** The attempts to deliver, by target and hour. */
const deliveryStat = {
  queue_id: integer,
  channel: text,
  target_id: bytes,
  /** When the hour starts. */
  hour: integer,
  delivered: integer,
  /** Stored instead of sent, because the channel has nowhere to send it. */
  kept: integer,
  /** Given up. */
  failed: integer,
  /** Failed, with another attempt to come. */
  retried: integer,
};

/** What a waitlist's mails are made from. Rows never change: a part is valid until its next version. */
const mailPart = {
  waitlist_id: integer,
  /** `settings`, or the kind of mail that the template is for. */
  part: text,
  version: integer,
  /** JSON, or null for the default. */
  content: orNull(text),
  created_at: integer,
};

/** Uploaded by operators, for everyone to see. */
const waitlistPicture = {
  waitlist_id: integer,
  /** Of the content, in hexadecimal: part of its address. */
  digest: text,
  type: oneOf('image/png', 'image/jpeg', 'image/webp'),
  content: bytes,
  created_at: integer,
};

/** Addresses that get no mail, by the keyed hash of their email. */
const mailSuppression = {
  queue_id: integer,
  email_hash: bytes,
  reason: oneOf('bounced', 'complained', 'unsubscribed'),
  created_at: integer,
  /** 1 if a mail server had been given an email of ours for it. Reports about others say nothing of our emails. */
  emailed: added(41, integer, 1),
};

/** Days on which an email to an address was refused for the time being. */
const mailSoftBounce = {
  queue_id: integer,
  email_hash: bytes,
  /** Since 1970. */
  day: integer,
};

/** Signed reports that counted. */
const mailEventSeen = {
  queue_id: integer,
  report_hash: bytes,
  expires_at: integer,
};

/** The limits of a queue's emails and what became of them. There is no row until one was changed or reached. */
const mailSending = {
  queue_id: integer,
  /** In hundredths of a percent. null for no limit. */
  bounce_limit: orNull(integer),
  complaint_limit: orNull(integer),
  /** The last pause. It goes on while `resumed_at` is null. */
  paused_at: orNull(integer),
  resumed_at: orNull(integer),
  pause_reason: orNull(text),
  /** When to look whether a pause can end. */
  review_at: orNull(integer),
  /** When an operator ended a pause: what happened before no longer counts. */
  counted_from: orNull(integer),
  /** What was sent before that in the same hour. */
  sent_before: generated(integer),
  /** Emails a day. null if there is no warm-up. */
  warm_up_start: orNull(integer),
  warm_up_to: orNull(integer),
  /** How many may be sent on the day, and how many were claimed. */
  warm_up_number: generated(integer),
  /** In UTC, since 1970. */
  warm_up_day: generated(integer),
  warm_up_taken: generated(integer),
};

/** The public form of a queue. There is no row until it is first configured. */
const form = {
  queue_id: integer,
  /** Public, so in the clear. */
  form_key: text,
  enabled: integer,
  /** JSON. */
  settings: text,
  /** Sealed. null without a CAPTCHA. */
  captcha_secret: orNull(bytes),
  created_at: integer,
  updated_at: integer,
};

/** A token that was used to join, and by whom, so that a retry is not refused. */
const formSpent = {
  queue_id: integer,
  token_hash: bytes,
  email_hash: bytes,
  expires_at: integer,
};

/** How many posts to the form were turned away in a quarter of an hour. */
const formRefusal = {
  queue_id: integer,
  /** When the quarter began. */
  slot: integer,
  reason: text,
  refused: integer,
};

/** A site that tried to show the form without being allowed to. */
const formBlockedOrigin = {
  queue_id: integer,
  origin: text,
  attempts: integer,
  last_at: integer,
};

/** How many mails an address got on a day because someone typed it into the form. */
const formMail = {
  queue_id: integer,
  day: integer,
  /** Of the mailbox's own address. */
  email_hash: bytes,
  mails: integer,
};

/** The place that was shown to somebody in a network who typed an address. */
const formVisit = {
  queue_id: integer,
  visitor_hash: bytes,
  place: integer,
  expires_at: integer,
  /** Random, in every link to share that they were shown. */
  link: bytes,
  /** How many places earlier the code made it count that they named. */
  advanced: added(42, integer, 0),
};

/** Who joined through a link that the form gave to somebody who typed an address. */
const formReferral = {
  queue_id: integer,
  link: bytes,
  seq: integer,
};

/** How many signups from a network named the same referrer in an hour. */
const referralSource = {
  queue_id: integer,
  slot: integer,
  referrer_seq: integer,
  network_hash: bytes,
  signups: integer,
};

/** A referral that an operator should look at. */
const referralReview = {
  queue_id: integer,
  id: bytes,
  seq: integer,
  referrer_seq: integer,
  created_at: integer,
  decision: orNull(oneOf('credit', 'reject')),
  decided_at: orNull(integer),
};

export const ERASURE_DECISIONS = ['confirmed', 'refused'] as const;
export type ErasureDecision = (typeof ERASURE_DECISIONS)[number];

/** Whom somebody who may not erase wants to be erased. */
const erasureRequest = {
  queue_id: integer,
  id: bytes,
  seq: integer,
  /** Sealed, because it can be about the person. null once they are erased. */
  reason: orNull(bytes),
  asked_by: orNull(text),
  created_at: integer,
  decision: orNull(oneOf(...ERASURE_DECISIONS)),
  decided_by: orNull(text),
  decided_at: orNull(integer),
};

export const CODE_EFFECTS = ['admit', 'advance'] as const;
export type CodeEffect = (typeof CODE_EFFECTS)[number];

/** A code that several people can use. */
const code = {
  queue_id: integer,
  id: bytes,
  /** With a key of the installation: nothing in a code says which queue it is of. */
  code_hash: bytes,
  /** The code as it is written, and the tag. */
  sealed: bytes,
  does: oneOf(...CODE_EFFECTS),
  /** For `advance`: how many places earlier its people count as having joined. */
  places: orNull(integer),
  most: integer,
  /** Never more than `most`. */
  used: integer,
  expires_at: orNull(integer),
  created_at: integer,
  deleted_at: orNull(integer),
};

/** Who came with a code. */
const codeUse = {
  queue_id: integer,
  code_id: bytes,
  seq: integer,
  used_at: integer,
  /** When the person was removed so soon that the code got the place back. */
  returned_at: orNull(integer),
};

/** What an operator sent with a key, and what was answered. */
const repeatedRequest = {
  /** 0 for what belongs to no queue. */
  queue_id: integer,
  /** Of the operator, the operation and the key. */
  key_hash: bytes,
  /** Of what was asked for. */
  request_hash: bytes,
  /** Sealed. null while the request is under way, which only its own transaction sees, and once it is erased. */
  answer: orNull(bytes),
  created_at: integer,
};

export const ROLES = ['viewer', 'support', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** A person who can sign in. */
const operator = {
  id: bytes,
  email_hash: bytes,
  /** Sealed email and name. */
  profile: bytes,
  role: oneOf(...ROLES),
  /** Argon2id, in libsodium's format. null until the invitation is accepted. */
  password: orNull(text),
  /** Sealed secret of the authenticator app. null if two-factor authentication is off. */
  totp: orNull(bytes),
  /** A new secret that is not confirmed by a code yet. */
  totp_pending: orNull(bytes),
  /** The time step of the last used code. Only later ones are accepted. */
  totp_step: generated(integer),
  created_at: integer,
};

const operatorSession = {
  id: bytes,
  secret_hash: bytes,
  operator_id: bytes,
  /** Sealed address and browser of the sign-in. */
  client: bytes,
  created_at: integer,
  seen_at: integer,
  expires_at: integer,
};

/** A one-time link to set a password. */
const operatorLink = {
  token_hash: bytes,
  operator_id: bytes,
  kind: oneOf('invitation', 'reset'),
  created_at: integer,
  expires_at: integer,
  /** Kind and id of its maker, as in the audit trail. null if a stranger asked for it. */
  created_by: orNull(text),
  /** The highest role that it can lead to: its maker's. */
  max_role: orNull(oneOf(...ROLES)),
};

const recoveryCode = {
  operator_id: bytes,
  code_hash: bytes,
};

/** A key on a device of an operator, which signs in without a password. */
const passkey = {
  id: bytes,
  operator_id: bytes,
  credential_hash: bytes,
  /** Credential id, public key, name and how the device is reached. */
  sealed: bytes,
  /** Of signatures, as the device counts them. 0 if it does not. */
  counter: integer,
  created_at: integer,
  last_used_at: orNull(integer),
};

/** Challenges that a passkey has answered. */
const usedChallenge = {
  challenge_hash: bytes,
  expires_at: integer,
};

const adminToken = {
  id: bytes,
  token_hash: bytes,
  hint: text,
  name: text,
  role: oneOf(...ROLES),
  created_at: integer,
  expires_at: orNull(integer),
  revoked_at: orNull(integer),
  last_used_at: orNull(integer),
  /** Kind and id of its maker, as in the audit trail. null: see there. */
  created_by: orNull(text),
};

const audit = {
  seq: integer,
  at: integer,
  action: text,
  /** Kind and id: `operator:opr_…`. */
  actor: text,
  object: orNull(text),
  /** Sealed names, address, and the values before and after. */
  details: bytes,
  /** Keyed, over this row and the previous hash. */
  hash: bytes,
};

/** A single row: the end of the audit trail, and its beginning once old records were deleted. */
const auditHead = {
  id: integer,
  seq: integer,
  hash: bytes,
  /** Keyed, over number and hash, so that the end cannot be put elsewhere. */
  seal: orNull(bytes),
  /** Of the last record that was deleted, 0 if none was. */
  start_seq: generated(integer),
  start_hash: orNull(bytes),
  /** Keyed, so that the beginning cannot be put elsewhere. */
  start_seal: orNull(bytes),
};

/** One row while a copy into this database is unfinished. Such a database cannot be served. */
const copyMark = {
  id: integer,
  /** JSON. */
  progress: text,
};

/** Why emails are not being sent: by the server to anyone, or of one sender. */
const mailPause = {
  name: text,
  error: text,
  /** What the mail server said, without the recipient. */
  answer: orNull(text),
  since: integer,
  tried_at: integer,
};

/** What the program cannot find out by itself, and an operator confirmed. */
const healthConfirmation = {
  name: oneOf('backup', 'master key'),
  /** The master key that it is about. null if it is about something else. */
  key_id: orNull(bytes),
  confirmed_at: integer,
};

/** A check that fails, or has just stopped failing, and whether operators have been told. */
const healthState = {
  /** The check, and the id of what it is about. */
  name: text,
  what: text,
  failing: integer,
  /** When it began to fail, or to be well. */
  since: integer,
  told: integer,
};

export const TABLES = {
  instance,
  environment,
  waitlist,
  queue,
  queue_state: queueState,
  entry,
  rank_count: rankCount,
  metadata_pair: metadataPair,
  queue_stat: queueStat,
  queue_histogram: queueHistogram,
  metadata_key: metadataKey,
  metadata_value: metadataValue,
  metadata_count: metadataCount,
  saved_segment: savedSegment,
  wave,
  wave_run: waveRun,
  job,
  import_chunk: importChunk,
  import_code: importCode,
  import_link: importLink,
  import_range: importRange,
  referral_alias: referralAlias,
  operator_confirmation: operatorConfirmation,
  entry_decision: entryDecision,
  entry_rule: entryRule,
  invite,
  server_key: serverKey,
  gate_key: hookKey,
  mail_event_key: mailEventKey,
  webhook_endpoint: webhookEndpoint,
  event,
  event_subject: eventSubject,
  delivery,
  delivery_attempt: deliveryAttempt,
  delivery_stat: deliveryStat,
  mail_part: mailPart,
  waitlist_picture: waitlistPicture,
  mail_suppression: mailSuppression,
  mail_soft_bounce: mailSoftBounce,
  mail_event_seen: mailEventSeen,
  mail_sending: mailSending,
  mail_pause: mailPause,
  form,
  form_spent: formSpent,
  form_refusal: formRefusal,
  form_blocked_origin: formBlockedOrigin,
  form_mail: formMail,
  form_visit: formVisit,
  form_referral: formReferral,
  referral_source: referralSource,
  referral_review: referralReview,
  erasure_request: erasureRequest,
  code,
  code_use: codeUse,
  repeated_request: repeatedRequest,
  operator,
  operator_session: operatorSession,
  operator_link: operatorLink,
  recovery_code: recoveryCode,
  passkey,
  used_challenge: usedChallenge,
  admin_token: adminToken,
  audit,
  audit_head: auditHead,
  health_confirmation: healthConfirmation,
  health_state: healthState,
  copy_mark: copyMark,
};

/** The tables as types for the query builder. */
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
export type OperatorTable = Tables['operator'];
export type PasskeyTable = Tables['passkey'];
export type AdminTokenTable = Tables['admin_token'];
export type AuditTable = Tables['audit'];
export type AuditHeadTable = Tables['audit_head'];
export type JobTable = Tables['job'];
export type WaveTable = Tables['wave'];
export type WaveRunTable = Tables['wave_run'];
