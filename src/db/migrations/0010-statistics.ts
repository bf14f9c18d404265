import type { Migration } from './migration.ts';

/**
 * Counters for charts. `schemaGate` counts existing entries and invites: done here, it would keep everyone
 * from reading the table that gets a column.
 */
export const statistics: Migration = {
  version: 10,
  statements: [
    `alter table waitlist add column metadata_keys text not null default '[]'`,
    'alter table entry add column confirmed_at bigint',
    'alter table entry add column depth bigint not null default 0',

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

    `create table delivery_stat (
      queue_id bigint not null,
      channel text not null,
      target_id bytes not null,
      hour bigint not null,
      delivered bigint not null,
      kept bigint not null,
      failed bigint not null,
      retried bigint not null,
      primary key (queue_id, hour, channel, target_id)
    ) clustered`,
  ],
};
