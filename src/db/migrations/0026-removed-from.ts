import type { Migration } from './migration.ts';

/** The status that an entry had when it was removed, so that it can be put back. */
export const removedFrom: Migration = {
  version: 26,
  statements: ['alter table entry add column removed_from text'],
};
