import type { Migration } from './migration.ts';

/** When too many emails of a waitlist bounce or are reported as spam, and how many may be sent a day. */
export const sendingLimits: Migration = {
  version: 36,
  statements: [
    `create table mail_sending (
      queue_id bigint not null references queue (id),
      bounce_limit bigint default 1000,
      complaint_limit bigint default 50,
      paused_at bigint,
      resumed_at bigint,
      pause_reason text,
      review_at bigint,
      counted_from bigint,
      sent_before bigint not null default 0,
      warm_up_start bigint,
      warm_up_to bigint,
      warm_up_number bigint not null default 0,
      warm_up_day bigint not null default 0,
      warm_up_taken bigint not null default 0,
      primary key (queue_id)
    ) clustered`,
    'create index mail_suppression_since on mail_suppression (queue_id, reason, created_at)',
    'alter table wave add column resumes_itself bigint not null default 0',
  ],
};
