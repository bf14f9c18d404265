import type { Migration } from './migration.ts';

/** The public form of a queue, what it remembers for a short time, and referrals that look like abuse. */
export const forms: Migration = {
  version: 11,
  statements: [
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

    `create table form_mail (
      queue_id bigint not null references queue (id),
      day bigint not null,
      email_hash bytes not null,
      mails bigint not null,
      primary key (queue_id, day, email_hash)
    ) clustered`,

    `create table referral_source (
      queue_id bigint not null references queue (id),
      slot bigint not null,
      referrer_seq bigint not null,
      network_hash bytes not null,
      signups bigint not null,
      primary key (queue_id, slot, referrer_seq, network_hash)
    ) clustered`,

    `create table referral_review (
      queue_id bigint not null references queue (id),
      id bytes not null,
      seq bigint not null,
      referrer_seq bigint not null,
      created_at bigint not null,
      decision text check (decision in ('credit', 'reject')),
      decided_at bigint,
      primary key (queue_id, id)
    )`,
    'create unique index referral_review_entry on referral_review (queue_id, seq)',
    'create index referral_review_open on referral_review (queue_id, id) where decision is null',
  ],
};
