/**
 * People, their places, referrals and invites, and what is counted about them. Where a row is only written under the lock of
 * its queue, it does not refer to the queue: checking that again for each row took PostgreSQL half of the time of an insert.
 */
export const PEOPLE = [
  `create table entry (
    queue_id bigint not null,
    seq bigint not null,
    closed bigint not null default 0,
    opened bigint not null default 0,
    id bytes not null,
    status text not null check (status in ('pending', 'waiting', 'invited', 'joined', 'removed')),
    rank bigint not null,
    referrals bigint not null default 0,
    moved bigint not null default 0,
    referrer_seq bigint,
    credited bigint not null default 0,
    person bytes,
    email_hash bytes,
    phone_hash bytes,
    mailbox_hash bytes,
    created_at bigint not null,
    invited_at bigint,
    joined_at bigint,
    removed_at bigint,
    removed_from text,
    confirmed_at bigint,
    depth bigint not null default 0,
    primary key (queue_id, seq)
  )`,
  'create unique index entry_id on entry (queue_id, id)',
  'create unique index entry_email on entry (queue_id, email_hash) where email_hash is not null',
  'create unique index entry_phone on entry (queue_id, phone_hash) where phone_hash is not null',
  'create index entry_status on entry (queue_id, status, seq)',
  'create index entry_created on entry (queue_id, created_at, seq)',
  `create index entry_rank on entry (queue_id, rank, seq desc) where status = 'waiting'`,
  'create index entry_referrer on entry (queue_id, referrer_seq) where referrer_seq is not null',
  'create index entry_referrals on entry (queue_id, referrals desc, seq) where referrals > 0',
  'create index entry_mailbox on entry (queue_id, mailbox_hash, credited) where mailbox_hash is not null',
  'create index entry_moved on entry (queue_id, seq) where moved <> 0',

  `create table rank_count (
    queue_id bigint not null,
    level bigint not null,
    bucket bigint not null,
    waiting bigint not null,
    primary key (queue_id, level, bucket)
  ) clustered`,

  `create table metadata_pair (
    queue_id bigint not null,
    pair_hash bytes not null,
    seq bigint not null,
    primary key (queue_id, pair_hash, seq)
  ) clustered`,

  `create table referral_alias (
    queue_id bigint not null,
    code_hash bytes not null,
    seq bigint not null,
    primary key (queue_id, code_hash)
  ) clustered`,
  'create index referral_alias_entry on referral_alias (queue_id, seq)',

  `create table referral_source (
    queue_id bigint not null references queue (id),
    slot bigint not null,
    referrer_seq bigint not null,
    network_hash bytes not null,
    signups bigint not null,
    primary key (queue_id, slot, referrer_seq, network_hash)
  ) clustered`,

  `create table referral_review (
    queue_id bigint not null references queue (id),
    id bytes not null,
    seq bigint not null,
    referrer_seq bigint not null,
    created_at bigint not null,
    decision text check (decision in ('credit', 'reject')),
    decided_at bigint,
    primary key (queue_id, id)
  )`,
  'create unique index referral_review_entry on referral_review (queue_id, seq)',
  'create index referral_review_open on referral_review (queue_id, id) where decision is null',

  `create table operator_confirmation (
    queue_id bigint not null,
    seq bigint not null,
    source text not null,
    said_by text not null,
    said_at bigint not null,
    primary key (queue_id, seq)
  ) clustered`,

  `create table invite (
    queue_id bigint not null references queue (id),
    id bytes not null,
    code_hash bytes not null,
    email_hash bytes not null,
    sealed bytes not null,
    created_at bigint not null,
    expires_at bigint,
    accepted_at bigint,
    revoked_at bigint,
    expired_at bigint,
    remind_at bigint,
    accept_key_hash bytes,
    accept_answer bytes,
    wave_id bytes,
    wave_run bigint,
    primary key (queue_id, id)
  )`,
  'create unique index invite_code on invite (queue_id, code_hash)',
  'create index invite_email on invite (queue_id, email_hash, created_at)',
  `create index invite_open on invite (queue_id, expires_at)
    where accepted_at is null and revoked_at is null and expired_at is null`,
  'create index invite_reminder on invite (queue_id, remind_at) where remind_at is not null',
  `create index invite_live on invite (queue_id, id)
    where accepted_at is null and revoked_at is null and expired_at is null`,
  'create index invite_accepted on invite (queue_id, id) where accepted_at is not null',
  `create index invite_revoked on invite (queue_id, id)
    where accepted_at is null and revoked_at is not null`,
  `create index invite_expired on invite (queue_id, id)
    where accepted_at is null and revoked_at is null and expired_at is not null`,
  'create index invite_wave on invite (queue_id, wave_id, wave_run) where wave_id is not null',

  `create table wave (
    queue_id bigint not null references queue (id),
    id bytes not null,
    name text not null,
    plan bytes not null,
    keep_open bigint,
    until_joined bigint,
    state text not null,
    pause_reason text,
    resumes_itself bigint not null default 0,
    accepted_before bigint not null,
    next_at bigint,
    run_at bigint,
    invited bigint not null default 0,
    seats text not null default '[]',
    checked_at bigint not null,
    created_by text,
    created_at bigint not null,
    updated_at bigint not null,
    finished_at bigint,
    primary key (queue_id, id)
  ) clustered`,
  `create index wave_active on wave (queue_id, id) where state = 'active'`,

  `create table wave_run (
    queue_id bigint not null references queue (id),
    wave_id bytes not null,
    scheduled_at bigint not null,
    started_at bigint,
    finished_at bigint,
    outcome text,
    invited bigint not null default 0,
    unreadable text not null default '[]',
    job_id bytes,
    primary key (queue_id, wave_id, scheduled_at)
  ) clustered`,
  'create index wave_run_job on wave_run (queue_id, job_id) where job_id is not null',

  `create table queue_stat (
    queue_id bigint not null,
    slot bigint not null,
    signups bigint not null,
    referred bigint not null,
    confirmed bigint not null,
    invited bigint not null,
    accepted bigint not null,
    expired bigint not null,
    revoked bigint not null,
    removed bigint not null,
    primary key (queue_id, slot)
  ) clustered`,

  `create table queue_histogram (
    queue_id bigint not null,
    kind text not null,
    slot bigint not null,
    bucket bigint not null,
    count bigint not null,
    primary key (queue_id, kind, slot, bucket)
  ) clustered`,

  `create table metadata_key (
    queue_id bigint not null,
    key text not null,
    counted_seq bigint not null,
    primary key (queue_id, key)
  ) clustered`,

  `create table metadata_value (
    queue_id bigint not null,
    key text not null,
    pair_hash bytes not null,
    label bytes not null,
    primary key (queue_id, key, pair_hash)
  ) clustered`,

  `create table metadata_count (
    queue_id bigint not null,
    key text not null,
    day bigint not null,
    pair_hash bytes not null,
    signups bigint not null,
    primary key (queue_id, key, day, pair_hash)
  ) clustered`,
];
