/** The installation itself: its operators, what they did, and its health. */
export const INSTALLATION = [
  `create table instance (
    id bigint primary key check (id = 1),
    master_key_id bytes not null,
    master_key_check bytes not null,
    settings_version bigint not null,
    created_at bigint not null,
    erasures bigint not null default 0,
    erasures_wiped bigint not null default 0,
    public_url text,
    mail_from text,
    installation_keys bytes,
    default_time_zone text not null default 'UTC',
    backup_at bigint,
    alerts bytes
  )`,

  `create table environment (
    name text primary key,
    created_at bigint not null
  )`,

  `create table operator (
    id bytes primary key,
    email_hash bytes not null unique,
    profile bytes not null,
    role text not null check (role in ('owner', 'admin', 'support', 'viewer')),
    password text,
    totp bytes,
    totp_pending bytes,
    totp_step bigint not null default 0,
    created_at bigint not null
  )`,

  `create table operator_session (
    id bytes primary key,
    secret_hash bytes not null unique,
    operator_id bytes not null references operator (id),
    client bytes not null,
    created_at bigint not null,
    seen_at bigint not null,
    expires_at bigint not null
  )`,
  'create index operator_session_operator on operator_session (operator_id)',

  `create table operator_link (
    token_hash bytes primary key,
    operator_id bytes not null references operator (id),
    kind text not null check (kind in ('invitation', 'reset')),
    created_at bigint not null,
    expires_at bigint not null,
    created_by text,
    max_role text
  )`,
  'create index operator_link_operator on operator_link (operator_id)',

  `create table recovery_code (
    operator_id bytes not null references operator (id),
    code_hash bytes not null,
    primary key (operator_id, code_hash)
  ) clustered`,

  `create table passkey (
    id bytes primary key,
    operator_id bytes not null references operator (id),
    credential_hash bytes not null unique,
    sealed bytes not null,
    counter bigint not null,
    created_at bigint not null,
    last_used_at bigint
  )`,
  'create index passkey_operator on passkey (operator_id)',

  `create table used_challenge (
    challenge_hash bytes primary key,
    expires_at bigint not null
  )`,

  `create table admin_token (
    id bytes primary key,
    token_hash bytes not null unique,
    hint text not null,
    name text not null,
    role text not null check (role in ('owner', 'admin', 'support', 'viewer')),
    created_at bigint not null,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint,
    created_by text
  )`,

  `create table audit (
    seq bigint primary key,
    at bigint not null,
    action text not null,
    actor text not null,
    object text,
    details bytes not null,
    hash bytes not null
  )`,
  'create index audit_action on audit (action, seq)',
  'create index audit_actor on audit (actor, seq)',
  'create index audit_object on audit (object, seq) where object is not null',

  `create table audit_head (
    id bigint primary key check (id = 1),
    seq bigint not null,
    hash bytes not null,
    seal bytes,
    start_seq bigint not null default 0,
    start_hash bytes,
    start_seal bytes
  )`,

  `create table repeated_request (
    queue_id bigint not null,
    key_hash bytes not null,
    request_hash bytes not null,
    answer bytes,
    created_at bigint not null,
    primary key (queue_id, key_hash)
  ) clustered`,
  'create index repeated_request_age on repeated_request (created_at)',

  `create table mail_pause (
    name text primary key,
    error text not null,
    answer text,
    since bigint not null,
    tried_at bigint not null
  )`,

  `create table health_confirmation (
    name text primary key,
    key_id bytes,
    confirmed_at bigint not null
  )`,

  `create table health_state (
    name text primary key,
    what text not null,
    failing bigint not null,
    since bigint not null,
    told bigint not null
  )`,

  `create table copy_mark (
    id bigint primary key check (id = 1),
    progress text not null
  )`,
];
