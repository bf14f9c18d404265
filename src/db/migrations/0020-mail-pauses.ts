import type { Migration } from './migration.ts';

/** Why emails are not being sent, for every process to see. */
export const mailPauses: Migration = {
  version: 20,
  statements: [
    `create table mail_pause (
      name text not null primary key,
      error text not null,
      answer text,
      since bigint not null,
      tried_at bigint not null
    )`,
  ],
};
