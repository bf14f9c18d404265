import type { Migration } from './migration.ts';

/**
 * Whose reports a mail event key takes, which of them counted already, and who joined through a link that the form gave
 * to somebody who typed an address. Keys of earlier releases take the provider of their next report.
 */
export const mailEventProviders: Migration = {
  version: 40,
  statements: [
    'alter table mail_event_key add column provider text',
    'alter table mail_event_key add column topic text',
    `create table mail_event_seen (
      queue_id bigint not null references queue (id),
      report_hash bytes not null,
      expires_at bigint not null,
      primary key (queue_id, report_hash)
    ) clustered`,
    'create index mail_event_seen_expiry on mail_event_seen (queue_id, expires_at)',
    'alter table form_visit add column link bytes',
    `create table form_referral (
      queue_id bigint not null references queue (id),
      link bytes not null,
      seq bigint not null,
      primary key (queue_id, link, seq)
    ) clustered`,
  ],
};
