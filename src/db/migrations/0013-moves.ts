import type { Migration } from './migration.ts';

/** Entries that an operator moved in the queue. */
export const moves: Migration = {
  version: 13,
  statements: ['alter table entry add column moved bigint not null default 0'],
};
