import type { Migration } from './migration.ts';

/** People who run the installation, how they sign in, tokens for automation, and the trail of what they did. */
export const operators: Migration = {
  version: 8,
  statements: [
    'alter table instance add column installation_keys bytes',

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
      expires_at bigint not null
    )`,
    'create index operator_link_operator on operator_link (operator_id)',

    `create table recovery_code (
      operator_id bytes not null references operator (id),
      code_hash bytes not null,
      primary key (operator_id, code_hash)
    ) clustered`,

    `create table admin_token (
      id bytes primary key,
      token_hash bytes not null unique,
      hint text not null,
      name text not null,
      role text not null check (role in ('owner', 'admin', 'support', 'viewer')),
      created_at bigint not null,
      expires_at bigint,
      revoked_at bigint,
      last_used_at bigint
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
      hash bytes not null
    )`,
  ],
};
