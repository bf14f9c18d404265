import type { Migration } from './migration.ts';

/**
 * What happened, whom it was told, and how that went. No foreign keys: they would have every delivery
 * touch the row that is the lock of its queue.
 */
export const webhooks: Migration = {
  version: 2,
  statements: [
    `alter table queue add column listens text not null default ''`,

    `create table webhook_endpoint (
      queue_id bigint not null references queue (id),
      id bytes not null unique,
      sealed bytes not null,
      events text not null,
      rate_limit bigint,
      rate_used_until bigint not null default 0,
      disabled_at bigint,
      disabled_reason text,
      failing_since bigint,
      last_success_at bigint,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (queue_id, id)
    )`,

    `create table event (
      queue_id bigint not null,
      id bytes not null,
      kind text not null,
      body bytes,
      created_at bigint not null,
      primary key (queue_id, id)
    )`,

    `create table event_subject (
      queue_id bigint not null,
      subject bytes not null,
      event_id bytes not null,
      primary key (queue_id, subject, event_id)
    ) clustered`,
    'create index event_subject_event on event_subject (queue_id, event_id)',

    `create table delivery (
      queue_id bigint not null,
      channel text not null,
      target_id bytes not null,
      event_id bytes not null,
      due_at bigint,
      token bytes,
      tries bigint not null default 0,
      attempts bigint not null default 0,
      delivered_at bigint,
      failed_at bigint,
      primary key (queue_id, channel, target_id, event_id)
    ) clustered`,
    `create index delivery_due on delivery (queue_id, channel, target_id, due_at, event_id)
      where due_at is not null`,

    `create table delivery_attempt (
      queue_id bigint not null,
      channel text not null,
      target_id bytes not null,
      event_id bytes not null,
      attempt bigint not null,
      at bigint not null,
      duration_ms bigint not null,
      status bigint,
      error text,
      response bytes,
      primary key (queue_id, event_id, channel, target_id, attempt)
    )`,
  ],
};
