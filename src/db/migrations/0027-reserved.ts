import type { Migration } from './migration.ts';

/** Changes nothing: its number was taken by a change that another release brings. */
export const reserved: Migration = {
  version: 27,
  statements: [],
};
