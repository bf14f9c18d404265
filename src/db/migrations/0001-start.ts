import type { Migration } from './migration.ts';

/** `bytes`, `serial_key`, `clustered` (by primary key) and `unreference` are the only words that the engines spell differently. */
export const start: Migration = {
  version: 1,
  statements: [
    `create table instance (
      id bigint primary key check (id = 1),
      master_key_id bytes not null,
      master_key_check bytes not null,
      settings_version bigint not null,
      created_at bigint not null
    )`,

    `create table environment (
      name text primary key,
      created_at bigint not null
    )`,

    `create table waitlist (
      id serial_key,
      public_id text not null unique,
      name text not null,
      boost bigint not null check (boost between 0 and 1000),
      referral_cap bigint,
      invite_expiry_ms bigint,
      expired_stay_invited bigint not null default 0,
      confirm_emails bigint not null default 0,
      closed_at bigint,
      created_at bigint not null
    )`,

    `create table queue (
      id serial_key,
      waitlist_id bigint not null references waitlist (id),
      environment text not null references environment (name),
      code_tag text not null unique,
      wrapped_keys bytes not null,
      last_seq bigint not null default 0,
      pending bigint not null default 0,
      waiting bigint not null default 0,
      invited bigint not null default 0,
      joined bigint not null default 0,
      removed bigint not null default 0,
      next_expiry bigint,
      rerank_after bigint,
      created_at bigint not null,
      unique (waitlist_id, environment)
    )`,

    'create index queue_next_expiry on queue (next_expiry) where next_expiry is not null',
    'create index queue_rerank on queue (rerank_after) where rerank_after is not null',

    `create table entry (
      queue_id bigint not null references queue (id),
      seq bigint not null,
      id bytes not null,
      status text not null check (status in ('pending', 'waiting', 'invited', 'joined', 'removed')),
      rank bigint not null,
      referrals bigint not null default 0,
      referrer_seq bigint,
      credited bigint not null default 0,
      person bytes,
      email_hash bytes,
      phone_hash bytes,
      created_at bigint not null,
      invited_at bigint,
      joined_at bigint,
      removed_at bigint,
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

    `create table metadata_pair (
      queue_id bigint not null references queue (id),
      pair_hash bytes not null,
      seq bigint not null,
      primary key (queue_id, pair_hash, seq)
    ) clustered`,

    `create table rank_count (
      queue_id bigint not null references queue (id),
      level bigint not null,
      bucket bigint not null,
      waiting bigint not null,
      primary key (queue_id, level, bucket)
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
      accept_key_hash bytes,
      accept_answer bytes,
      primary key (queue_id, id)
    )`,
    'create unique index invite_code on invite (queue_id, code_hash)',
    'create index invite_email on invite (queue_id, email_hash, created_at)',
    `create index invite_open on invite (queue_id, expires_at)
      where accepted_at is null and revoked_at is null and expired_at is null`,

    `create table job (
      queue_id bigint not null references queue (id),
      id bytes not null,
      kind text not null,
      input bytes not null,
      progress text not null,
      created_at bigint not null,
      updated_at bigint not null,
      finished_at bigint,
      primary key (queue_id, id)
    )`,

    `create table server_key (
      id bytes primary key,
      hash bytes not null unique,
      hint text not null,
      waitlist_id bigint references waitlist (id),
      environment text not null references environment (name),
      can_read bigint not null,
      created_at bigint not null,
      expires_at bigint,
      revoked_at bigint,
      last_used_at bigint
    )`,
  ],
};
