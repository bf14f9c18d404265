import type { Migration } from './migration.ts';

/**
 * When the last backup was made, what operators confirmed about the installation, and whom to alert about its health.
 * Which sites tried to show a form, and names for keys.
 */
export const health: Migration = {
  version: 25,
  statements: [
    'alter table instance add column backup_at bigint',
    'alter table instance add column alerts bytes',
    `create table health_confirmation (
      name text not null primary key,
      key_id bytes,
      confirmed_at bigint not null
    )`,
    `create table health_state (
      name text not null primary key,
      what text not null,
      failing bigint not null,
      since bigint not null,
      told bigint not null
    )`,
    `create table form_blocked_origin (
      queue_id bigint not null references queue (id),
      origin text not null,
      attempts bigint not null,
      last_at bigint not null,
      primary key (queue_id, origin)
    ) clustered`,
    `alter table server_key add column label text not null default ''`,
  ],
};
