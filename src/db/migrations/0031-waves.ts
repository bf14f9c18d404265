import type { Migration } from './migration.ts';

/** Plans of invites and what they did, and counters of invites that they are held against, which `waveCounters` fills. */
export const waves: Migration = {
  version: 31,
  statements: [
    'alter table queue add column open_invites bigint not null default 0',
    'alter table queue add column accepted_invites bigint not null default 0',
    'alter table invite add column wave_id bytes',
    'alter table invite add column wave_run bigint',
    'create index invite_wave on invite (queue_id, wave_id, wave_run) where wave_id is not null',
    `create table wave (
      queue_id bigint not null references queue (id),
      id bytes not null,
      name text not null,
      plan bytes not null,
      keep_open bigint,
      until_joined bigint,
      state text not null,
      pause_reason text,
      accepted_before bigint not null,
      next_at bigint,
      run_at bigint,
      invited bigint not null default 0,
      seats text not null default '[]',
      checked_at bigint not null,
      created_by text,
      created_at bigint not null,
      updated_at bigint not null,
      finished_at bigint,
      primary key (queue_id, id)
    ) clustered`,
    `create index wave_active on wave (queue_id, id) where state = 'active'`,
    `create table wave_run (
      queue_id bigint not null references queue (id),
      wave_id bytes not null,
      scheduled_at bigint not null,
      started_at bigint,
      finished_at bigint,
      outcome text,
      invited bigint not null default 0,
      unreadable text not null default '[]',
      job_id bytes,
      primary key (queue_id, wave_id, scheduled_at)
    ) clustered`,
    'create index wave_run_job on wave_run (queue_id, job_id) where job_id is not null',
  ],
};
