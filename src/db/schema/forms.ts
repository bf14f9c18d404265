/** The public form of a queue, and what it remembers for a short time. */
export const FORMS = [
  `create table form (
    queue_id bigint primary key references queue (id),
    form_key text not null unique,
    enabled bigint not null,
    settings text not null,
    captcha_secret bytes,
    created_at bigint not null,
    updated_at bigint not null
  )`,

  `create table form_spent (
    queue_id bigint not null references queue (id),
    token_hash bytes not null,
    email_hash bytes not null,
    expires_at bigint not null,
    primary key (queue_id, token_hash)
  ) clustered`,
  'create index form_spent_expiry on form_spent (queue_id, expires_at)',

  `create table form_refusal (
    queue_id bigint not null references queue (id),
    slot bigint not null,
    reason text not null,
    refused bigint not null,
    primary key (queue_id, slot, reason)
  ) clustered`,

  `create table form_blocked_origin (
    queue_id bigint not null references queue (id),
    origin text not null,
    attempts bigint not null,
    last_at bigint not null,
    primary key (queue_id, origin)
  ) clustered`,

  `create table form_mail (
    queue_id bigint not null references queue (id),
    day bigint not null,
    email_hash bytes not null,
    mails bigint not null,
    primary key (queue_id, day, email_hash)
  ) clustered`,

  `create table form_visit (
    queue_id bigint not null references queue (id),
    visitor_hash bytes not null,
    place bigint not null,
    expires_at bigint not null,
    link bytes,
    primary key (queue_id, visitor_hash)
  ) clustered`,
  'create index form_visit_expiry on form_visit (queue_id, expires_at)',

  `create table form_referral (
    queue_id bigint not null references queue (id),
    link bytes not null,
    seq bigint not null,
    primary key (queue_id, link, seq)
  ) clustered`,
];
