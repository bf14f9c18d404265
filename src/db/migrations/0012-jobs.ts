import type { Migration } from './migration.ts';

/** Who works on a job, how far it is, and how it ended. */
export const jobs: Migration = {
  version: 12,
  statements: [
    `alter table job add column runner text not null default 'command-line'`,
    'alter table job add column done bigint not null default 0',
    'alter table job add column total bigint',
    'alter table job add column outcome text',
    'alter table job add column error text',
    'alter table job add column result text',
    'alter table job add column created_by text',
    'alter table job add column lease_token bytes',
    'alter table job add column lease_until bigint',
    'alter table job add column cancel_at bigint',
    `update job set outcome = 'done' where finished_at is not null`,
    'create unique index job_id on job (id)',
    'create index job_open on job (runner, id) where finished_at is null',
    'create index job_finished on job (finished_at) where finished_at is not null',
  ],
};
