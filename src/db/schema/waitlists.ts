/** Waitlists and their queues, with keys and long work. */
export const WAITLISTS = [
  `create table waitlist (
    id serial_key,
    public_id text not null unique,
    name text not null,
    boost bigint not null check (boost between 0 and 1000),
    referral_cap bigint,
    invite_expiry_ms bigint,
    expired_stay_invited bigint not null default 0,
    confirm_emails bigint not null default 0,
    mail_kinds text not null default 'confirm,invite',
    mail_version bigint not null default 0,
    invite_reminder_ms bigint not null default 86400000,
    metadata_keys text not null default '[]',
    first_steps_dismissed bigint not null default 0,
    unsettled text,
    closed_at bigint,
    created_at bigint not null,
    deleted_at bigint
  )`,
  'create index waitlist_deleted on waitlist (deleted_at) where deleted_at is not null',
  'create index waitlist_unsettled on waitlist (id) where unsettled is not null',

  `create table waitlist_picture (
    waitlist_id bigint not null references waitlist (id),
    digest text not null,
    type text not null,
    content bytes not null,
    created_at bigint not null,
    primary key (waitlist_id, digest)
  )`,

  `create table mail_part (
    waitlist_id bigint not null references waitlist (id),
    part text not null,
    version bigint not null,
    content text,
    created_at bigint not null,
    primary key (waitlist_id, part, version)
  )`,

  `create table queue (
    id serial_key,
    waitlist_id bigint not null references waitlist (id),
    environment text not null references environment (name),
    code_tag text not null unique,
    wrapped_keys bytes not null,
    created_at bigint not null,
    unique (waitlist_id, environment)
  )`,

  `create table queue_state (
    queue_id bigint not null primary key,
    last_seq bigint not null default 0,
    pending bigint not null default 0,
    waiting bigint not null default 0,
    invited bigint not null default 0,
    joined bigint not null default 0,
    removed bigint not null default 0,
    next_expiry bigint,
    next_reminder bigint,
    rerank_after bigint,
    listens text not null default '',
    undone bigint not null default 0,
    closed bigint not null default 0,
    opened bigint not null default 0,
    close_after bigint,
    open_invites bigint not null default 0,
    accepted_invites bigint not null default 0
  )`,
  'create index queue_state_expiry on queue_state (next_expiry) where next_expiry is not null',
  'create index queue_state_reminder on queue_state (next_reminder) where next_reminder is not null',
  'create index queue_state_rerank on queue_state (rerank_after) where rerank_after is not null',
  'create index queue_state_close on queue_state (close_after) where close_after is not null',

  `create table server_key (
    id bytes primary key,
    hash bytes not null unique,
    hint text not null,
    label text not null default '',
    waitlist_id bigint references waitlist (id),
    environment text not null references environment (name),
    can_read bigint not null,
    created_at bigint not null,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint
  )`,

  `create table gate_key (
    queue_id bigint not null references queue (id),
    id bytes not null,
    hash bytes not null,
    hint text not null,
    name text not null,
    secret bytes,
    created_at bigint not null,
    last_used_at bigint,
    primary key (queue_id, id)
  ) clustered`,
  'create unique index gate_key_hash on gate_key (queue_id, hash)',

  `create table mail_event_key (
    queue_id bigint not null references queue (id),
    id bytes not null,
    hash bytes not null,
    hint text not null,
    name text not null,
    secret bytes,
    created_at bigint not null,
    last_used_at bigint,
    provider text,
    topic text,
    primary key (queue_id, id)
  ) clustered`,
  'create unique index mail_event_key_hash on mail_event_key (queue_id, hash)',

  `create table saved_segment (
    queue_id bigint not null references queue (id),
    id bytes not null,
    name text not null,
    conditions bytes not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (queue_id, id)
  ) clustered`,

  `create table job (
    queue_id bigint not null references queue (id),
    id bytes not null,
    kind text not null,
    input bytes not null,
    progress text not null,
    created_at bigint not null,
    updated_at bigint not null,
    finished_at bigint,
    runner text not null default 'command-line',
    done bigint not null default 0,
    total bigint,
    outcome text,
    error text,
    result text,
    created_by text,
    subject text,
    lease_token bytes,
    lease_until bigint,
    cancel_at bigint,
    primary key (queue_id, id)
  )`,
  'create unique index job_id on job (id)',
  'create index job_open on job (runner, id) where finished_at is null',
  'create index job_finished on job (finished_at) where finished_at is not null',

  `create table import_chunk (
    queue_id bigint not null,
    job_id bytes not null,
    part text not null,
    position bigint not null,
    sealed bytes not null,
    primary key (queue_id, job_id, part, position)
  )`,

  `create table import_code (
    queue_id bigint not null,
    job_id bytes not null,
    code_hash bytes not null,
    seq bigint not null,
    primary key (queue_id, job_id, code_hash)
  ) clustered`,

  `create table import_link (
    queue_id bigint not null,
    job_id bytes not null,
    seq bigint not null,
    kind text not null,
    hash bytes not null,
    primary key (queue_id, job_id, seq)
  ) clustered`,

  `create table import_range (
    queue_id bigint not null,
    job_id bytes not null,
    first_seq bigint not null,
    last_seq bigint not null,
    primary key (queue_id, job_id, first_seq)
  ) clustered`,
];
