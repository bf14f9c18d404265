import type { Migration } from './migration.ts';

/** What a job is about, such as the endpoint of a replay. */
export const jobSubjects: Migration = {
  version: 18,
  statements: ['alter table job add column subject text'],
};
