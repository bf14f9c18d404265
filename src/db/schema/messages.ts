/**
 * What happened, whom it was told, and how that went. Events and deliveries do not refer to their queue: each delivery would
 * touch the row that is its lock.
 */
export const MESSAGES = [
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
  `create index delivery_failed on delivery (queue_id, channel, target_id, event_id)
    where failed_at is not null`,

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

  `create table mail_suppression (
    queue_id bigint not null references queue (id),
    email_hash bytes not null,
    reason text not null,
    created_at bigint not null,
    primary key (queue_id, email_hash, reason)
  )`,
  'create index mail_suppression_since on mail_suppression (queue_id, reason, created_at)',

  `create table mail_soft_bounce (
    queue_id bigint not null references queue (id),
    email_hash bytes not null,
    day bigint not null,
    primary key (queue_id, email_hash, day)
  ) clustered`,

  `create table mail_event_seen (
    queue_id bigint not null references queue (id),
    report_hash bytes not null,
    expires_at bigint not null,
    primary key (queue_id, report_hash)
  ) clustered`,
  'create index mail_event_seen_expiry on mail_event_seen (queue_id, expires_at)',

  `create table mail_sending (
    queue_id bigint primary key references queue (id),
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
    warm_up_taken bigint not null default 0
  ) clustered`,
];
