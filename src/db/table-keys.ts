import type { Tables } from './tables.ts';

type Copied = Exclude<keyof Tables, 'copy_mark'>;

/**
 * Every table with its primary key, each after the tables it refers to. Leaving one out is a compile error.
 */
export const TABLE_KEYS = {
  instance: ['id'],
  environment: ['name'],
  waitlist: ['id'],
  queue: ['id'],
  queue_state: ['queue_id'],
  entry: ['queue_id', 'seq'],
  rank_count: ['queue_id', 'level', 'bucket'],
  metadata_pair: ['queue_id', 'pair_hash', 'seq'],
  queue_stat: ['queue_id', 'slot'],
  queue_histogram: ['queue_id', 'kind', 'slot', 'bucket'],
  metadata_key: ['queue_id', 'key'],
  metadata_value: ['queue_id', 'key', 'pair_hash'],
  metadata_count: ['queue_id', 'key', 'day', 'pair_hash'],
  saved_segment: ['queue_id', 'id'],
  wave: ['queue_id', 'id'],
  wave_run: ['queue_id', 'wave_id', 'scheduled_at'],
  job: ['queue_id', 'id'],
  import_chunk: ['queue_id', 'job_id', 'part', 'position'],
  import_code: ['queue_id', 'job_id', 'code_hash'],
  import_link: ['queue_id', 'job_id', 'seq'],
  import_range: ['queue_id', 'job_id', 'first_seq'],
  referral_alias: ['queue_id', 'code_hash'],
  operator_confirmation: ['queue_id', 'seq'],
  entry_decision: ['queue_id', 'seq', 'id'],
  entry_rule: ['queue_id', 'id'],
  invite: ['queue_id', 'id'],
  server_key: ['id'],
  gate_key: ['queue_id', 'id'],
  mail_event_key: ['queue_id', 'id'],
  webhook_endpoint: ['queue_id', 'id'],
  event: ['queue_id', 'id'],
  event_subject: ['queue_id', 'subject', 'event_id'],
  delivery: ['queue_id', 'channel', 'target_id', 'event_id'],
  delivery_attempt: ['queue_id', 'event_id', 'channel', 'target_id', 'attempt'],
  delivery_stat: ['queue_id', 'hour', 'channel', 'target_id'],
  mail_part: ['waitlist_id', 'part', 'version'],
  waitlist_picture: ['waitlist_id', 'digest'],
  mail_suppression: ['queue_id', 'email_hash', 'reason'],
  mail_soft_bounce: ['queue_id', 'email_hash', 'day'],
  mail_event_seen: ['queue_id', 'report_hash'],
  mail_sending: ['queue_id'],
  mail_pause: ['name'],
  form: ['queue_id'],
  form_spent: ['queue_id', 'token_hash'],
  form_refusal: ['queue_id', 'slot', 'reason'],
  form_blocked_origin: ['queue_id', 'origin'],
  form_mail: ['queue_id', 'day', 'email_hash'],
  form_visit: ['queue_id', 'visitor_hash'],
  form_referral: ['queue_id', 'link', 'seq'],
  referral_source: ['queue_id', 'slot', 'referrer_seq', 'network_hash'],
  referral_review: ['queue_id', 'id'],
  erasure_request: ['queue_id', 'id'],
  code: ['queue_id', 'id'],
  code_use: ['queue_id', 'code_id', 'seq'],
  repeated_request: ['queue_id', 'key_hash'],
  operator: ['id'],
  operator_session: ['id'],
  operator_link: ['token_hash'],
  recovery_code: ['operator_id', 'code_hash'],
  passkey: ['id'],
  used_challenge: ['challenge_hash'],
  admin_token: ['id'],
  audit: ['seq'],
  audit_head: ['id'],
  health_confirmation: ['name'],
  health_state: ['name'],
} as const satisfies { [T in Copied]: readonly (keyof Tables[T] & string)[] };

export type CopiedTable = keyof typeof TABLE_KEYS;

export const COPIED_TABLES = Object.keys(TABLE_KEYS) as CopiedTable[];

/** Tables with generated ids, which must continue after the copied ones. */
export const NUMBERED_TABLES = ['waitlist', 'queue'] as const satisfies readonly CopiedTable[];
