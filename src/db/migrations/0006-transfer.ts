import type { Migration } from './migration.ts';

/** Codes of other systems that still work here, whose word a confirmation rests on, and the mark of an unfinished copy. */
export const transfer: Migration = {
  version: 6,
  statements: [
    `create table referral_alias (
      queue_id bigint not null,
      code_hash bytes not null,
      seq bigint not null,
      primary key (queue_id, code_hash)
    ) clustered`,
    'create index referral_alias_entry on referral_alias (queue_id, seq)',

    `create table operator_confirmation (
      queue_id bigint not null,
      seq bigint not null,
      source text not null,
      said_by text not null,
      said_at bigint not null,
      primary key (queue_id, seq)
    ) clustered`,

    `create table copy_mark (
      id bigint primary key check (id = 1),
      progress text not null
    )`,
  ],
};
